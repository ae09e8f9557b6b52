// Verified commits reach the person's branch where the mode says so and nothing of theirs is in the way;
// elsewhere they wait on a branch of their own, and that is said. Tried after every commit, at the start and
// at the end of a run. Whoever calls this records what it returns.
import { isDeepStrictEqual } from "node:util";
import type { ProjectEvent } from "../../core/events.ts";
import type { Delivery } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { isBranchMoved } from "../../workspace/deliver/merge-refusal.ts";
import type { Held } from "../../workspace/workspace.ts";
import { answerTo } from "../people/ask-once.ts";
import { deliverySubject } from "./delivery-subject.ts";
import { type CommittedManifest, manifestIn } from "../manifest/manifest-in-tree.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import type { Texts } from "../manifest/seen-manifest.ts";
import { writeToPersonsFile } from "../manifest/set-boxes.ts";

export type DeliveringContext = Pick<
  RunContext,
  "space" | "holder" | "store" | "host" | "checkout" | "personsGit" | "rule" | "tell"
>;

export interface Delivered {
  readonly delivery: Delivery;
  /** What an event is to record: the person's file, and where the work is, where that is another place. */
  readonly texts: Texts & Pick<ProjectEvent, "delivery">;
}

/** `known` is the text of the manifest that Stint knows by then; `manifest` what is committed of it. */
export async function deliverWork(
  context: DeliveringContext,
  known: Sha256 = context.holder.state.manifest.digest,
  manifest?: CommittedManifest,
): Promise<Delivered> {
  const { space, checkout, personsGit } = context;
  if (space.kind === "in-place") return toRecord(context, await space.deliver(), {});
  const held = await whatHolds(context);
  if (held !== null) return await holdBack(context, held);
  const after =
    manifest === undefined ? await manifestIn(context, await space.tip()) : manifest.after;
  // A manifest that the person has edited keeps their words: the boxes are set in it, and it stays theirs.
  const isEdited =
    after !== null && personsGit.away() === null && !(await isUnedited(context, manifest));
  const written = isEdited ? writeToPersonsFile(context, known) : {};
  const { notes = [], ...delivery } = await space.deliver();
  for (const text of notes) context.tell({ kind: "notice", text });
  const text = checkout.readManifest();
  const isBrought = delivery.kind === "delivered" && after !== null && text === after;
  // What git brought there beside our changes was not taken into account yet: it stays a difference.
  const texts = isBrought ? { manifest_seen: known } : written;
  return toRecord(context, delivery, texts);
}

/** The work stays on its own branch, for a reason that its files do not show. */
export async function holdBack(context: DeliveringContext, held: Held): Promise<Delivered> {
  return toRecord(context, await context.space.deliver(held), {});
}

/** Why the work stays on its own branch although nothing is in the way; null where it does not. */
async function whatHolds(context: DeliveringContext): Promise<Held | null> {
  const { space, holder, rule } = context;
  const target = space.deliversTo();
  const choice = await rule.choose(target);
  const hint = `Bring it in: stint deliver ${holder.state.project_id}`;
  switch (choice.kind) {
    case "deliver":
      return null;
    case "wait":
      return { held_by: "choice", why: choice.why, hint };
    case "ask": {
      const answer = await answered(context);
      if (answer?.status === "granted") return null;
      if (answer?.status !== "denied") {
        const why = `deliver: ask is set, and you are asked before it goes to ${target}`;
        return { held_by: "question", why, hint };
      }
      return { held_by: "choice", why: `${answer.by} said no: ${answer.denial}`, hint };
    }
    default:
      return choice satisfies never;
  }
}

/** What a person said about exactly this; git is asked only where they said anything. */
async function answered(context: DeliveringContext): Promise<ReturnType<typeof answerTo>> {
  const { state } = context.holder;
  const isAnswered = state.approval_items.some(
    ({ kind, status }) => kind === "deliver" && (status === "granted" || status === "denied"),
  );
  const subject = isAnswered ? await deliverySubject(context) : null;
  return subject === null ? undefined : answerTo(state, "deliver", subject);
}

/** Whether the person's file is the one of the commit that they have checked out. */
async function isUnedited(
  { checkout, personsGit }: DeliveringContext,
  manifest: CommittedManifest | undefined,
): Promise<boolean> {
  if (manifest !== undefined && checkout.readManifest() === manifest.before) return true;
  return await personsGit.isManifestCommitted();
}

function toRecord(context: DeliveringContext, delivery: Delivery, texts: Texts): Delivered {
  const before = context.holder.state.delivery;
  if (isDeepStrictEqual(before, delivery)) return { delivery, texts };
  if (delivery.kind === "waiting") {
    // It follows the branch before anything else; where it cannot, that is asked.
    if (isBranchMoved(delivery.why)) return { delivery, texts: { ...texts, delivery } };
    const { branch, why, hint } = delivery;
    const text = `the work waits on ${branch}: ${why}. ${hint}`;
    context.holder.note({ ...fact(context), kind: "delivery-waits", summary: text });
    context.tell({ kind: "notice", text });
  } else if (before?.kind === "waiting" && delivery.kind === "delivered") {
    context.tell({ kind: "notice", text: `the work that waited is on ${delivery.branch} now` });
  }
  return { delivery, texts: { ...texts, delivery } };
}
