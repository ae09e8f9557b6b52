// Removes a folder whatever a session left in it: folders without permissions, names that are not
// UTF-8, any depth, links, which are never followed. It is renamed first, so that a kill leaves
// something that is plainly to be removed; removing it once more goes on where that ended.
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StintError } from "../core/stint-error.ts";
import { mountsBelow } from "./mounts-below.ts";

/** What a folder is named from the moment when it is to be removed. */
export const GONE = ".gone";

const OWN_FOLDER = 0o700;
const ACTS_A_TURN = 500;
/** Longer ones come close to what the system takes: what lies there is moved up before it is entered. */
const LONG_PATH = 2_000;
const TOLD = 3;

/** @throws state-unwritable with what is left; everything else is removed then */
export async function discardFolder(path: string): Promise<void> {
  const gone = path.endsWith(GONE) ? path : `${path}${GONE}`;
  // A kill may have left one of another time.
  for (const each of new Set([gone, path])) {
    if (!isThere(each)) continue;
    refuseMounts(each);
    if (each !== gone) rename(each, gone);
    // oxlint-disable-next-line no-await-in-loop
    await new Removal(gone).run();
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function refuseMounts(path: string): void {
  const [mounted] = mountsBelow(join(realpathSync(dirname(path)), basename(path)));
  if (mounted === undefined) return;
  throw new StintError(
    "state-unwritable",
    `${path} was not removed: something is mounted at ${mounted}, and would be removed with it`,
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

interface Open {
  readonly path: Buffer;
  isEmptied: boolean;
}

class Removal {
  readonly #top: string;
  readonly #device: number;
  /** The folders that are being emptied, the innermost last. */
  readonly #open: Open[] = [];
  readonly #left: string[] = [];
  #acts = 0;

  constructor(top: string) {
    this.#top = top;
    this.#device = lstatSync(top).dev;
  }

  async run(): Promise<void> {
    this.#remove(Buffer.from(this.#top));
    for (let folder = this.#open.at(-1); folder !== undefined; folder = this.#open.at(-1)) {
      const { path } = folder;
      if (folder.isEmptied) {
        this.#open.pop();
        this.#attempt(path, () => rmdirSync(path));
      } else {
        folder.isEmptied = true;
        // oxlint-disable-next-line no-await-in-loop
        await this.#empty(path);
      }
    }
    if (this.#left.length > 0) throw notRemoved(this.#top, this.#left);
  }

  async #empty(folder: Buffer): Promise<void> {
    let names: Buffer[] = [];
    this.#attempt(folder, () => {
      names = readdirSync(folder, { encoding: "buffer" });
    });
    for (const name of names) {
      this.#acts += 1;
      // oxlint-disable-next-line no-await-in-loop
      if (this.#acts % ACTS_A_TURN === 0) await nextTurn();
      this.#remove(Buffer.concat([folder, Buffer.from("/"), name]));
    }
  }

  /** Removes all but a folder, which is opened to be emptied. */
  #remove(path: Buffer): void {
    this.#attempt(path, () => {
      const facts = lstatSync(path);
      if (!facts.isDirectory()) return unlinkSync(path);
      if (facts.dev !== this.#device) throw Object.assign(new Error(), { code: "EXDEV" });
      // Never of a file: its permissions may be those of a file elsewhere, by another name of it.
      if ((facts.mode & OWN_FOLDER) !== OWN_FOLDER) chmodSync(path, OWN_FOLDER);
      this.#open.push({ path: this.#withinReach(path), isEmptied: false });
    });
  }

  #withinReach(path: Buffer): Buffer {
    if (path.length < LONG_PATH) return path;
    const up = Buffer.from(join(this.#top, randomBytes(12).toString("hex")));
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
    `Look at their owner and attributes (ls -l, lsattr); with the right to it: rm -rf '${top}'. Then repeat this.`,
  );
}
