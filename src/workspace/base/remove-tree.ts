// Removes whatever a session left: folders without permissions, names that are not UTF-8, any depth, links,
// which are never followed. Only for paths inside a folder of Stint's own, or that git named in the person's.
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StintError } from "../../core/stint-error.ts";
import { factsOf, foldersAbove, isReallyInside, onDisk, type RawPath } from "./raw-path.ts";
import { lookAt } from "../../process/look-at.ts";

const OWN_FOLDER = 0o700;
/** Longer ones come close to what the system takes: what lies there is moved up before it is entered. */
const LONG_PATH = 2_000;
const TOLD = 3;

/** @throws state-unwritable with what is left; everything else is removed then */
export function removeTree(path: string | Buffer): void {
  for (const _ of removing(path));
}

/** The same, one entry at a time, for whoever has to let others have a turn meanwhile. */
function* removing(path: string | Buffer): Generator<void> {
  const facts = factsOf(path);
  if (facts !== null) yield* new Removal(Buffer.from(path), facts.dev).run();
}

interface Open {
  readonly path: Buffer;
  isEmptied: boolean;
}

class Removal {
  readonly #top: Buffer;
  readonly #device: bigint;
  /** The folders that are being emptied, the innermost last. */
  readonly #open: Open[] = [];
  readonly #left: string[] = [];

  constructor(top: Buffer, device: bigint) {
    this.#top = top;
    this.#device = device;
  }

  *run(): Generator<void> {
    this.#remove(this.#top);
    for (let folder = this.#open.at(-1); folder !== undefined; folder = this.#open.at(-1)) {
      const { path } = folder;
      if (folder.isEmptied) {
        this.#open.pop();
        this.#attempt(path, () => rmdirSync(path));
      } else {
        folder.isEmptied = true;
        yield* this.#empty(path);
      }
    }
    if (this.#left.length > 0) throw notRemoved(this.#top.toString(), this.#left);
  }

  *#empty(folder: Buffer): Generator<void> {
    let names: Buffer[] = [];
    this.#attempt(folder, () => {
      names = readdirSync(folder, { encoding: "buffer" });
    });
    for (const name of names) {
      this.#remove(inside(folder, name));
      yield;
    }
  }

  /** Removes all but a folder, which is opened to be emptied. */
  #remove(path: Buffer): void {
    this.#attempt(path, () => {
      const facts = lstatSync(path, { bigint: true });
      if (!facts.isDirectory()) return unlinkSync(path);
      if (facts.dev !== this.#device) throw Object.assign(new Error(), { code: "EXDEV" });
      // Never of a file: its permissions may be those of a file elsewhere, by another name of it.
      if ((Number(facts.mode) & OWN_FOLDER) !== OWN_FOLDER) chmodSync(path, OWN_FOLDER);
      this.#open.push({ path: this.#withinReach(path), isEmptied: false });
    });
  }

  #withinReach(path: Buffer): Buffer {
    if (path.length < LONG_PATH) return path;
    const up = inside(this.#top, Buffer.from(randomBytes(12).toString("hex")));
    renameSync(path, up);
    return up;
  }

  #attempt(path: Buffer, act: () => void): void {
    try {
      act();
    } catch (error) {
      const code = codeOf(error);
      // Of what could not be emptied, what is in it is told.
      if (code === "ENOENT" || (code === "ENOTEMPTY" && this.#left.length > 0)) return;
      this.#left.push(`${path.toString()} (${code})`);
    }
  }
}

function inside(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from("/"), name]);
}

/** @throws what is no answer of the system */
function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code;
}

function notRemoved(top: string, left: readonly string[]): StintError {
  const more = left.length > TOLD ? ` and ${left.length - TOLD} more` : "";
  return new StintError(
    "state-unwritable",
    `could not remove all of ${top}: ${left.slice(0, TOLD).join(", ")}${more}`,
    `Look at their owner and attributes (ls -l, lsattr); if you have the right to: rm -rf '${top}'. Then repeat this.`,
  );
}

/** Gives the owner all rights in every folder below, links not followed. */
function openFolders(path: string | Buffer): void {
  if (!openFolder(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true, encoding: "buffer" })) {
    const name = entry.name as unknown as Buffer;
    if (entry.isDirectory()) {
      openFolders(inside(Buffer.from(path), name));
    }
  }
}

/** The same for a path of any kind; throws where the rights are not the owner's to give. */
export function openPath(path: string | Buffer): void {
  if (factsOf(path)?.isFile() === true) chmodSync(path, Number(factsOf(path)?.mode ?? 0) | 0o600);
  else openFolders(path);
  accessSync(path, constants.R_OK);
}

/** @returns whether it is a folder */
export function openFolder(path: string | Buffer): boolean {
  const facts = factsOf(path);
  if (facts?.isDirectory() !== true) return false;
  const mode = Number(facts.mode) & 0o7777;
  if ((mode & 0o700) !== 0o700) chmodSync(path, mode | 0o700);
  return true;
}

/** A path inside a folder, and the folders above it that are empty then. */
export function removeInside(folder: string, path: RawPath): void {
  const plain = path.replace(/\/$/, "");
  if (!isReallyInside(folder, plain)) return;
  removeTree(onDisk(folder, plain));
  for (const above of foldersAbove(plain)) {
    try {
      rmdirSync(onDisk(folder, above));
    } catch {
      return;
    }
  }
}

/** What a folder is named from the moment when it is to be removed. */
const GONE = ".gone";

/** Between two turns of the event loop, so that a lease is renewed and Ctrl-C is heard meanwhile. */
const ACTS_A_TURN = 500;

/**
 * Removes a whole workspace. It is renamed first, so that a kill leaves something that is plainly to be removed;
 * removing it once more goes on where that ended. Nothing that is mounted in it is touched.
 * @throws state-unwritable with what is left; everything else is removed then
 */
export async function discardFolder(path: string): Promise<void> {
  const gone = path.endsWith(GONE) ? path : `${path}${GONE}`;
  // A kill may have left one of another time.
  for (const each of new Set([gone, path])) {
    if (!isThere(each)) continue;
    refuseMounts(each);
    if (each !== gone) rename(each, gone);
    let acts = 0;
    for (const _ of removing(gone)) {
      acts += 1;
      // oxlint-disable-next-line no-await-in-loop
      if (acts % ACTS_A_TURN === 0) await nextTurn();
    }
  }
}

function isThere(path: string): boolean {
  return lookAt(path) !== undefined;
}

function refuseMounts(path: string): void {
  const [mounted] = mountsBelow(join(realpathSync(dirname(path)), basename(path)));
  if (mounted === undefined) return;
  throw new StintError(
    "state-unwritable",
    `${path} was not removed: something is mounted at ${mounted}, and its files would be removed too`,
    `Unmount it, then repeat this: umount '${mounted}'`,
  );
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    throw notRemoved(from, [`${from} (${codeOf(error)})`]);
  }
}

/**
 * Places below a folder where something else is mounted. Removing such a folder would remove what is mounted there,
 * and a bind mount cannot be told from a folder by looking at it.
 */
export function mountsBelow(folder: string): readonly string[] {
  return mountPoints().filter((point) => point === folder || point.startsWith(`${folder}/`));
}

/** Empty where the system does not tell, as on macOS. */
function mountPoints(): string[] {
  let text: string;
  try {
    text = readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const point = line.split(" ")[4];
    return point === undefined ? [] : unescaped(point);
  });
}

/** Blanks and the like are written as three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
