// Stint in the settings of agents, for people: in which files it is, and what was done about it.
import type { McpView } from "../core/schema/views.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import { visibleLine } from "./visible.ts";

type Entry = McpView["servers"][number];

const STATES = {
  absent: "not installed",
  current: "installed",
  edited: "not as Stint writes it",
  unreadable: "not readable",
  link: "a link",
} as const satisfies Record<Entry["state"], string>;

export function mcpText(view: McpView, paint: Paint): Block[] {
  return [
    ...view.servers.flatMap((each) => entryLines(each, paint)),
    ...nextFacts(view.next, paint),
  ];
}

function entryLines({ agents, file, state, outcome, why }: Entry, paint: Paint): Block[] {
  const again = outcome === "unchanged" && state === "current" ? "already " : "";
  const isAsFound = outcome === "shown" || outcome === "unchanged";
  const said = isAsFound ? `${again}${STATES[state]}` : outcome;
  const colour = outcome === "left" ? paint.yellow : state === "absent" ? paint.dim : paint.green;
  return [
    `${colour(said)}  ${visibleLine(file)}`,
    fact("read by", agents.join(", "), paint),
    ...(why === null ? [] : [fact("note", why, paint)]),
  ];
}
