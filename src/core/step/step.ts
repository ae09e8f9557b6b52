// The machine: a state and an event in; the next state with what must be done, or a refusal, out.
// Pure: no clock, no files, no randomness, and the state that came in is never changed.
import type { Effect } from "./effects.ts";
import { PERSON_ONLY, type EventKind, type ProjectEvent } from "../events.ts";
import { nextAction, nextCheckpoint } from "../words/next-action.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import { withSessionSpending } from "./budgets.ts";
import { place } from "./place.ts";
import { refuse, type Ruling } from "./ruling.ts";
import {
  type OpenEvent,
  type OwnEvent,
  inAnyOpen,
  inAwaitingApproval,
  inAwaitingResult,
  inBlocked,
  inDone,
  inDraft,
  inPaused,
  inReady,
  inRunning,
  inValidating,
} from "./statuses.ts";
import { isListed, legalEvents } from "./transitions.ts";

export type StepResult =
  | {
      readonly ok: true;
      readonly state: ProjectState;
      /** In the order in which they are to be performed, after the state is durable. */
      readonly effects: readonly Effect[];
      /** One line for the journal. */
      readonly summary: string;
    }
  | {
      readonly ok: false;
      /** What was asked, why not, and what is legal now. */
      readonly reason: string;
    };

export function step(state: ProjectState, event: ProjectEvent): StepResult {
  const ruling = rule(state, event);
  if (!ruling.ok) return { ok: false, reason: `${ruling.reason} ${whatIsLegal(state.status)}` };
  const next = stamped(place(state, ruling), event);
  if (!isListed(state.status, event.kind, next.status)) {
    throw new Error(`${state.status} → ${next.status} by ${event.kind} is not in the table`);
  }
  return { ok: true, state: next, effects: ruling.effects, summary: ruling.summary };
}

function rule(state: ProjectState, event: ProjectEvent): Ruling {
  if (!legalEvents(state.status).has(event.kind)) {
    return refuse(`"${event.kind}" is not legal while the project is ${state.status}.`);
  }
  if (PERSON_ONLY.has(event.kind) && event.by === state.owner_agent) {
    return refuse(`"${event.kind}" is a person's decision, not that of ${event.by}.`);
  }
  if (isOpenEvent(event)) return inAnyOpen(state, event);
  switch (state.status) {
    case "Draft":
      return inDraft(state, own<"Draft">(event));
    case "Ready":
      return inReady(state, own<"Ready">(event));
    case "Running":
      return inRunning(state, own<"Running">(event));
    case "AwaitingResult":
      return inAwaitingResult(state, own<"AwaitingResult">(event));
    case "Validating":
      return inValidating(state, own<"Validating">(event));
    case "AwaitingApproval":
      return inAwaitingApproval(state, own<"AwaitingApproval">(event));
    case "Blocked":
      return inBlocked(state, own<"Blocked">(event));
    case "Paused":
      return inPaused(state, own<"Paused">(event));
    case "Done":
      return inDone(state, own<"Done">(event));
    case "Abandoned":
      throw new Error("the table lists no event for Abandoned");
    default:
      return state satisfies never;
  }
}

/** Legal in Draft and in Paused means legal in every status that is not terminal. */
function isOpenEvent(event: ProjectEvent): event is OpenEvent {
  return legalEvents("Draft").has(event.kind) && legalEvents("Paused").has(event.kind);
}

/** True because the table was asked first; the compiler cannot follow a set. */
function own<S extends ProjectStatus>(event: ProjectEvent): OwnEvent<S> {
  return event as OwnEvent<S>;
}

/** What every step renews: what was spent, the texts of the manifest, where the work is, what comes next. */
function stamped(placed: ProjectState, event: ProjectEvent): ProjectState {
  const state = event.spent === undefined ? placed : withSessionSpending(placed, event.spent);
  return {
    ...state,
    manifest: manifestAfter(state.manifest, event),
    ...(event.delivery === undefined ? {} : { delivery: event.delivery }),
    next_action: nextAction(state),
    next_checkpoint: nextCheckpoint(state),
  };
}

/** What is known and what was seen of the person's file are one text unless an event says otherwise. */
function manifestAfter(
  { seen: before, ...manifest }: ProjectState["manifest"],
  event: ProjectEvent,
): ProjectState["manifest"] {
  const digest = event.manifest_digest ?? manifest.digest;
  const seen = event.manifest_seen ?? before ?? manifest.digest;
  return { ...manifest, digest, ...(seen === digest ? {} : { seen }) };
}

function whatIsLegal(status: ProjectStatus): string {
  const kinds: readonly EventKind[] = [...legalEvents(status)];
  return kinds.length === 0
    ? `${status} is final: nothing is legal now.`
    : `Legal now: ${kinds.join(", ")}.`;
}
