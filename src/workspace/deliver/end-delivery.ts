// How every delivery ends, whether it went well, was refused or was killed: it is complete when the branch is
// at the commit, and taken back when it is not. Order that matters on a crash: the index first, while it is
// locked; then the files; then the lock goes, and the intent last, which becomes the record of the workspace
// where it was carried out. Each may be repeated.
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { bootId, findProcess, thisMachine } from "../../process/process-table.ts";
import { readIfThere, removeDurably, syncFolder, writeDurably } from "../base/durable-file.ts";
import {
  findPersonRepository,
  isLooseAt,
  type PersonRepository,
  readRefs,
} from "../base/person-repository.ts";
import type { Place } from "../base/place.ts";
import type { WorkspaceRecord } from "../base/record.ts";
import { clearLeftLocks, isAncestor } from "../base/refs.ts";
import { removeTree } from "../base/remove-tree.ts";
import {
  dropCopy,
  type IndexLock,
  indexLock,
  installIndex,
  isIndexOurs,
  releaseIndex,
} from "./index-lock.ts";
import { giveSavedBack, type LaidFiles, stageOf, takeBack } from "./laid-files.ts";
import { inPlainWords, type Obstacle } from "./obstacle.ts";

/** Of a place, what the end needs. */
interface SettlePlace {
  readonly options: Pick<Place["options"], "home" | "project">;
  readonly notes: string[];
}

/** @returns whether the branch has it */
export async function settleDelivery(
  place: SettlePlace,
  person: PersonRepository,
  intent: DeliveryIntent,
): Promise<boolean> {
  const { home, project } = place.options;
  const stage = stageOf(person, project);
  const lock = indexLock(person, project);
  await clearLeftLocks(gitLocks(person, intent.branch), intent.madeAtMs);
  const isDelivered = await holds(person, intent);
  if (isDelivered) {
    if (isIndexOurs(lock)) installIndex(lock);
    else await followIndex(person, lock, intent);
    place.notes.push(...giveSavedBack(stage, intent.laid));
  } else place.notes.push(...takeBack(stage, intent.laid));
  releaseIndex(lock);
  removeTree(stage.folder);
  if (isDelivered) settleIntent(home, intent);
  else dropIntent(home);
  return isDelivered;
}

/** Somebody removed our lock and may have staged since: what they did not touch moves on. */
async function followIndex(
  { git }: PersonRepository,
  { copy }: IndexLock,
  { from, to }: DeliveryIntent,
): Promise<void> {
  if (existsSync(copy)) await git.run(["read-tree", "-m", from ?? emptyTreeLike(to), to]);
}

/** Locks that git takes to move the branch that is checked out. */
export function gitLocks({ folder }: PersonRepository, branch: string): string[] {
  return [join(folder.own, "HEAD.lock"), join(folder.common, `${branch}.lock`)];
}

/** Git has just written the ref, so it is a file of its own; if not, git is asked. */
async function holds(person: PersonRepository, { branch, to }: DeliveryIntent): Promise<boolean> {
  if (isLooseAt(person, branch, to)) return true;
  const now = (await readRefs(person, [branch])).get(branch)?.commit;
  return now !== undefined && (now === to || (await isAncestor(person, to, now)));
}

// Ends what a killed delivery left, as every delivery ends. All that lies around is ours as long as the
// intent says so.

const BUSY: Obstacle = {
  why: "another delivery into this checkout is under way",
  hint: (_, bring) => `Wait for it, then: ${bring}`,
};

/** @returns what to wait for; null when the way is free. */
export async function mendDelivery(
  place: SettlePlace,
  person: PersonRepository,
): Promise<Obstacle | null> {
  const intent = readIntent(place.options.home);
  if (intent === null) {
    dropPrepared(place, person);
    return null;
  }
  if (isBeingDelivered(intent) || !(await gitEnded(intent))) return BUSY;
  try {
    await settleDelivery(place, person, intent);
    return null;
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return inPlainWords(error.message);
  }
}

/** What was prepared by one that was killed before it touched anything. */
function dropPrepared({ options }: SettlePlace, person: PersonRepository): void {
  removeTree(stageOf(person, options.project).folder);
  dropCopy(indexLock(person, options.project));
}

// A delivery that a kill cut short, for commands that do not open the workspace: whether there is one, and its
// end. The checkout may hold files of it until then, so nobody reads the person's files before it is ended.

interface DeliveryPlace {
  /** Of the workspace. */
  readonly home: string;
  readonly project: string;
  readonly checkout: string;
}

interface Ended {
  /** What keeps it from being ended. */
  readonly obstacle: Obstacle | null;
  /** What the person is told of files that they saved meanwhile. */
  readonly notes: readonly string[];
}

export function isCutShort(home: string): boolean {
  const intent = readIntent(home);
  return intent !== null && !isBeingDelivered(intent);
}

export async function endCutShort({ home, project, checkout }: DeliveryPlace): Promise<Ended> {
  const person = isCutShort(home) ? findPersonRepository(checkout) : null;
  if (person === null) return { obstacle: null, notes: [] };
  const notes: string[] = [];
  const obstacle = await mendDelivery({ options: { home, project }, notes }, person);
  return { obstacle, notes };
}

// What a delivery is about to do, durable before it does anything, so that the next command can tell a
// killed one and complete it.

export interface DeliveryIntent {
  /** Of the person's branch; null where it has no commit yet. */
  readonly from: string | null;
  readonly to: string;
  readonly branch: string;
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  readonly madeAtMs: number;
  /** What is done with files: enough to take it back, and to tell what was saved meanwhile. */
  readonly laid: LaidFiles;
  /** Of the workspace, once this is carried out. Absent in one of an earlier Stint. */
  readonly record?: WorkspaceRecord;
}

const LOOK_MS = 50;
const LONGEST_MS = 60_000;

export function newIntent(
  what: Omit<DeliveryIntent, "pid" | "start" | "boot" | "madeAtMs">,
): DeliveryIntent {
  const start = findProcess(process.pid)?.start ?? "";
  return { ...what, pid: process.pid, start, boot: bootId(), madeAtMs: Date.now() };
}

export function writeIntent(home: string, intent: DeliveryIntent): void {
  writeDurably(join(home, "delivery.json"), JSON.stringify(intent));
}

/** One that is damaged was never complete, so nothing followed it. */
function readIntent(home: string): DeliveryIntent | null {
  const bytes = readIfThere(join(home, "delivery.json"));
  return bytes === null ? null : (JSON.parse(bytes.toString("utf8")) as DeliveryIntent);
}

/** It was taken back. */
function dropIntent(home: string): void {
  removeDurably(join(home, "delivery.json"));
}

/** It was carried out: it is the record from now on, in one act. */
function settleIntent(home: string, { record }: DeliveryIntent): void {
  if (record === undefined) return dropIntent(home);
  renameSync(join(home, "delivery.json"), join(home, "record.json"));
  syncFolder(home);
}

/** Whether another process is still at it. */
function isBeingDelivered({ pid, start, boot }: DeliveryIntent): boolean {
  if (pid === process.pid || boot !== bootId()) return false;
  const found = findProcess(pid);
  return found !== undefined && !found.zombie && found.start === start;
}

/** The git that a killed delivery started may outlive it by a moment, and move the branch. */
async function gitEnded(intent: DeliveryIntent): Promise<boolean> {
  if (intent.boot !== bootId()) return true;
  for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
    if (!isAtWork(intent.to)) return true;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
  }
  return false;
}

function isAtWork(commit: string): boolean {
  return thisMachine()
    .list()
    .some(({ pid, zombie }) => {
      if (zombie || pid === process.pid) return false;
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words[0]?.endsWith("git") === true && words.includes(commit);
      } catch {
        return false;
      }
    });
}
