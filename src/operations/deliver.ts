// `deliver`: a person brings in what waits on its own branch, whatever the mode says. Order that matters on a
// crash: the branch that it goes to, the delivery (which keeps its own intent), where the work is by then, the
// push; each is repeated without harm, so whoever is interrupted says it again.
import type { Delivery } from "../core/schema/project.ts";
import type { DeliverView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { openApproval, withdrawAsked } from "../engine/base/fact.ts";
import { deliveryNow } from "../engine/space/delivery-now.ts";
import { isSpaceGone, readSpace, repositoryLoss } from "../engine/space/kept-space.ts";
import {
  ALWAYS_DELIVERS,
  type BranchDifference,
  branchDifference,
  commitOf,
  deliverAndRecord,
} from "../engine/finish/deliver.ts";
import { keepKnownCommits, verifiedCommits } from "../engine/base/kept-record.ts";
import { persist, saveEach } from "../engine/base/persist.ts";
import { personsGit, workBelongsTo } from "../engine/people/persons-git.ts";
import {
  branchToPush,
  isPushAllowed,
  pushFailedText,
  tellPushed,
  tellUnsent,
} from "../engine/finish/push.ts";
import { followAndDeliver, removeWhenOver } from "../engine/finish/retry-delivery.ts";
import type { RunContext } from "../engine/base/run-context.ts";
import { nextSteps } from "../report/next-steps.ts";
import type { Holder } from "../store/store.ts";
import { assertPerson, nowOf, type System } from "./system.ts";
import { type KeptLease, underLease } from "./run/lease.ts";
import { configToFollow, noticesTo, openContext, runSurroundings } from "./run/run-surroundings.ts";
import { resolveProject } from "./resolve-project.ts";
import { status } from "./status.ts";

export interface DeliverInput {
  readonly project?: string | undefined;
  /** A local branch that verified work goes to from now on; the one it belongs to without it. */
  readonly into?: string | undefined;
  readonly tell: (text: string) => void;
}

/** What was done, before the rest is asked of the state. */
type Done = Pick<DeliverView, "delivery" | "commits" | "files" | "push">;

export async function deliver(system: System, input: DeliverInput): Promise<DeliverView> {
  assertPerson(system, "bringing work into a branch");
  const id = await resolveProject(system, input.project);
  const first = `The run brings in what it may after each task. To do it now: stint pause ${id}; when the run has ended (stint status ${id}): stint deliver ${id}; then continue: stint resume ${id}`;
  const done = await underLease(system, id, first, (holder, kept) =>
    deliverHeld(system, input, holder, kept),
  );
  const view = await status(system, { project: id });
  const next = done.delivery?.kind === "waiting" ? [done.delivery.hint] : nextSteps(view, {});
  return { project_id: id, ...done, status: view.status, next };
}

async function deliverHeld(
  system: System,
  input: DeliverInput,
  holder: Holder,
  kept: KeptLease,
): Promise<Done> {
  const tell = noticesTo(input.tell);
  const lost = repositoryLoss(system.store, holder.entry);
  if (lost !== null) throw lost;
  const home = readSpace(system.store, holder.entry)?.home;
  if (home === undefined || isSpaceGone(system.store, holder.entry))
    return await withoutSpace(holder, input);
  const config = await configToFollow(system, { tell }, holder);
  const surroundings = runSurroundings(system, { resumes: true }, holder, config);
  if (surroundings.space.kind === "in-place") throw inPlace(holder);
  // What comes of it is the answer itself, and needs no news.
  const context = await openContext(
    system,
    { tell() {}, stopWanted: kept.stopWanted },
    { holder, config: { ...config, notify: undefined }, surroundings },
  );
  try {
    for (const text of await context.space.open()) input.tell(text);
    if (input.into !== undefined) await goInto(context, input.into);
    note(system, context);
    const git = personsGit(holder, system.store);
    const done = await bringIn({ ...context, rule: ALWAYS_DELIVERS, personsGit: git });
    if (done.delivery?.kind === "delivered") await removeWhenOver({ ...context, tell });
    return done;
  } finally {
    context.answers.close();
  }
}

async function goInto(context: RunContext, branch: string): Promise<void> {
  await context.space.deliverInto(branch);
  workBelongsTo(context.holder, context.store, branch);
}

/** Who wanted it, durable before anything moves. */
function note(system: System, { space, holder }: RunContext): void {
  const { user } = system;
  const target = space.deliversTo();
  const summary =
    target === null
      ? `${user} asked to bring the work in, and named no branch that it should go to`
      : `${user} brings the work into ${target}`;
  holder.note({ at: nowOf(system), by: user, kind: "deliver-wanted", summary });
}

async function bringIn(context: RunContext): Promise<Done> {
  const { holder, space } = context;
  const { root } = holder.entry;
  if (keepKnownCommits(context, []).length === 0) {
    return { delivery: null, commits: 0, files: 0, push: NOT_PUSHED };
  }
  const target = space.deliversTo();
  const before = target === null ? null : await commitOf(root, target);
  // What a session that was cut short left lies in the workspace: the next run collects it first.
  const mayFollow = holder.state.current_task_id === null && holder.state.status !== "Abandoned";
  const { value: delivery } = await saveEach(
    context,
    mayFollow ? followAndDeliver(context) : deliverAndRecord(context),
  );
  if (delivery.kind !== "delivered") return { delivery, commits: 0, files: 0, push: NOT_PUSHED };
  const settled = withdrawAsked(context, "deliver", "a person brought it in");
  if (settled !== null) persist(context, settled);
  const brought = await difference(root, before, delivery);
  const { view: push, asked } = await pushed(context, delivery);
  if (push.kind !== "failed") withdrawPush(context, asked);
  return { delivery, ...brought, push };
}

async function difference(
  root: string,
  before: string | null,
  { commit }: Extract<Delivery, { kind: "delivered" }>,
): Promise<BranchDifference> {
  return commit === null ? { commits: 0, files: 0 } : await branchDifference(root, before, commit);
}

const NOT_PUSHED = { kind: "none", text: null } as const;

/** What was asked about the branch where the work waited is settled with it. */
function withdrawPush(context: RunContext, asked: string | null): void {
  const open = openApproval(context.holder.state, "push");
  if (open === undefined || open.subject === asked) return;
  const settled = withdrawAsked(context, "push", "the work is delivered now");
  if (settled !== null) persist(context, settled);
}

interface Pushed {
  readonly view: DeliverView["push"];
  /** What a person would be asked about. */
  readonly asked: string | null;
}

/** By the rules of a run; there is nobody left to ask, so the person is told what to type. */
async function pushed(context: RunContext, delivery: Delivery): Promise<Pushed> {
  const none = { view: NOT_PUSHED, asked: null };
  const { state } = context.holder;
  const known = keepKnownCommits(context, []);
  const branch = branchToPush(delivery, context.space.deliversTo());
  if (known.length === 0 || branch === null) return none;
  const commit = await context.push.upTo(branch, verifiedCommits(state, known));
  if (commit === null) return none;
  if (state.current_task_id !== null && context.space.hasPushHook()) {
    const why = "your pre-push hook runs in the workspace, where a session left work";
    const text = `not pushed: ${why}. The next run collects that, and pushes`;
    return { view: { kind: "left", text }, asked: null };
  }
  const outcome = await context.push.push({ branch, commit, known }, isPushAllowed(state));
  switch (outcome.kind) {
    case "pushed":
      tellPushed(context, commit);
      tellUnsent(context, outcome.unsent ?? null);
      return { view: { kind: "pushed", text: `pushed ${commit.slice(0, 10)}` }, asked: null };
    case "ask": {
      const { subject: asked, why } = outcome;
      const [act = ""] = asked.split("\n");
      return { view: { kind: "left", text: `not pushed: ${why}. To push it: ${act}` }, asked };
    }
    case "failed": {
      // Where the project is blocked by it, what comes next says how to go on.
      const isNext = state.blockers.some(({ kind }) => kind === "push");
      const hint = isNext ? "" : `. ${outcome.hint}`;
      const text = `${pushFailedText(outcome)}${hint}`;
      return { view: { kind: "failed", text }, asked: null };
    }
    case "not-needed":
    case "refused":
      return none;
    default:
      return outcome satisfies never;
  }
}

/** Removed after Done and delivery, or never made. */
async function withoutSpace({ entry, state }: Holder, { into }: DeliverInput): Promise<Done> {
  const delivery = await deliveryNow(entry.root, state);
  if (delivery?.kind === "waiting" || into !== undefined) {
    const own = `stint/${entry.slug}`;
    throw new StintError(
      "refused",
      `${entry.project_id} no longer has a workspace, so Stint does not know where its work belongs`,
      `If ${own} still exists, merge it yourself: git merge ${own}`,
    );
  }
  // Whoever took it out may have meant it.
  if (delivery?.kind === "taken-out") throw new StintError("refused", delivery.why, delivery.hint);
  return { delivery, commits: 0, files: 0, push: NOT_PUSHED };
}

function inPlace({ entry }: Holder): StintError {
  return new StintError(
    "bad-input",
    `${entry.project_id} works in place: its work is already in ${entry.root}`,
    `See it: stint status ${entry.project_id}`,
  );
}
