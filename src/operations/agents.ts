// `agents`: which coding agents are installed here, in which version, whether somebody is logged in
// as far as the agent itself tells, and how a session of theirs would run.
import { CODING_AGENTS, DEFAULT_AGENT } from "../agents/agents.ts";
import type { AgentsView } from "../core/schema/views.ts";
import { isolationHere, lookAtAgents } from "../engine/run/run-agents.ts";
import { findRepository } from "../store/repository.ts";
import { readConfig } from "./run/read-config.ts";
import { agentsIn } from "./run/run-settings.ts";
import type { System } from "./system.ts";

export async function agents(system: System): Promise<AgentsView> {
  const { root } = findRepository(system.cwd);
  const config = await readConfig(root);
  const chosen = agentsIn(config)?.[0] ?? DEFAULT_AGENT;
  const { kind, guarantees } = isolationHere(config.isolation ?? "auto");
  const views = await lookAtAgents(system, CODING_AGENTS);
  return {
    agents: views.map((view) => ({ ...view, is_default: view.name === chosen })),
    default: chosen,
    isolation: { kind, guarantees },
  };
}
