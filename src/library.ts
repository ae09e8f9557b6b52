// Stint from a program of one's own. A method is a verb of the command line: the same operation over the same state,
// so both may be used side by side. Nothing is printed and nobody is asked. What a person decides (to approve, answer,
// accept, skip) has no method.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent } from "./agents/agent.ts";
import { assertOwnNames } from "./agents/agents.ts";
import type { News } from "./core/news.ts";
import type {
  LintView,
  ListView,
  LogView,
  NewView,
  RunView,
  StatusView,
  VerifyView,
} from "./core/schema/views.ts";
import type { System } from "./operations/system.ts";
import { openSystem } from "./wire.ts";

/** Where Stint is opened, and what it uses in addition to its own. */
export interface StintOptions {
  /** The folder to stand in: paths and "the project of this work tree" start here. By default that of the process. */
  readonly cwd?: string;
  /** In place of the environment of the process; `XDG_STATE_HOME` says where state is kept. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Agents of your own. A run, a manifest and `stint.config.yaml` name them as they name the others. */
  readonly agents?: readonly Agent[];
}

/** What is asked of a run; what is left out is as the manifest and `stint.config.yaml` say. */
export interface RunOptions {
  /** As on the command line: `claude`, `command:./agent.sh --flag`, `scripted:script.json`, or one of your own. */
  readonly agent?: string;
  /** Agents that take over, in this order, while the one before them is refused by its provider. */
  readonly fallback?: readonly string[];
  /** The model that the agent is asked for. */
  readonly model?: string;
  /** What a session may do. */
  readonly permission?: "default" | "read-only" | "dangerous";
  /** Stop after so many sessions. */
  readonly sessions?: number;
  /** So many sessions beside each other. */
  readonly parallel?: number;
  /** Whether sessions are kept apart from the rest of the machine. */
  readonly isolation?: "auto" | "on" | "off";
  /** Where sessions work. */
  readonly workspace?: "copy" | "in-place" | "own-path";
  /** How verified work reaches the branch. */
  readonly deliver?: "auto" | "checkout" | "branch" | "ask";
  /** Whether verified work is pushed. */
  readonly push?: "auto" | "ask" | "never";
  /** False: end where every agent is limited, instead of waiting. */
  readonly wait?: boolean;
  /** Called with each thing that happens, after it was persisted. */
  readonly tell?: (news: News) => void;
  /** Aborted: what is under way is ended, the project is paused, and the run returns. */
  readonly signal?: AbortSignal;
}

/** One opened Stint: a method for each verb. A project is named by id, slug or manifest; left out, it is the one of the work tree. */
export interface Stint {
  /** Every problem of the manifests, with its line and how it is written right. Reads only. */
  lint(...manifests: readonly string[]): Promise<LintView>;
  /** Makes a project of a manifest without running it. Refuses what has errors. */
  create(manifest: string): Promise<NewView>;
  /** Takes a manifest or a project to Done, or to what stops it. Returns how it ended. */
  run(manifestOrProject: string, options?: RunOptions): Promise<RunView>;
  /** Goes on with a project, with what the run before it was begun with. */
  resume(project?: string, options?: RunOptions): Promise<RunView>;
  /** Where a project stands, with all its tasks. Takes no lock. */
  status(project?: string): Promise<StatusView>;
  /** All projects of this user. */
  list(): Promise<ListView>;
  /** The journal of a project: what happened, a line for each revision. */
  log(project?: string): Promise<LogView>;
  /** Whether all that was done is still there. */
  verify(project?: string): Promise<VerifyView>;
}

/** Opens Stint in a folder. Nothing is read or written before a method is called. */
export function openStint(options: StintOptions = {}): Stint {
  const { agents = [] } = options;
  assertOwnNames(agents);
  // The library lies in one folder with the programs that it starts.
  const folder = dirname(fileURLToPath(import.meta.url));
  const system = openSystem({
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
    agents,
    scriptedProgram: join(folder, "scripted-agent.cjs"),
    acpProgram: join(folder, "acp-client.cjs"),
    browserProgram: join(folder, "browser-check.cjs"),
    program: join(folder, "main.cjs"),
    examples: join(folder, "..", "examples"),
    skills: join(folder, "..", "skills"),
  });
  return {
    async lint(...manifests) {
      return await (await import("./operations/lint.ts")).lint(system, { manifests });
    },
    async create(manifest) {
      return await (await import("./operations/new-project.ts")).newProject(system, { manifest });
    },
    run: (target, given) => run(system, { target, resumes: false }, given),
    resume: (target, given) => run(system, { target, resumes: true }, given),
    async status(project) {
      return await (await import("./operations/status.ts")).status(system, { project, all: true });
    },
    async list() {
      return (await import("./operations/status.ts")).list(system);
    },
    async log(project) {
      return await (await import("./operations/status.ts")).log(system, { project });
    },
    async verify(project) {
      return await (await import("./operations/verify.ts")).verify(system, { project });
    },
  };
}

const STOPPED = { kind: "signal", reason: "the program that started the run stopped it" } as const;

async function run(
  system: System,
  which: { readonly target: string | undefined; readonly resumes: boolean },
  { tell = () => {}, signal, ...typed }: RunOptions = {},
): Promise<RunView> {
  const operation = await import("./operations/run/run.ts");
  return await operation.run(system, {
    ...typed,
    ...which,
    tell,
    stopWanted: () => (signal?.aborted === true ? STOPPED : null),
    ...(signal !== undefined && { stopping: signal }),
  });
}
