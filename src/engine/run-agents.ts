// The agents of a run under their names. A name is what a person wrote, without secrets and not too
// long, because it goes into the state.
import type { Agent } from "../agents/agent.ts";
import { type AgentSurroundings, chooseAgent } from "../agents/agents.ts";
import type { Task } from "../core/schema/task.ts";
import { makeRedactor } from "../process/redact.ts";
import type { Agents } from "./run-context.ts";

const LONGEST_NAME = 200;

/** @throws bad-input from `namesFor`, for an agent that does not exist */
export function runAgents(
  specsFor: (task: Task) => readonly string[],
  surroundings: AgentSurroundings,
  env: Readonly<Record<string, string | undefined>>,
): Agents {
  const redact = makeRedactor(env);
  const known = new Map<string, Agent>();
  const nameOf = (spec: string): string => {
    const name = redact(spec).slice(0, LONGEST_NAME);
    if (!known.has(name)) known.set(name, chooseAgent(spec, surroundings));
    return name;
  };
  return {
    namesFor: (task) => [...new Set(specsFor(task).map(nameOf))],
    named: (name) => known.get(name),
  };
}
