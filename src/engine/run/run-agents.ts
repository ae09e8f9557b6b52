// The agents of a run under their names: as a person wrote them, without secrets and not too long, because a
// name goes into the state. Whether their programs can be started is asked before anything is begun.
import type { Agent } from "../../agents/agent.ts";
import { chooseAgent } from "../../agents/agents.ts";
import { isFinished } from "../../core/eligibility.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { findProgram } from "../../process/find-program.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import type { Agents } from "../base/run-context.ts";
import { anyRequest } from "../space/open-space.ts";

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

function given(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
