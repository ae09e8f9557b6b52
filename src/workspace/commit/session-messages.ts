// The messages of the commits that a session made in its own repository. Its refs are read as files and
// its objects through Stint's own git, so that nothing it configured counts.
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import type { GitCommand } from "../repository/own-git.ts";
import type { Place } from "../repository/place.ts";

const MOST = 100;
const LARGEST_BYTES = 16 * 1024 * 1024;
/** Its objects are what a session left: pipes among them would hold git for ever. */
const LONGEST_MS = 10_000;

export async function sessionMessages(place: Place): Promise<readonly string[]> {
  if (place.options.kind === "in-place") return [];
  const head = sessionHead(place.folder);
  const base = place.tip?.commit ?? null;
  if (head === null || head === base) return [];
  const range = base === null ? [head] : [head, `^${base}`];
  const args = ["log", "--reverse", "-z", `--max-count=${MOST}`, "--format=%B", ...range];
  try {
    const { stdout } = await place.git.run(args, withSessionObjects(place));
    return stdout
      .split("\0")
      .map((text) => text.trim())
      .filter((text) => text !== "");
  } catch (error) {
    // A session may leave anything in there; its messages are no more than a courtesy.
    if (error instanceof StintError) return [];
    throw error;
  }
}

export async function sessionCommitMessage(place: Place, commit: string): Promise<string> {
  const args = ["log", "-1", "--format=%B", commit];
  return (await place.git.run(args, withSessionObjects(place))).stdout.trim();
}

/** For git that reads what a session made, with none of its settings. */
export function withSessionObjects(place: Place): Pick<GitCommand, "env" | "timeoutMs"> {
  const objects = join(place.folder, ".git", "objects");
  return { env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }, timeoutMs: LONGEST_MS };
}

/** The commit that a session's repository is at. */
export function sessionHead(folder: string): string | null {
  const git = join(folder, ".git");
  try {
    if (!lstatSync(git).isDirectory()) return null;
  } catch {
    return null;
  }
  const head = plainText(join(git, "HEAD"));
  const ref = /^ref: (refs\/[^\n]+)$/.exec(head)?.[1];
  if (ref === undefined) return commitIn(head);
  if (ref.split("/").includes("..")) return null;
  const packed = plainText(join(git, "packed-refs")).split("\n");
  const line = packed.find((each) => each.slice(each.indexOf(" ") + 1) === ref) ?? "";
  return commitIn(plainText(join(git, ref))) ?? commitIn(line.slice(0, line.indexOf(" ")));
}

function commitIn(text: string): string | null {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(text)?.[0] ?? null;
}

/** Of a file that is one; "" for everything else. */
export function plainText(path: string): string {
  try {
    const facts = lstatSync(path);
    return facts.isFile() && facts.size < LARGEST_BYTES ? readFileSync(path, "utf8").trim() : "";
  } catch {
    return "";
  }
}
