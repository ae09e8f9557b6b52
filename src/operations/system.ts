// What every operation is given: the ports of one real or simulated system, and who acts.
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { agentAbove } from "../core/agent-marks.ts";
import { newRunId, type ProjectId, type RunId } from "../core/ids.ts";
import { type Instant, instantFromMs } from "../core/instant.ts";
import type { DetachedFiles } from "../store/detached-files.ts";
import type { Doctor } from "../store/doctor/doctor.ts";
import type { Host } from "../store/host.ts";
import type { Mailbox } from "../store/mailbox.ts";
import type { Store } from "../store/store.ts";
import type { WatchFiles } from "../store/watch-files.ts";
import { StintError } from "../core/stint-error.ts";

export interface System {
  readonly store: Store;
  /** Where answers wait for a run that is live. */
  readonly mailbox: Mailbox;
  /** Loaded when asked for; most verbs never need it. */
  readonly doctor: () => Promise<Doctor>;
  readonly host: Host;
  /** The folder the person stands in; relative paths and "this work tree" start here. */
  readonly cwd: string;
  /** Who acts, for the journal. */
  readonly user: string;
  /** Why this process is not a person's own, in words; null where no run has started it. */
  readonly descent: () => string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of shadows and registry; hidden from sessions where that is possible. */
  readonly stateHome: string;
  /** The bundled program of the scripted agent. */
  readonly scriptedProgram: string;
  /** The bundled program that speaks with agents over the Agent Client Protocol. */
  readonly acpProgram: string;
  /** Agents of one's own, beside those that come with Stint. */
  readonly agents?: readonly Agent[] | undefined;
  /** The bundled program that drives a browser for checks. */
  readonly browserProgram: string;
  /** The executable itself, for what needs a process of its own. */
  readonly program: string;
  /** Manifests and scripts that come with Stint. */
  readonly examples: string;
  /** Of this Stint. */
  readonly version: string;
  /** Skills that come with Stint, a folder each. */
  readonly skills: string;
  /** What the watchdog reads and remembers. */
  readonly watchFiles: () => Promise<WatchFiles>;
  /** What runs in the background leave for whoever looks. */
  readonly detachedFiles: () => Promise<DetachedFiles>;
  /** Starts a process that goes on with the project if this one is killed. @returns how to end it */
  readonly watchBeside?: ((id: ProjectId) => () => void) | undefined;
  /** Kills whatever a run of this process has started and still starts. @returns how to end that */
  readonly killProcessesOf?: ((run: RunId) => () => void) | undefined;
}

export function nowOf({ host }: Pick<System, "host">): Instant {
  return instantFromMs(host.nowMs());
}

export function freshRunId({ host }: Pick<System, "host">): RunId {
  return newRunId((count) => host.randomBytes(count));
}

/** The home folder of the person, absolute. */
export function homeOf({ env }: Pick<System, "env">): string {
  return resolve(env["HOME"] ?? homedir());
}

/**
 * Answers are a person's. Whatever a run has started is none, and neither is one without the key; what an agent has
 * started is none as far as that can be known. @throws refused
 */
export function assertPerson(system: System, what: string): void {
  const descent = system.descent();
  if (descent !== null) {
    throw new StintError(
      "refused",
      `${what} is for a person, and this process was started by a run: ${descent}`,
      "Ask instead: write `question: …` or `approval_required: …` into .agent_iteration_done and end; a person answers from their own terminal.",
    );
  }
  const agent = agentAbove(system.env);
  if (agent !== null) {
    throw new StintError(
      "refused",
      `${what} is for a person, and this process was started by an agent: ${agent}`,
      "Show what waits and stop: a person does this in their own terminal.",
    );
  }
  system.mailbox.proveKey();
}
