// The agents of a run under their names: as a person wrote them, without secrets and not too long, because a
// name goes into the state. Whether their programs can be started is asked before anything is begun; what
// they say of themselves, their version and the login, for whoever looks at the machine.
import { rmSync } from "node:fs";
import type { Agent, AgentProgram } from "../../agents/agent.ts";
import { chooseAgent, namesForManifest } from "../../agents/agents.ts";
import { delegatedTo, outsideOf } from "../../core/delegation.ts";
import { isFinished } from "../../core/eligibility.ts";
import { newRunId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { isLogistical } from "../../core/step/task-moves.ts";
import type { AgentView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { findProgram, whichProgram } from "../../process/find-program.ts";
import {
  chooseIsolation,
  type Isolation,
  namespaceRefusal,
  type NamespaceRefusal,
} from "../../process/namespace/isolation.ts";
import { type CommandResult, runCommand } from "../../process/run-command.ts";
import { makeTemporaryFolder } from "../../process/temporary-folder.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Host } from "../../store/host.ts";
import type { Agents } from "../base/run-context.ts";
import { anyRequest } from "../space/open-space.ts";

const LONGEST_NAME = 200;

/** @throws bad-input from `namesFor`, for an agent that does not exist */
export function runAgents(options: {
  readonly specsFor: (task: Task) => readonly string[];
  /** Where a person named it; a relative program lies below it. */
  readonly calledFrom: (spec: string) => string;
  readonly scriptedProgram: string;
  readonly own?: readonly Agent[] | undefined;
  /** The work tree. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Agents {
  const { specsFor, calledFrom, scriptedProgram, own = [] } = options;
  const redact = makeRedactor(options.env);
  const known = new Map<string, Agent>();
  const nameOf = (spec: string): string => {
    const name = redact(spec).slice(0, LONGEST_NAME);
    if (!known.has(name)) {
      known.set(name, chooseAgent(spec, { calledFrom: calledFrom(spec), scriptedProgram, own }));
    }
    return name;
  };
  return {
    names: namesForManifest(own),
    namesFor: (task) => [...new Set(specsFor(task).map(nameOf))],
    named: (name) => known.get(name),
    require: (name) => {
      const agent = known.get(name);
      if (agent !== undefined) requireProgram(agent, options.root, options.env);
    },
    reviewer: (name) => {
      const agent = chooseAgent(name, { calledFrom: options.root, scriptedProgram, own });
      requireProgram(agent, options.root, options.env);
      return agent;
    },
  };
}

/** @throws bad-input, with how to get it, where the program of an agent that will be needed is missing */
export function requirePrograms(tasks: readonly Task[], agents: Agents): void {
  const names = new Set(tasks.filter(needsAgent).flatMap((task) => namesOf(task, agents)));
  names.forEach(agents.require);
}

/** A name that is no agent's may be meant for somebody outside. */
function namesOf(task: Task, agents: Agents): readonly string[] {
  try {
    return agents.namesFor(task);
  } catch (error) {
    if (!(error instanceof StintError) || delegatedTo(task) === null) throw error;
    const { code, message, hint } = error;
    const meant = `If ${task.delegate} is somebody outside, ${task.id} needs a return condition: returns: message`;
    throw new StintError(code, `${task.id} is delegated: ${message}`, `${hint}\n${meant}`);
  }
}

export function needsAgent(task: Task): boolean {
  return !isFinished(task) && !isLogistical(task) && outsideOf(task) === null;
}

export function requireProgram(
  agent: Agent,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): void {
  // Not the command's own where there is a name: that may be a shell before the program.
  const program = agent.program?.name ?? agent.buildCommand(anyRequest(root)).program;
  try {
    findProgram({ program, args: [], cwd: root, env: given(env) });
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    // One that has no other name than its program's is named by what follows.
    const isNamed = agent.describe.startsWith("the program ");
    const who = isNamed ? `--agent ${agent.name}` : `${agent.describe} (--agent ${agent.name})`;
    throw new StintError(
      error.code,
      `${who} cannot be started: ${error.message}`,
      `${agent.installHint}; or use another agent: stint agents`,
      { cause: error },
    );
  }
}

function given(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Some of them are slow to start, and none may keep a person waiting for long. */
const ANSWER_MS = 20_000;
const ANSWER_BYTES = 64 * 1024;

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: Host;
}

/** How sessions and checks are kept together here; throws where `on` is wanted and cannot be. */
export function isolationHere(
  wanted: "auto" | "on" | "off",
): Pick<Isolation, "kind" | "guarantees"> & { readonly refusal: NamespaceRefusal | null } {
  return { ...chooseIsolation(wanted), refusal: namespaceRefusal() };
}

export type Look = Omit<AgentView, "is_default">;

/** Asks each program itself, all at once. */
export async function lookAtAgents(machine: Machine, which: readonly Agent[]): Promise<Look[]> {
  const isolation = chooseIsolation("auto");
  // Asked in a folder of its own, so that no project file has a say in the answer.
  const folder = makeTemporaryFolder("stint-agents-");
  const env = childEnvironment(machine.env, { extra: {} });
  const ask: Ask = async (path, args) =>
    await runCommand(
      { program: path, args: [...args], cwd: folder, env },
      {
        timeoutMs: ANSWER_MS,
        maxOutputBytes: ANSWER_BYTES,
        runId: newRunId((count) => machine.host.randomBytes(count)),
        isolation,
        redact: makeRedactor(machine.env),
      },
    );
  try {
    return await Promise.all(which.map((agent) => viewOf(agent, machine.env["PATH"], ask)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Ask = (path: string, args: readonly string[]) => Promise<CommandResult>;

async function viewOf(agent: Agent, path: string | undefined, ask: Ask): Promise<Look> {
  const { program, name, describe, installHint, loginHint, modes } = agent;
  const found = program === undefined ? undefined : whichProgram(program.name, path);
  const shared = { name, title: describe, modes: { ...modes } };
  if (program === undefined || found === undefined) {
    const version = null;
    return { ...shared, program: null, version, login: "unknown", next: installHint };
  }
  const [version, login] = await Promise.all([
    versionOf(found, program, ask),
    loginOf(found, program, ask),
  ]);
  const next = login === "no" ? loginHint : null;
  return { ...shared, program: found, version, login, next };
}

/** The first thing in its answer that looks like a version. */
async function versionOf(path: string, program: AgentProgram, ask: Ask): Promise<string | null> {
  const { exitCode, output } = await ask(path, program.versionArgs);
  if (exitCode !== 0) return null;
  return /\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?/.exec(output)?.[0] ?? null;
}

async function loginOf(path: string, program: AgentProgram, ask: Ask): Promise<AgentView["login"]> {
  if (program.login === null) return "unknown";
  const { exitCode, output, timedOut } = await ask(path, program.login.args);
  if (exitCode === null || timedOut) return "unknown";
  const answer = program.login.isLoggedIn({ exitCode, stdout: output });
  return answer === null ? "unknown" : answer ? "yes" : "no";
}
