// The table of rules with one entry per (from, event, to): what the document shows and the tests walk.
import type { EventKind } from "../../src/core/events.ts";
import type { ProjectStatus } from "../../src/core/schema/project.ts";
import { EVENT_KINDS, RULES } from "../../src/core/step/rules.ts";

export interface Transition {
  readonly from: ProjectStatus;
  readonly event: EventKind;
  readonly to: ProjectStatus;
  readonly guard: string;
}

export const TRANSITIONS: readonly Transition[] = EVENT_KINDS.flatMap((event) =>
  RULES[event].moves.flatMap(([froms, to, guard]) =>
    froms.map((from) => ({ from, event, to: to === "same" ? from : to, guard })),
  ),
);
