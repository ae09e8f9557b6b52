// Whether an agent's program is there to be started, asked before anything is begun with it.
import type { Agent } from "../agents/agent.ts";
import type { ProjectId, TaskId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import { findProgram } from "../process/find-program.ts";

/** The path of what would be started; throws, with how to get it, when there is nothing. */
export function requireProgram(
  agent: Agent,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { program } = agent.buildCommand(anyRequest(root));
  try {
    return findProgram({ program, args: [], cwd: root, env: given(env) });
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
function anyRequest(root: string): Parameters<Agent["buildCommand"]>[0] {
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
