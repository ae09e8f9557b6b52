// Verified commits reach the person's branch where the mode says so and nothing of theirs is in the way;
// elsewhere they wait on a branch of their own, and that is said. Tried after every commit, at the start and
// at the end of a run. With `deliver: ask` exactly what was shown is delivered.
import { isDeepStrictEqual } from "node:util";
import type { ProjectEvent } from "../../core/events.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { Delivery } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import {
  chooseDelivery,
  deliverCommand,
  type DeliverMode,
  type DeliveryChoice,
} from "../../core/written/delivery-choice.ts";
import { targetFacts } from "../../git/refs.ts";
import { gitLines, runGit } from "../../git/run-git.ts";
import { isBranchMoved } from "../../workspace/deliver/obstacle.ts";
import type { Held } from "../../workspace/workspace.ts";
import { answerTo, askOnce, fact, withdrawAsked } from "../base/fact.ts";
import type { Steps } from "../base/persist.ts";
import type { DeliveryRule, RunContext } from "../base/run-context.ts";
import { keepPersonsLogs } from "./resolve-tasks.ts";
import {
  type CommittedManifest,
  manifestIn,
  type Texts,
  writeToPersonsFile,
} from "../people/manifest-texts.ts";

/** A person wants it in, whatever the mode says. */
export const ALWAYS_DELIVERS: DeliveryRule = async () => ({ kind: "deliver" });

/** Decided once for each branch that work may go to, so that a run does what it said in its first lines. */
export function deliveryRule(root: string, mode: DeliverMode): DeliveryRule {
  const chosen = new Map<string | null, DeliveryChoice>();
  return async (target) => {
    const known = chosen.get(target);
    if (known !== undefined) return known;
    const facts =
      target === null || mode !== "auto"
        ? { branch: target, upstreamRemote: null, remoteDefaults: new Map<string, string>() }
        : await targetFacts(root, target);
    const choice = chooseDelivery(mode, facts);
    chosen.set(target, choice);
    return choice;
  };
}

export interface Delivered {
  readonly delivery: Delivery;
  /** What an event is to record: the person's file, and where the work is, where that is another place. */
  readonly texts: Texts & Pick<ProjectEvent, "delivery">;
}

/** `known` is the text of the manifest that Stint knows by then; `manifest` what is committed of it. */
export async function deliverWork(
  context: RunContext,
  known: Sha256 = context.holder.state.manifest.digest,
  manifest?: CommittedManifest,
): Promise<Delivered> {
  const { space, checkout, personsGit } = context;
  if (space.kind === "in-place") return toRecord(context, await space.deliver(), {});
  const held = await whatHolds(context);
  if (held !== null) return await holdBack(context, held);
  const after =
    manifest === undefined ? await manifestIn(context, await space.tip()) : manifest.after;
  const isUnedited = async (): Promise<boolean> =>
    (manifest !== undefined && checkout.readManifest() === manifest.before) ||
    (await personsGit.isManifestCommitted());
  // A manifest that the person has edited keeps their words: the boxes are set in it, and it stays theirs.
  const isEdited = after !== null && personsGit.away() === null && !(await isUnedited());
  const written = isEdited ? writeToPersonsFile(context, known) : {};
  await keepPersonsLogs(context);
  const { notes = [], ...delivery } = await space.deliver();
  for (const text of notes) context.tell({ kind: "notice", text });
  const text = checkout.readManifest();
  const isBrought = delivery.kind === "delivered" && after !== null && text === after;
  // What git brought there beside our changes was not taken into account yet: it stays a difference.
  const texts = isBrought ? { manifest_seen: known } : written;
  return toRecord(context, delivery, texts);
}

/** The work stays on its own branch, for a reason that its files do not show. */
async function holdBack(context: RunContext, held: Held): Promise<Delivered> {
  return toRecord(context, await context.space.deliver(held), {}, await isForetold(context, held));
}

/** The first lines of the run said so (`whereWorkWillBe`), and its last ones will: not once more in between. */
async function isForetold({ rule, space }: RunContext, held: Held): Promise<boolean> {
  const choice = await rule(space.deliversTo());
  return held.held_by === "question" || (choice.kind === "wait" && choice.why === held.why);
}

function toRecord(
  context: RunContext,
  delivery: Delivery,
  texts: Texts,
  isTold = false,
): Delivered {
  const before = context.holder.state.delivery;
  if (isDeepStrictEqual(before, delivery)) return { delivery, texts };
  // Where the branch moved, it follows that before anything else; where it cannot, that is asked.
  if (delivery.kind === "waiting" && !isBranchMoved(delivery.why)) {
    const { branch, why, hint } = delivery;
    const text = `the work waits on ${branch}: ${why}. ${hint}`;
    context.holder.note({ ...fact(context), kind: "delivery-waits", summary: text });
    if (!isTold) context.tell({ kind: "notice", text });
  } else if (
    before?.kind === "waiting" &&
    delivery.kind === "delivered" &&
    !isBranchMoved(before.why)
  ) {
    context.tell({ kind: "notice", text: `the work that waited is on ${delivery.branch} now` });
  }
  return { delivery, texts: { ...texts, delivery } };
}

/** Brings the work in where that can be done, and says where it is. */
export async function* deliverAndRecord(
  context: RunContext,
  inTheWay: Held | null = null,
): Steps<Delivery> {
  const delivered =
    inTheWay === null ? await deliverWork(context) : await holdBack(context, inTheWay);
  const event = recorded(context, delivered);
  // What is abandoned stays as it was left; where its work is can be seen in the repository.
  if (event !== null && context.holder.state.status !== "Abandoned") yield { event };
  return delivered.delivery;
}

/** Null where the work is where it was. */
function recorded(context: RunContext, { texts, delivery }: Delivered): ProjectEvent | null {
  if (texts.delivery === undefined) return null;
  return { kind: "delivery-recorded", ...fact(context), ...texts, delivery };
}

/** Why the work stays on its own branch although nothing is in the way; null where it does not. */
async function whatHolds(context: RunContext): Promise<Held | null> {
  const { space, holder, rule } = context;
  const target = space.deliversTo();
  const choice = await rule(target);
  const hint = `Bring it in: ${deliverCommand({ target, project: holder.state.project_id })}`;
  switch (choice.kind) {
    case "deliver":
      return null;
    case "wait":
      return { held_by: "choice", why: choice.why, hint };
    case "ask": {
      const answer = await answered(context);
      if (answer?.status === "granted") return null;
      if (answer?.status !== "denied") {
        const why = `deliver: ask is set: you are asked before it goes to ${target}`;
        return { held_by: "question", why, hint };
      }
      return { held_by: "choice", why: `${answer.by} said no: ${answer.denial}`, hint };
    }
    default:
      return choice satisfies never;
  }
}

/** What a person said about exactly this; git is asked only where they said anything. */
async function answered(context: RunContext): Promise<Approval | undefined> {
  const { state } = context.holder;
  const isAnswered = state.approval_items.some(
    ({ kind, status }) => kind === "deliver" && (status === "granted" || status === "denied"),
  );
  const subject = isAnswered ? await deliverySubject(context) : null;
  return subject === null ? undefined : answerTo(state, "deliver", subject);
}

/** What a person is to be asked, or where the work is by their answer; null where there is nothing new. */
export async function settleDelivery(context: RunContext): Promise<ProjectEvent | null> {
  const { holder, space, rule } = context;
  const { state } = holder;
  const target = space.deliversTo();
  const isAskedAbout =
    space.kind === "own-copy" &&
    (await rule(target)).kind === "ask" &&
    state.delivery?.kind === "waiting";
  const subject = isAskedAbout ? await deliverySubject(context) : null;
  if (subject === null) {
    return withdrawAsked(context, "deliver", "there is nothing left to deliver");
  }
  const answer = answerTo(state, "deliver", subject);
  if (answer?.status === "granted" || answer?.status === "denied") {
    return recorded(context, await deliverWork(context));
  }
  return askOnce(context, {
    kind: "deliver",
    subject,
    reason: `verified work is not in ${target} yet: deliver: ask is set`,
    on_yes: `exactly this is brought into ${target}`,
    on_no: `it stays on stint/${holder.entry.slug}`,
  });
}

/** Commits that a question names one by one. */
const MOST_SHOWN = 50;

/** What exactly a person says yes to. Null where there is nothing to bring, or no branch to bring it to. */
async function deliverySubject({ space, holder }: RunContext): Promise<string | null> {
  const { root, slug } = holder.entry;
  const target = space.deliversTo();
  const { commit } = await space.tip();
  if (target === null || commit === null) return null;
  const from = await commitOf(root, target);
  const how = ["--no-show-signature", "--format=%H %s"];
  const lines = await gitLines(root, ["log", ...how, ...since(from, commit)]);
  if (lines.length === 0) return null;
  const more = lines.length - MOST_SHOWN;
  return [
    `deliver stint/${slug} into ${target}`,
    `from ${from ?? "no commit"} to ${commit}`,
    ...lines.slice(0, MOST_SHOWN).map((line) => line.replace(/^(.{10})\S*/, "$1")),
    ...(more > 0 ? [`and ${more} before them`] : []),
  ].join("\n");
}

/** As git takes it; null is a branch that had no commit. */
function since(before: string | null, after: string): string[] {
  return before === null ? [after] : [after, "--not", before];
}

/** Of a local branch, without refs/heads/; null where it has none. */
export async function commitOf(root: string, branch: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`];
  const { code, stdout } = await runGit(root, args, { accept: "any" });
  return code === 0 ? stdout.trim() : null;
}

/** How far a branch moved, as a person counts it. */
export interface BranchDifference {
  readonly commits: number;
  readonly files: number;
}

export async function branchDifference(
  root: string,
  before: string | null,
  after: string,
): Promise<BranchDifference> {
  const commits = await gitLines(root, ["rev-list", ...since(before, after)]);
  if (commits.length === 0) return { commits: 0, files: 0 };
  const args =
    before === null
      ? ["ls-tree", "-r", "--name-only", after]
      : ["diff-tree", "-r", "--no-renames", "--name-only", before, after];
  return { commits: commits.length, files: (await gitLines(root, args)).length };
}
