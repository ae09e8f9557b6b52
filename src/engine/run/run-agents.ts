// The agents of a run under their names. A name is what a person wrote, without secrets and not too
// long, because it goes into the state.
import type { Agent } from "../../agents/agent.ts";
import { chooseAgent } from "../../agents/agents.ts";
import type { Task } from "../../core/schema/task.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import { requireProgram } from "./agent-program.ts";
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
