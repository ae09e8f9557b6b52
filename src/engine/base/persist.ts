// PERSIST: the rules judge the event, the store makes it durable. Only what this returns can be
// reported: reporting before saving cannot be written.
import type { ProjectEvent } from "../../core/events.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { spendingText } from "../../core/step/budgets.ts";
import { step } from "../../core/step/step.ts";
import { StintError } from "../../core/stint-error.ts";
import type { RunContext } from "./run-context.ts";

declare const durable: unique symbol;

/** A revision that is on disk. Nothing but `persist` can make one. */
export interface Persisted {
  readonly [durable]: true;
  readonly state: ProjectState;
  readonly event: ProjectEvent;
  readonly summary: string;
}

/** The rules said no: a bug, unless a person's answer overtook what was under way. */
export class RefusedEvent extends StintError {}

/** @throws RefusedEvent when the rules refuse, after the refusal was journalled */
export function persist(
  context: Pick<RunContext, "holder">,
  event: ProjectEvent,
  validation?: readonly string[],
): Persisted {
  const { holder } = context;
  const result = step(holder.state, event);
  const { at, by, kind } = event;
  if (!result.ok) {
    holder.note({ at, by, kind: "refused", summary: `${kind}: ${result.reason}` });
    throw new RefusedEvent(
      "state-changed",
      `${holder.state.project_id}: ${kind} was refused. ${result.reason}`,
      `See where it stands: stint status ${holder.state.project_id}`,
    );
  }
  const state = holder.commit(result.state, {
    at,
    by,
    kind,
    summary: [result.summary, ...endWords(event)].join("; "),
    data: dataOf(event),
    ...(validation !== undefined && validation.length > 0 && { validation: [...validation] }),
  });
  const persisted = { state, event, summary: result.summary };
  return persisted as unknown as Persisted;
}

/** What the end of a session came to, for whoever reads the journal. */
function endWords({ measured, spent }: ProjectEvent): string[] {
  return [
    ...(measured === undefined ? [] : [measured]),
    ...(spent === undefined ? [] : [spendingText(spent)]),
  ];
}

/** The event for the journal; what the manifest holds anyway is only counted. */
function dataOf(event: ProjectEvent): Record<string, unknown> {
  const { kind: _kind, at: _at, by: _by, ...rest } = event;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length > 20 ? { count: value.length } : value,
    ]),
  );
}
