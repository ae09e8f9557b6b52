// What is remembered of agents that their provider refused. Only an answer of the provider or a person
// takes a limit away; a crash, a pause and a resumption do not.
import { limitAfter } from "../back-off.ts";
import { DERIVED_LIST_LENGTH } from "../written/bounds.ts";
import type { EventOf, Refused } from "../events.ts";
import type { Instant } from "../instant.ts";
import type { ProjectState } from "../schema/project.ts";
import { type Body, type Ruling, change, refuse } from "./ruling.ts";

export function afterRefusal(state: ProjectState, refused: Refused, at: Instant): Partial<Body> {
  const limits = state.agent_limits ?? [];
  const before = limits.find(({ agent }) => agent === refused.agent);
  const others = limits.filter(({ agent }) => agent !== refused.agent);
  const { counters } = state;
  return {
    agent_limits: [...others, limitAfter(before, refused, at)].slice(-DERIVED_LIST_LENGTH),
    counters: { ...counters, refused_sessions: (counters.refused_sessions ?? 0) + 1 },
  };
}

export function withAnswer(state: ProjectState, agent: string | undefined): Partial<Body> {
  const limits = state.agent_limits ?? [];
  const others = limits.filter((limit) => limit.agent !== agent);
  return others.length === limits.length ? {} : { agent_limits: others };
}

export function limitsLifted(state: ProjectState, event: EventOf<"limits-lifted">): Ruling {
  const limits = state.agent_limits ?? [];
  const kept = event.which === "all" ? [] : limits.filter(({ until }) => until !== undefined);
  if (kept.length === limits.length) {
    return refuse("No limit was lifted because no agent has one of that kind.");
  }
  const lifted = limits.filter((limit) => !kept.includes(limit)).map(({ agent }) => agent);
  return change(
    `${event.by} wants ${lifted.join(", ")} tried again`,
    { agent_limits: kept },
    { to: state.status },
  );
}
