// The table of rules as Markdown, for docs/states.md: a diagram of the moves between
// statuses, and every event with its guard.
import type { EventKind } from "../../src/core/events.ts";
import type { ProjectStatus } from "../../src/core/schema/project.ts";
import { PROJECT_STATUSES, TRANSITIONS, type Transition } from "./transitions.ts";

export function renderMachine(): string {
  const moves = TRANSITIONS.filter(({ from, to }) => from !== to);
  const kept = TRANSITIONS.filter(({ from, to }) => from === to);
  return [
    "```mermaid",
    "stateDiagram-v2",
    "  [*] --> Draft",
    ...diagram(moves),
    "  Done --> [*]",
    "  Abandoned --> [*]",
    "```",
    "",
    "Moves to another status:",
    "",
    "| from | event | to | guard |",
    "|---|---|---|---|",
    ...moves.map(({ from, event, to, guard }) => `| ${from} | ${event} | ${to} | ${guard} |`),
    "",
    "Events that leave the status as it is:",
    "",
    "| event | in | guard |",
    "|---|---|---|",
    ...groupByEvent(kept).map(
      ({ event, statuses, guard }) => `| ${event} | ${statuses} | ${guard} |`,
    ),
  ].join("\n");
}

function diagram(moves: readonly Transition[]): string[] {
  return PROJECT_STATUSES.flatMap((from) => {
    const targets = new Set<ProjectStatus>();
    for (const move of moves) if (move.from === from) targets.add(move.to);
    return [...targets].map((to) => `  ${from} --> ${to}`);
  });
}

function groupByEvent(rows: readonly Transition[]) {
  const groups = new Map<string, { event: EventKind; froms: ProjectStatus[]; guard: string }>();
  for (const { event, from, guard } of rows) {
    const group = groups.get(`${event} ${guard}`) ?? { event, froms: [], guard };
    group.froms.push(from);
    groups.set(`${event} ${guard}`, group);
  }
  return [...groups.values()].map(({ event, froms, guard }) => ({
    event,
    statuses: froms.join(", "),
    guard,
  }));
}
