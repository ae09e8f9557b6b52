// Pipes in the place of files that git itself reads: it would wait for ever for somebody to write into
// them. They are looked for only once git takes long, so that nobody pays for them.
import { readdirSync } from "node:fs";
import { StintError } from "../../core/stint-error.ts";
import { onDisk, type RawPath, toText } from "../disk/raw-path.ts";

const READ_BY_GIT = new Set([".gitignore", ".gitattributes", ".gitmodules"]);
const FIRST_LOOK_MS = 2_000;

export class GitIsTrapped extends StintError {
  readonly paths: readonly RawPath[];

  constructor(paths: readonly RawPath[]) {
    const names = paths.map(toText).join(", ");
    super("bad-input", `git cannot read ${names}: it is no file`, `Remove it: rm ${names}`);
    this.paths = paths;
  }
}

/**
 * Runs an act of git on the files of a folder, and ends it where it waits for what will never come.
 * The longer it takes, the more rarely somebody looks.
 */
export async function untilTrapped<T>(
  folder: string,
  signal: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const forward = (): void => ending.abort(signal?.reason);
  signal?.addEventListener("abort", forward);
  if (signal?.aborted === true) forward();
  let timer: NodeJS.Timeout | undefined;
  const lookIn = (ms: number): void => {
    timer = setTimeout(() => {
      const traps = trapsIn(folder);
      if (traps.length > 0) ending.abort(new GitIsTrapped(traps));
      else lookIn(ms * 2);
    }, ms);
  };
  lookIn(FIRST_LOOK_MS);
  try {
    return await act(ending.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", forward);
  }
}

function trapsIn(folder: string): RawPath[] {
  const found: RawPath[] = [];
  const look = (path: RawPath): void => {
    for (const entry of entriesOf(folder, path)) {
      const { name } = entry;
      const inner = path === "" ? name : `${path}/${name}`;
      if (entry.isDirectory()) {
        if (name !== ".git") look(inner);
      } else if (READ_BY_GIT.has(name) && !entry.isFile() && !entry.isSymbolicLink()) {
        found.push(inner);
      }
    }
  };
  look("");
  return found;
}

function entriesOf(folder: string, path: RawPath) {
  try {
    return readdirSync(onDisk(folder, path), { withFileTypes: true, encoding: "latin1" });
  } catch {
    // Git says what it cannot look into.
    return [];
  }
}
