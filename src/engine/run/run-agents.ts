// The agents of a run under their names: as a person wrote them, without secrets and not too long, because a
// name goes into the state. Whether their programs can be started is asked before anything is begun; files
// that they are started with and no commit holds are laid beside the copy, and never captured.
import { copyFileSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { chooseAgent } from "../../agents/agents.ts";
import { isFinished } from "../../core/eligibility.ts";
import type { ProjectId, TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { runGit } from "../../git/run-git.ts";
import { findProgram } from "../../process/find-program.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Agents } from "../base/run-context.ts";

const LONGEST_NAME = 200;

/** @throws bad-input from `namesFor`, for an agent that does not exist */
export function runAgents(options: {
  readonly specsFor: (task: Task) => readonly string[];
  /** Where a person named it; a relative program lies below it. */
  readonly calledFrom: (spec: string) => string;
  readonly scriptedProgram: string;
  /** The work tree. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Agents {
  const { specsFor, calledFrom, scriptedProgram } = options;
  const redact = makeRedactor(options.env);
  const known = new Map<string, Agent>();
  const nameOf = (spec: string): string => {
    const name = redact(spec).slice(0, LONGEST_NAME);
    if (!known.has(name)) {
      known.set(name, chooseAgent(spec, { calledFrom: calledFrom(spec), scriptedProgram }));
    }
    return name;
  };
  return {
    namesFor: (task) => [...new Set(specsFor(task).map(nameOf))],
    named: (name) => known.get(name),
    require: (name) => {
      const agent = known.get(name);
      if (agent !== undefined) requireProgram(agent, options.root, options.env);
    },
    reviewer: (name) => {
      const agent = chooseAgent(name, { calledFrom: options.root, scriptedProgram });
      requireProgram(agent, options.root, options.env);
      return agent;
    },
  };
}

/** @throws bad-input, with how to get it, where the program of an agent that will be needed is missing */
export function requirePrograms(tasks: readonly Task[], agents: Agents): void {
  const names = new Set(tasks.filter(needsAgent).flatMap((task) => agents.namesFor(task)));
  names.forEach(agents.require);
}

function needsAgent(task: Task): boolean {
  return !isFinished(task) && task.run === undefined && task.webhook === undefined;
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
    throw new StintError(
      error.code,
      `${agent.describe} (--agent ${agent.name}) cannot be started: ${error.message}`,
      `${agent.installHint}; or take another agent: stint agents`,
      { cause: error },
    );
  }
}

/** The program is the same for every session. */
export function anyRequest(root: string): Parameters<Agent["buildCommand"]>[0] {
  return {
    brief: "",
    briefPath: root,
    workTree: root,
    manifestPath: root,
    project: "p-0000000000" as ProjectId,
    session: 1,
    task: { id: "t1" as TaskId, name: "t1" },
    attempt: 1,
    permission: "default",
  };
}

function given(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Relative to the checkout. */
export async function agentFiles(
  checkout: string,
  tasks: readonly Task[],
  agents: Agents,
): Promise<readonly string[]> {
  const names = new Set(tasks.flatMap((task) => agents.namesFor(task)));
  const all = [...names].flatMap((name) => agents.named(name) ?? []);
  const paths = [...new Set(all.flatMap((agent) => filesOf(agent, checkout)))];
  if (paths.length === 0) return [];
  const literal = paths.map((path) => `:(top,literal)${path}`);
  const { stdout } = await runGit(checkout, ["ls-files", "-z", "--", ...literal]);
  const tracked = new Set(stdout.split("\0"));
  return paths.filter((path) => !tracked.has(path));
}

/** Words of its command that name a file in the checkout. */
function filesOf(agent: Agent, checkout: string): string[] {
  const { program, args } = agent.buildCommand(anyRequest(checkout));
  const words = [...(isAbsolute(program) ? [program] : []), ...args];
  return words
    .map((word) => relative(checkout, resolve(checkout, word)))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`))
    .filter((path) => isFile(join(checkout, path)));
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** As they are now: a person may have changed theirs since the last session. */
export function layAgentFiles(checkout: string, folder: string, paths: readonly string[]): void {
  for (const path of paths) {
    const [from, to] = [join(checkout, path), join(folder, path)];
    if (!isFile(from)) continue;
    mkdirSync(dirname(to), { recursive: true });
    // A link on the way would lead out of the workspace.
    if (realpathSync(dirname(to)) !== join(realpathSync(folder), dirname(path))) continue;
    rmSync(to, { recursive: true, force: true });
    copyFileSync(from, to);
  }
}
