// Moves the person's branch, index and files to a later commit. Order that matters on a crash: everything that
// may take long or fail comes first and touches nothing of the person's: the plan, then a copy of the index
// and the new files, which git makes in a folder beside them. Then the intent is durable, with the record of
// the workspace as it is afterwards; the index is locked, the files get their places, and the branch moves.
// The end is the same whatever happened: see settle-delivery.ts.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeliveryIntent } from "../../core/schema/workspace-record.ts";
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike, type EntryChange } from "../../git/diff-trees.ts";
import { type FileStat, withChangeTimes } from "../../git/index-file.ts";
import { readIfThere } from "../base/durable-file.ts";
import { gitAt } from "../base/own-git.ts";
import { asInCheckout } from "../base/own-repository.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import type { WithGit } from "../base/place.ts";
import { factsOf, looksOf, onDisk, toText } from "../base/raw-path.ts";
import { removeTree } from "../base/remove-tree.ts";
import { type DeliveryPlan, isFile, planDelivery } from "./delivery-plan.ts";
import { begin, gitLocks, settleDelivery } from "./end-delivery.ts";
import { dropCopy, type IndexLock, indexLock, takeIndex, workOnCopy } from "./index-lock.ts";
import { type LaidFiles, layFiles, NotLaid, prepared, type Stage, stageOf } from "./laid-files.ts";
import {
  INDEX_MOVES,
  inPlainWords,
  lockedBy,
  notWritten,
  type Obstacle,
  uncommittedIn,
} from "./obstacle.ts";
import { setIn } from "../tree/own-index.ts";

/** How often it begins anew because the person's git wrote the index meanwhile. */
const MOST_TRIES = 3;

export type Move = Pick<DeliveryIntent, "from" | "to" | "branch">;

/** @returns what was in the way; everything is as before then. */
export async function fastForward(
  place: WithGit,
  move: Move,
  changes: readonly EntryChange[],
): Promise<Obstacle | null> {
  try {
    let obstacle: Obstacle | null = null;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // oxlint-disable-next-line no-await-in-loop
      obstacle = await attempt(place, move, changes);
      if (obstacle !== INDEX_MOVES) break;
    }
    return obstacle;
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return inPlainWords(error.message);
  }
}

async function attempt(
  place: WithGit,
  move: Move,
  changes: readonly EntryChange[],
): Promise<Obstacle | null> {
  const { person } = place;
  const { home, project } = place.options;
  const lock = indexLock(person, project);
  const left = [lock.path, ...gitLocks(person, move.branch)].find((path) => existsSync(path));
  if (left !== undefined) return lockedBy(left);
  const plan = await planDelivery(place, changes);
  if (plan.obstacle !== null) return plan.obstacle;
  const stage = stageOf(person, project);
  const refused = await prepare(place, move, { plan, stage, lock, changes });
  if (refused !== null) {
    removeTree(stage.folder);
    dropCopy(lock);
    return refused;
  }
  // What was included is on the branch now: it says nothing of files any more.
  const record = { ...place.record, held: move.to, staged: [], included: [] };
  const intent = begin(home, { ...move, laid: laidBy(plan, stage, changes), record });
  const obstacle = await act(person, intent, { plan, stage, lock, changes });
  const isDelivered = await settleDelivery(place, person, intent);
  if (isDelivered) {
    place.record = record;
    place.isRecordAhead = false;
  }
  return isDelivered ? null : (obstacle ?? inPlainWords(""));
}

interface Means {
  readonly plan: DeliveryPlan;
  readonly stage: Stage;
  readonly lock: IndexLock;
  readonly changes: readonly EntryChange[];
}

/**
 * Git merges into a copy of the index, in a work tree that is empty: so it writes exactly the files that are
 * new there, as it would for this person, and leaves out what a sparse checkout leaves out.
 */
async function prepare(
  place: WithGit,
  { from, to }: Move,
  { plan, stage, lock, changes }: Means,
): Promise<Obstacle | null> {
  const { person } = place;
  removeTree(stage.folder);
  const workTree = join(stage.folder, "new");
  mkdirSync(workTree, { recursive: true, mode: 0o700 });
  workOnCopy(lock);
  // Git writes a file only where its entry moves; one that is kept has its new entry already.
  const staged = plan.staged.map(
    ({ path, before, after }) => [path, plan.replaced.has(path) ? before : after] as const,
  );
  await setIn(person.git, lock.copy, new Map(staged));
  const copied = looksOf(lock.copy);
  const git = gitAt(person.folder.own, workTree, "person");
  const words = ["read-tree", "-m", "-u", from ?? emptyTreeLike(to), to];
  const { code, stderr } = await git.run([...filtersOf(place), ...words], {
    env: { GIT_INDEX_FILE: lock.copy },
    accept: "any",
  });
  if (code !== 0) return inPlainWords(stderr);
  // An index that is written is another file.
  if (looksOf(lock.copy) === copied) return notWritten(lock.copy, "git left it as it was");
  const left = changes
    .filter(({ path, after }) => isFile(after) && (plan.replaced.get(path) ?? null) !== null)
    .find(({ path }) => looksOf(prepared(stage, path)) === null);
  return left === undefined ? null : notWritten(toText(left.path), "git left it out");
}

/** Filters that are named by a path in the checkout, which git looks for in the work tree. */
function filtersOf({ settings, person }: WithGit): string[] {
  return settings.flatMap((setting) => {
    const { key, value } = asInCheckout(setting, person.checkout);
    return value === setting.value ? [] : ["-c", `${key}=${value}`];
  });
}

/** What git left out of its work tree is none of the checkout's files. */
function laidBy(
  { replaced, folders }: DeliveryPlan,
  stage: Stage,
  changes: readonly EntryChange[],
): LaidFiles {
  const files = changes.flatMap((change) => {
    const { path } = change;
    const before = replaced.get(path);
    const after = isFile(change.after) ? looksOf(prepared(stage, path)) : null;
    return before === undefined || (before === null && after === null)
      ? []
      : [{ path, before, after }];
  });
  const needed = folders.filter((folder) =>
    files.some(({ path, after }) => after !== null && path.startsWith(`${folder}/`)),
  );
  return { files, folders: needed };
}

/** The index knows the files where they are now, so that nothing has to read them again. */
async function refresh(
  { checkout, git, idLength }: PersonRepository,
  { copy }: IndexLock,
  { files }: LaidFiles,
): Promise<void> {
  const stats = new Map(
    files
      .filter(({ after }) => after !== null)
      .map(({ path }) => [path, factsOf(onDisk(checkout, path))]),
  );
  const isThere = [...stats.values()].every((facts) => facts !== null);
  const index = isThere ? readIfThere(copy) : null;
  const known = index && withChangeTimes(index, idLength(), stats as ReadonlyMap<string, FileStat>);
  if (known !== null && isReplaced(copy, known)) return;
  const env = { GIT_INDEX_FILE: copy };
  await git.run(["update-index", "-q", "--refresh"], { env, accept: "any" });
}

/** Whole or not at all: where there is no room for it, it stays as it is. */
function isReplaced(path: string, content: Buffer): boolean {
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    renameSync(draft, path);
    return true;
  } catch {
    rmSync(draft, { force: true });
    return false;
  }
}

/** @returns what was in the way */
async function act(
  person: PersonRepository,
  { laid, from, to }: DeliveryIntent,
  { plan, stage, lock }: Means,
): Promise<Obstacle | null> {
  if (!takeIndex(lock)) return lockedBy(lock.path);
  if (looksOf(lock.index) !== plan.index) return INDEX_MOVES;
  try {
    layFiles(stage, laid);
    await refresh(person, lock, laid);
    const why = "stint deliver: Fast-forward";
    await person.git.run(["update-ref", "-m", why, "HEAD", to, from ?? "0".repeat(to.length)]);
    return null;
  } catch (error) {
    if (error instanceof StintError) return inPlainWords(error.message);
    if (!(error instanceof NotLaid)) throw error;
    return error.isSaved ? uncommittedIn([error.path]) : notWritten(error.path, error.message);
  }
}
