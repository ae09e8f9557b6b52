// The table of rules with one entry per (from, event, to): what the document shows and the tests walk.
import type { EventKind } from "../../src/core/events.ts";
import { ROUND_STATUS } from "../../src/core/project-state.ts";
import type { ProjectStatus } from "../../src/core/schema/project.ts";
import { EVENT_KINDS, movesOf } from "../../src/core/step/rules.ts";

/** In the order of a project's life. */
export const PROJECT_STATUSES = Object.keys(ROUND_STATUS) as readonly ProjectStatus[];

export interface Transition {
  readonly from: ProjectStatus;
  readonly event: EventKind;
  readonly to: ProjectStatus;
  readonly guard: string;
}

export const TRANSITIONS: readonly Transition[] = EVENT_KINDS.flatMap((event) =>
  movesOf(event).flatMap(([froms, to, guard]) =>
    froms.map((from) => ({ from, event, to: to === "same" ? from : to, guard })),
  ),
);
