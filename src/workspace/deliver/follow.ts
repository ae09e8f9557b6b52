// The person's branch was moved on or rewritten, and does not hold all verified work: the work goes where the
// branch is now. Order that matters on a crash: the new commits are made in Stint's own repository and their
// checks run; the caller keeps what moves where; the record says that refs are moving; objects and refs move;
// the record says that they did. Killed before the record, nothing has moved; killed after it, opening the
// workspace moves the rest.
import { branchName } from "../../git/refs.ts";
import { operationInProgress } from "../../git/work-tree.ts";
import { isLooseAt, type PersonRepository, type RefValue } from "../base/person-repository.ts";
import type { Place, WithGit } from "../base/place.ts";
import { catchUp, note } from "../base/record.ts";
import { isAncestor, ownRefs } from "../base/refs.ts";
import { type Look, lookAtRefs, moveOn, refIn, roomForBranch } from "../commit/tip.ts";
import { CannotSign, commitTree } from "../commit/write-commit.ts";
import { readHistory, type WorkCommit } from "./branch-history.ts";
import { deleted } from "./obstacle.ts";
import { renamedTo } from "./persons-branches.ts";
import { type ConflictFound, replay, type Replayed } from "./replay.ts";
import type {
  Failing,
  Followed,
  FollowWish,
  HeldBack,
  Move,
  MovedCommit,
  NamedCommit,
} from "../workspace.ts";

const NOTHING: Followed = { kind: "nothing" };
const MOST_NAMED = 5;

export async function follow(place: WithGit, wish: FollowWish): Promise<Followed> {
  const { person } = place;
  const { branch, held, tip: known } = place.record;
  if (branch === null) return NOTHING;
  // Asked before every session: a branch that lies where it was needs no git to say so.
  const isAt = (commit: string | null): boolean =>
    commit !== null && isLooseAt(person, branch, commit);
  if (isAt(held) || isAt(known)) return NOTHING;
  if (isAt(wish.asked)) return { kind: "asked" };
  const look = await lookAtRefs(place);
  const theirs = await refIn(place, look, branch);
  const { tip } = look;
  if (tip === null) return NOTHING;
  if (operationInProgress(person.folder) !== null) return { kind: "busy" };
  if (theirs?.commit === wish.asked) return { kind: "asked" };
  if (theirs === undefined) return await withoutBranch(place, branch);
  if (await isAncestor(person, tip.commit, theirs.commit)) return NOTHING;
  if (await isForward(place, person, theirs.commit, tip.commit)) return NOTHING;
  try {
    return await bringTogether(place, wish, { look, tip, theirs });
  } catch (error) {
    if (!(error instanceof CannotSign)) throw error;
    return { kind: "waiting", why: error.message, hint: error.hint };
  }
}

/** Under another name, or deleted; one that never had a commit is still to be made. */
async function withoutBranch(place: WithGit, branch: string): Promise<Followed> {
  const { person } = place;
  const { record, options } = place;
  if (record.held === null) return NOTHING;
  const to = await renamedTo(person, branch, record.held);
  if (to !== null) return { kind: "renamed", from: branchName(branch), to: branchName(to) };
  const { why, hint } = deleted(branch);
  return { kind: "waiting", why, hint: hint(options.slug, `stint deliver ${options.project}`) };
}

/** The work stands on all that the branch has, and the branch has lost nothing. */
async function isForward(
  { record: { held } }: Place,
  person: PersonRepository,
  theirs: string,
  tip: string,
): Promise<boolean> {
  if (!(await isAncestor(person, theirs, tip))) return false;
  return held === null || (await isAncestor(person, held, theirs));
}

interface Sides {
  readonly look: Look;
  readonly tip: RefValue;
  readonly theirs: RefValue;
}

async function bringTogether(
  place: WithGit,
  wish: FollowWish,
  { look, tip, theirs }: Sides,
): Promise<Followed> {
  const { person } = place;
  const ends = { tip: tip.commit, theirs: theirs.commit, held: place.record.held };
  const { undelivered, removed, found } = await readHistory(place, ends);
  const named = async (held: Held): Promise<HeldBack> => await heldBack(place, ends, held);
  if (removed.length > 0 && wish.removed === "ask") {
    const held = await Promise.all(removed.map(async (commit) => await named(takenOut(commit))));
    return { kind: "removed", onto: theirs.commit, held };
  }
  const isBack = wish.removed === "bring";
  if (isBack && (await isAncestor(person, theirs.commit, tip.commit))) {
    // Delivery moves the branch forward to it.
    catchUp(place, { held: theirs.commit });
    return NOTHING;
  }
  const wanted = isBack ? [...removed, ...undelivered] : undelivered;
  const isMerged = await mustMerge(person, wanted);
  const steps = isMerged ? asOneChange(wanted) : wanted;
  const taken = found.map(([{ id, tasks }, now]): MovedCommit => {
    return { old: id, now, tasks, how: "found", isSame: true };
  });
  const left = isBack ? [] : removed.map(takenOut);
  for (;;) {
    const out = new Set(left.map(({ commit }) => commit.id));
    const rest = steps.filter(({ id }) => !out.has(id));
    // oxlint-disable-next-line no-await-in-loop
    const replayed = await replay(place, theirs, rest, wish.settle);
    const conflicts = replayed.conflicts.map(inConflict);
    if (conflicts.length > 0 && wish.conflicts === "ask") {
      // oxlint-disable-next-line no-await-in-loop
      return {
        kind: "conflict",
        onto: theirs.commit,
        held: await Promise.all(conflicts.map(named)),
      };
    }
    // oxlint-disable-next-line no-await-in-loop
    const goes = await endOf(place, { tip, theirs }, replayed, isMerged);
    const move: Move = {
      ...goes,
      from: { commit: tip.commit, tree: tip.tree },
      onto: theirs.commit,
      commits: [...taken, ...goes.commits],
      // oxlint-disable-next-line no-await-in-loop
      left: await Promise.all([...left, ...conflicts].map(named)),
    };
    // oxlint-disable-next-line no-await-in-loop
    const broken = brokenOf(rest, await wish.verify(move));
    // oxlint-disable-next-line no-await-in-loop
    if (broken.length === 0) return await carryOut(place, look, wish, move);
    // What is left out may be what another one needs.
    left.push(...broken);
  }
}

interface Held extends Pick<HeldBack, "why" | "failure" | "paths"> {
  readonly commit: WorkCommit;
}

function takenOut(commit: WorkCommit): Held {
  return { commit, why: "removed", failure: "", paths: [] };
}

function brokenOf(commits: readonly WorkCommit[], failing: readonly Failing[]): Held[] {
  return commits.flatMap((commit) => {
    const failure = failing.find(({ old }) => old === commit.id)?.failure;
    return failure === undefined ? [] : [{ ...takenOut(commit), why: "failing", failure }];
  });
}

function inConflict({ commit, paths }: ConflictFound): Held {
  return { commit, why: "conflict", failure: "", paths };
}

/** What others may have fetched is never made anew; what a merge holds cannot be told apart from it. */
async function mustMerge(
  { git }: PersonRepository,
  commits: readonly WorkCommit[],
): Promise<boolean> {
  const [oldest] = commits;
  if (oldest === undefined) return false;
  if (commits.some(({ parents }) => parents.length > 1)) return true;
  const args = ["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${oldest.id}`];
  return (await git.run([...args, "refs/remotes/"])).stdout.trim() !== "";
}

/** A merge among them has no change of its own: all of it is one. */
function asOneChange(commits: readonly WorkCommit[]): readonly WorkCommit[] {
  const [first] = commits;
  const last = commits.at(-1);
  if (first === undefined || last === undefined) return commits;
  if (commits.every(({ parents }) => parents.length < 2)) return commits;
  const tasks = [...new Set(commits.flatMap((commit) => commit.tasks))];
  return [{ ...last, base: first.base, tasks }];
}

/** Where the tip goes: the last replayed commit, the branch itself, or a merge of both. */
async function endOf(
  place: Place,
  { tip, theirs }: Pick<Sides, "tip" | "theirs">,
  { commit, tree, commits }: Replayed,
  isMerged: boolean,
): Promise<Pick<Move, "how" | "to" | "commits">> {
  if (commit === theirs.commit) return { how: "found", to: { commit, tree }, commits };
  if (!isMerged) return { how: "replayed", to: { commit, tree }, commits };
  const merge = await writeMerge(place, tree, [theirs.commit, tip.commit]);
  const kept = commits.map((each) => ({ ...each, now: each.old, how: "kept" as const }));
  return { how: "merged", to: { commit: merge, tree }, commits: kept };
}

async function writeMerge(
  place: Place,
  tree: string,
  [theirs, tip]: readonly [string, string],
): Promise<string> {
  const into = branchName(place.record.branch ?? "");
  const message = `Merge branch 'stint/${place.options.slug}' into ${into}`;
  const words = ["-p", theirs, "-p", tip, "-m", message, tree];
  return await commitTree(place, words);
}

async function carryOut(
  place: WithGit,
  look: Look,
  wish: FollowWish,
  move: Move,
): Promise<Followed> {
  const own = branchName(ownRefs(place.options).branch);
  if ((await roomForBranch(place, look)) === null) {
    return {
      kind: "waiting",
      why: `${own} is checked out, so it stays where it is`,
      hint: `Check out another branch there; then the work of ${own} follows yours`,
    };
  }
  const { from, to, onto } = move;
  wish.keep(move);
  note(place, { moving: { from: from.commit, to: to.commit, onto } });
  await moveOn(place);
  place.tip = { commit: to.commit, tree: to.tree };
  return { kind: "moved", move };
}

async function heldBack(
  place: Place,
  { tip, theirs }: { readonly tip: string; readonly theirs: string },
  { commit, why, failure, paths }: Held,
): Promise<HeldBack> {
  const { id, subject, tasks, tree, base } = commit;
  const by = paths.length === 0 ? [] : await commitsAt(place, [theirs, `^${tip}`], paths);
  return { id, subject, tasks, tree, base, why, failure, paths, theirs: by };
}

async function commitsAt(
  { git }: Place,
  range: readonly string[],
  paths: readonly string[],
): Promise<NamedCommit[]> {
  const format = ["--format=%H %s", `--max-count=${MOST_NAMED}`];
  const args = ["--literal-pathspecs", "log", ...format, ...range, "--", ...paths];
  const { stdout } = await git.run(args);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({
      id: line.slice(0, line.indexOf(" ")),
      subject: line.slice(line.indexOf(" ") + 1),
    }));
}
