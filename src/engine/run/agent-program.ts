// Whether an agent's program is there to be started, asked before anything is begun with it.
import type { Agent } from "../../agents/agent.ts";
import { isFinished } from "../../core/eligibility.ts";
import type { ProjectId, TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { findProgram } from "../../process/find-program.ts";
import type { Agents } from "../base/run-context.ts";

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
