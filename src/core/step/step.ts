// The machine: a state and an event in; the next state, or a refusal, out.
// Pure: no clock, no files, no randomness, and the state that came in is never changed.
import type { EventKind, EventOf, ProjectEvent } from "../events.ts";
import type { Task } from "../schema/task.ts";
import { nextAction, nextCheckpoint } from "../words/state-words.ts";
import { findTask, noSuchTask, place, refuse, type Ruling } from "./ruling.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import { withSessionSpending } from "./budgets.ts";
import { RULES, legalEvents, targetsOf, type TaskOf } from "./rules.ts";

export type StepResult =
  | {
      readonly ok: true;
      readonly state: ProjectState;
      /** One line for the journal. */
      readonly summary: string;
    }
  | {
      readonly ok: false;
      /** Why not, in a sentence for people. */
      readonly reason: string;
      /** Which events are legal now, for the journal. */
      readonly legal: string;
    };

export function step(state: ProjectState, event: ProjectEvent): StepResult {
  const ruling = ruleOn(state, event);
  if (!ruling.ok) return { ok: false, reason: ruling.reason, legal: whatIsLegal(state.status) };
  const next = stamped(place(state, ruling), event);
  if (!targetsOf(event.kind, state.status).includes(next.status)) {
    throw new Error(`${state.status} → ${next.status} by ${event.kind} is not in the table`);
  }
  return { ok: true, state: next, summary: ruling.summary };
}

function ruleOn(state: ProjectState, event: ProjectEvent): Ruling {
  const { kind, by } = event;
  if (targetsOf(kind, state.status).length === 0) {
    return refuse(`That is not possible while the project is ${state.status}.`);
  }
  if (RULES[kind].person === true && by === state.owner_agent) {
    return refuse(`Only a person may decide that, not ${by}.`);
  }
  if (!("task_id" in event)) return decide(state, kind, event, undefined);
  const task = findTask(state, event.task_id);
  return task === undefined ? noSuchTask(event.task_id) : decide(state, kind, event, task);
}

/** The kind comes apart from its event, so that the compiler sees the rule get its own event. */
function decide<Kind extends EventKind>(
  state: ProjectState,
  kind: Kind,
  event: EventOf<Kind>,
  task: Task | undefined,
): Ruling {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is there where the event names one
  return RULES[kind].rule(state, event, task as TaskOf<Kind>);
}

/** What every step renews: what was spent, the texts of the manifest, where the work is, what comes next. */
function stamped(placed: ProjectState, event: ProjectEvent): ProjectState {
  const state = event.spent === undefined ? placed : withSessionSpending(placed, event.spent);
  return {
    ...state,
    manifest: manifestAfter(state.manifest, event),
    ...(event.delivery === undefined ? {} : { delivery: event.delivery }),
    ...(event.proof === undefined ? {} : { proof: event.proof }),
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
  const kinds = legalEvents(status);
  return kinds.length === 0
    ? `${status} is final: nothing is legal now.`
    : `Legal now: ${kinds.join(", ")}.`;
}
