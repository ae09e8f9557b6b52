// An answer of a person becomes an event, under the lease: by the run, or by the verb when no run is
// there. Each answer leaves exactly one line with its id in the journal, which is its receipt: found
// there, it is never carried out again. A request that no longer asks for what is there is closed.
import { judgeAnswer, type Letter } from "../../core/answers.ts";
import type { ApprovalRequest, ProjectEvent } from "../../core/events.ts";
import { msOf } from "../../core/instant.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { JournalEntry, ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { step } from "../../core/step/step.ts";
import { fact } from "../base/fact.ts";
import { persist, type Persisted } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { adoptEdit } from "./adopt-manifest.ts";
import { commandSubject, consentOf, isStartStillAsked, planSubject } from "./consent.ts";
import { knownText, type ManifestPorts, seenText, withBoxes } from "./manifest-texts.ts";
import { contentsAskedAbout, isAboutContent, isChanged } from "./output-subject.ts";
import { isOtherSettings } from "./own-settings.ts";
import { type LeftAlone as Refused, takeProposal } from "./proposals.ts";

export type Receipt =
  | { readonly outcome: "applied"; readonly text: string }
  /** The same answer had been given before. */
  | { readonly outcome: "given"; readonly text: string }
  | { readonly outcome: "refused"; readonly text: string; readonly hint: string };

export interface CarriedOut {
  readonly receipt: Receipt;
  /** The revision that it made, where it changed the state. */
  readonly persisted: Persisted | null;
}

const REFUSED = "answer-refused";
/** The journal's word for an answer that changed nothing. */
export const REPEATED = "answer-repeated";

export function carryOutAnswer(ports: ManifestPorts, letter: Letter): CarriedOut {
  const { holder, store } = ports;
  const known = receiptOf(store.journal(holder.state.project_id), letter.id);
  if (known !== undefined) return { receipt: known, persisted: null };
  const judged = judgeAnswer(holder.state, letter);
  switch (judged.kind) {
    case "given":
      return noted(ports, letter, { outcome: "given", text: judged.text });
    case "refused":
      return refusedFor(ports, letter, judged);
    case "file":
      return carryOutEdit(ports, letter);
    case "run":
      return refusedFor(ports, letter, {
        reason: "no run is live; the session that the state names has ended",
        hint: `Continue: stint resume ${holder.state.project_id}`,
      });
    case "event": {
      const refused = whyNot(ports, letter) ?? refusedByRule(ports, judged.event);
      return refused === null
        ? applied(ports, withBoxesOf(ports, judged.event))
        : refusedFor(ports, letter, refused);
    }
    default:
      return judged satisfies never;
  }
}

function carryOutEdit(ports: ManifestPorts, letter: Letter): CarriedOut {
  if (letter.answer.verb !== "edit") throw new Error(`${letter.answer.verb} is not an edit`);
  const outcome = adoptEdit(ports, letter.answer, letter);
  switch (outcome.kind) {
    case "unchanged":
      return noted(ports, letter, { outcome: "given", text: "nothing was edited" });
    case "refused":
      return refusedFor(ports, letter, outcome);
    case "event":
      return applied(ports, outcome.event);
    default:
      return outcome satisfies never;
  }
}

function applied(ports: ManifestPorts, event: ProjectEvent): CarriedOut {
  const persisted = persist(ports, event);
  return { receipt: { outcome: "applied", text: persisted.summary }, persisted };
}

function refusedFor(ports: ManifestPorts, letter: Letter, { reason, hint }: Refused): CarriedOut {
  return noted(ports, letter, { outcome: "refused", text: reason, hint });
}

/** What came of an answer, as the journal tells it; undefined when nothing has yet. */
export function receiptOf(lines: readonly JournalEntry[], id: Letter["id"]): Receipt | undefined {
  const line = lines.findLast(({ data }) => data?.["answer_id"] === id);
  if (line === undefined) return undefined;
  if (line.kind === REPEATED) return { outcome: "given", text: line.summary };
  if (line.kind !== REFUSED) return { outcome: "applied", text: line.summary };
  const hint = line.data?.["hint"];
  return { outcome: "refused", text: line.summary, hint: typeof hint === "string" ? hint : "" };
}

function noted(
  { holder }: ManifestPorts,
  { id, at, by, channel, answer }: Letter,
  receipt: Exclude<Receipt, { outcome: "applied" }>,
): CarriedOut {
  const hint = receipt.outcome === "refused" ? { hint: receipt.hint } : {};
  holder.note({
    at,
    by,
    kind: receipt.outcome === "refused" ? REFUSED : REPEATED,
    summary: receipt.text,
    data: { answer_id: id, verb: answer.verb, channel, ...hint },
  });
  return { receipt, persisted: null };
}

/** What the state alone cannot know: files that changed, texts that must be put in place first. */
function whyNot(ports: ManifestPorts, { answer }: Letter): Refused | null {
  const { state } = ports.holder;
  if (answer.verb === "approve-plan") return changedPlan(ports, answer.digest);
  if (answer.verb === "approve-gates") return changedGates(state, answer.gates);
  if (answer.verb !== "approve") return null;
  const item = state.approval_items.find(({ id }) => id === answer.item);
  if (item === undefined) return null;
  const stale = staleness(ports, item);
  if (stale !== null) return stale;
  if (item.kind === "plan") return changedPlan(ports, state.manifest.digest);
  return item.kind === "proposal" ? takeProposal(ports, item) : null;
}

function changedPlan(ports: ManifestPorts, digest: Sha256): Refused | null {
  const { holder, checkout } = ports;
  const { project_id, manifest } = holder.state;
  const isRead = checkout.readManifest() === seenText(ports);
  if (isRead && manifest.digest === digest) return null;
  return {
    reason: `the plan you approved is not the plan that is there: ${manifest.path} was changed since it was read`,
    hint: `Here is the new one: stint plan ${project_id}; then: stint approve plan ${project_id}`,
  };
}

/** Each start is still the one that was shown. */
function changedGates(
  { tasks, project_id }: ProjectState,
  gates: readonly ApprovalRequest[],
): Refused | null {
  const other = gates.find((gate) => {
    const task = tasks.find(({ id }) => id === gate.task_id);
    return task === undefined || !isStartStillAsked(task, gate);
  });
  if (other === undefined) return null;
  return {
    reason: `${other.task_id} is no longer what you were shown; nothing was approved`,
    hint: `Here is the new one: stint plan ${project_id}; then: stint approve gates ${project_id}`,
  };
}

/** A yes counts for what was shown, and for nothing else that is there by now. */
function staleness(ports: ManifestPorts, item: Approval): Refused | null {
  const { project_id } = ports.holder.state;
  if (!isStale(ports, item)) return null;
  return {
    reason: `the diff you approved is not the diff that is there: what ${item.id} is about changed since it was asked`,
    hint: `Here is the new one: stint diff ${item.id} ${project_id}; to check it again and be asked again: stint resume ${project_id}`,
  };
}

/** Whether what an item shows is no longer what is there, or no longer needs an answer. */
export function isStale(
  context: Pick<ManifestPorts, "store" | "checkout"> & {
    readonly holder: { readonly state: ProjectState };
  },
  item: Approval,
): boolean {
  const { store, checkout, holder } = context;
  const { state } = holder;
  if (isAboutContent(item)) return isChanged(contentsAskedAbout(context, item), item);
  const task = state.tasks.find(({ id }) => id === item.task_id);
  switch (item.kind) {
    case "plan":
      return item.subject !== planSubject(store, state);
    case "task-before":
    case "release":
      return task !== undefined && !isStartStillAsked(task, item);
    case "command":
      return (
        task !== undefined && item.subject !== commandSubject(consentOf(store, state).missing(task))
      );
    case "settings":
      return isOtherSettings(checkout, item);
    // About what a session said or measured: nothing that can be looked at again.
    case "task-after":
    case "proposal":
    case "destructive":
    case "limit":
    case "deliver":
    case "push":
      return false;
    default:
      return item.kind satisfies never;
  }
}

function refusedByRule({ holder }: ManifestPorts, event: ProjectEvent): Refused | null {
  const result = step(holder.state, event);
  if (result.ok) return null;
  return {
    reason: result.reason,
    hint: `See where it stands: stint status ${holder.state.project_id}`,
  };
}

/** A task that is to be done again has its box unchecked, in the file before in the state. */
function withBoxesOf(ports: ManifestPorts, event: ProjectEvent): ProjectEvent {
  const { holder, checkout } = ports;
  if (event.kind !== "reopened") return event;
  const { tasks } = holder.state;
  const unchecked = (text: string): string => withBoxes(text, tasks, event.task_ids, false);
  const digest = holder.keepManifest(unchecked(knownText(ports)));
  const disk = checkout.readManifest();
  if (disk !== undefined && unchecked(disk) !== disk) checkout.writeManifest(disk, unchecked(disk));
  const manifest_seen = holder.keepManifest(unchecked(seenText(ports)));
  return { ...event, manifest_digest: digest, manifest_seen };
}

/** A request that was waited for long enough, or no longer asks for what is there: then it is asked anew. */
export function voidApproval(context: RunContext): ProjectEvent | null {
  const { approval_items, current_task_id } = context.holder.state;
  if (current_task_id !== null) return null;
  const { at, by } = fact(context);
  const open = approval_items.filter(({ status }) => status === "open");
  const expired = open.find(
    ({ expires_at }) => expires_at !== undefined && msOf(expires_at) <= msOf(at),
  );
  if (expired !== undefined) return { kind: "approval-expired", at, by, approval_id: expired.id };
  const outdated = open.find((item) => isStale(context, item));
  if (outdated === undefined) return null;
  const reason = "what it was about changed since it was asked";
  return { kind: "approval-outdated", ...fact(context), approval_id: outdated.id, reason };
}
