// What a delivery is about to do, durable before it does anything, and how every delivery ends, whether it went
// well, was refused or was killed: it is complete when the branch is at the commit, and taken back when it is
// not. Order that matters on a crash: the index first, while it is locked; then the files; then the lock goes,
// and the intent last, which becomes the record of the workspace where it was carried out. Each may be repeated.
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { deliveryIntent, type DeliveryIntent } from "../../core/schema/workspace-record.ts";
import { StintError } from "../../core/stint-error.ts";
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { bootId, findProcess, thisMachine } from "../../process/process-table.ts";
import { readKept, removeDurably, syncFolder, writeDurably } from "../base/durable-file.ts";
import { runWriting } from "../base/own-git.ts";
import {
  findPersonRepository,
  isLooseAt,
  type PersonRepository,
  readRefs,
} from "../base/person-repository.ts";
import type { Place } from "../base/place.ts";
import { clearLeftLocks, isAncestor } from "../base/refs.ts";
import { removeTree } from "../base/remove-tree.ts";
import { dropCopy, indexLock, installIndex, isIndexOurs, releaseIndex } from "./index-lock.ts";
import { giveSavedBack, stageOf, takeBack } from "./laid-files.ts";
import { inPlainWords, type Obstacle } from "./obstacle.ts";

/** Of a place, what the end needs. */
interface SettlePlace {
  readonly options: Pick<Place["options"], "home" | "project">;
  readonly notes: string[];
}

const BUSY: Obstacle = {
  why: "another delivery into this checkout is in progress",
  hint: (_, bring) => `Wait for it, then: ${bring}`,
};

/** Durable when it returns: what lies around from now on is known as ours. */
export function begin(
  home: string,
  what: Omit<DeliveryIntent, "pid" | "start" | "boot" | "madeAtMs">,
): DeliveryIntent {
  const start = findProcess(process.pid)?.start ?? "";
  const intent = { ...what, pid: process.pid, start, boot: bootId(), madeAtMs: Date.now() };
  writeDurably(intentFile(home), JSON.stringify(intent));
  return intent;
}

/** Ends what a killed delivery left, as every delivery ends. @returns what to wait for */
export async function mendDelivery(
  place: SettlePlace,
  person: PersonRepository,
): Promise<Obstacle | null> {
  const { home, project } = place.options;
  const intent = readIntent(home);
  if (intent === null) {
    // What was prepared by one that was killed before it touched anything.
    removeTree(stageOf(person, project).folder);
    dropCopy(indexLock(person, project));
    return null;
  }
  if (isBeingDelivered(intent) || !(await hasGitEnded(intent))) return BUSY;
  try {
    await settleDelivery(place, person, intent);
    return null;
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return inPlainWords(error.message);
  }
}

/**
 * A delivery that a kill cut short, for commands that do not open the workspace. The checkout may hold files of
 * it until it is ended, so nobody reads the person's files before.
 */
export function isCutShort(home: string): boolean {
  const intent = readIntent(home);
  return intent !== null && !isBeingDelivered(intent);
}

interface CutShort {
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

export async function endCutShort({ home, project, checkout }: CutShort): Promise<Ended> {
  const person = isCutShort(home) ? findPersonRepository(checkout) : null;
  if (person === null) return { obstacle: null, notes: [] };
  const notes: string[] = [];
  const obstacle = await mendDelivery({ options: { home, project }, notes }, person);
  return { obstacle, notes };
}

/** @returns whether the branch has it */
export async function settleDelivery(
  place: SettlePlace,
  person: PersonRepository,
  intent: DeliveryIntent,
): Promise<boolean> {
  const { home, project } = place.options;
  const { from, to, branch, laid, madeAtMs } = intent;
  const stage = stageOf(person, project);
  const lock = indexLock(person, project);
  await clearLeftLocks(gitLocks(person, branch), madeAtMs);
  const isDelivered = await holds(person, intent);
  if (isDelivered) {
    if (isIndexOurs(lock)) installIndex(lock);
    // Somebody removed our lock and may have staged since: what they did not touch moves on.
    else if (existsSync(lock.copy)) {
      const args = ["read-tree", "-m", from ?? emptyTreeLike(to), to];
      await runWriting(person.git, person.folder.index, args);
    }
  }
  place.notes.push(...(isDelivered ? giveSavedBack(stage, laid) : takeBack(stage, laid)));
  releaseIndex(lock);
  removeTree(stage.folder);
  if (isDelivered && intent.record !== undefined) {
    // It is the record from now on, in one act.
    renameSync(intentFile(home), join(home, "record.json"));
    syncFolder(home);
  } else removeDurably(intentFile(home));
  return isDelivered;
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

function intentFile(home: string): string {
  return join(home, "delivery.json");
}

function readIntent(home: string): DeliveryIntent | null {
  const path = intentFile(home);
  return readKept(
    path,
    deliveryIntent,
    `A delivery was interrupted, and what it did is not known: look at your checkout (git status), then: rm '${path}'`,
  );
}

/** Whether another process is still at it. */
function isBeingDelivered({ pid, start, boot }: DeliveryIntent): boolean {
  if (pid === process.pid || boot !== bootId()) return false;
  const found = findProcess(pid);
  return found !== undefined && !found.zombie && found.start === start;
}

const LOOK_MS = 50;
const LONGEST_MS = 60_000;

/** The git that a killed delivery started may outlive it by a moment, and move the branch. */
async function hasGitEnded(intent: DeliveryIntent): Promise<boolean> {
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
