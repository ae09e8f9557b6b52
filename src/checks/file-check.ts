// A check on one file of the work tree: that it is there, was changed, matches, or has a digest.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import type { Check } from "../core/schema/task.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { CheckContext, Finding } from "./check-run.ts";
import { Worker } from "node:worker_threads";
import { resolve } from "node:path";
import { isWithin } from "../core/files.ts";

export type FileCheck = Extract<Check, { kind: "file" }>;

/** Larger files are not searched. */
const MATCH_BYTES = 4 * 1024 * 1024;

export async function runFileCheck(check: FileCheck, context: CheckContext): Promise<Finding> {
  const { path, expect } = check;
  const at = await insideWorkTree(context.workTree, path);
  if (!at.found) {
    return at.reason === "outside"
      ? failed(`${path} leads out of the work tree`)
      : failed(`${path} does not exist`);
  }
  switch (expect.is) {
    case "exists":
      return passed(`${path} exists`);
    case "changed":
      return withFile(at.path, path, async (file) =>
        judgeChange(path, await digest(file), context),
      );
    case "sha256":
      return withFile(at.path, path, async (file) => {
        const found = await digest(file);
        return found === expect.sha256
          ? passed(`${path} has the SHA-256 ${found}`)
          : failed(`${path} has the SHA-256 ${found}, not ${expect.sha256}`);
      });
    case "matches":
      return withFile(at.path, path, (file) => judgeMatch(path, expect, file));
    default:
      return expect satisfies never;
  }
}

/** The digest of a file for a later `changed`; null when there is no such file to read. */
export async function fileDigest(workTree: string, path: string): Promise<Sha256 | null> {
  const at = await insideWorkTree(workTree, path);
  if (!at.found) return null;
  const file = await openRegular(at.path);
  if (file === undefined) return null;
  try {
    return await digest(file);
  } finally {
    await file.close();
  }
}

function judgeChange(path: string, now: Sha256, { baseline }: CheckContext): Finding {
  const before = baseline?.get(path);
  if (before === undefined) return failed(`there is no earlier state of ${path} to compare with`);
  if (before === null) return passed(`${path} is new`);
  return before === now ? failed(`${path} is unchanged`) : passed(`${path} was changed`);
}

async function judgeMatch(
  path: string,
  expect: { readonly pattern: string; readonly flags: string },
  file: FileHandle,
): Promise<Finding> {
  const { size } = await file.stat();
  const written = `/${expect.pattern}/${expect.flags}`;
  if (size > MATCH_BYTES) return failed(`${path} is larger than the 4 MiB that are searched`);
  const match = await matchInTime(expect, await file.readFile("utf8"));
  switch (match) {
    case "matches":
      return passed(`${path} matches ${written}`);
    case "no-match":
      return failed(`${path} does not match ${written}`);
    case "bad-pattern":
      return failed(`${written} is not a regular expression`);
    case "too-slow":
      return failed(`${written} took longer than ${MATCH_MS / 1000} s on ${path}; simplify it`);
    default:
      return match satisfies never;
  }
}

async function withFile(
  full: string,
  path: string,
  judge: (file: FileHandle) => Promise<Finding>,
): Promise<Finding> {
  const file = await openRegular(full);
  if (file === undefined) return failed(`${path} is not a readable regular file`);
  try {
    return await judge(file);
  } finally {
    await file.close();
  }
}

/** Opens without following a last-moment link and without waiting for the other end of a pipe. */
async function openRegular(full: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: FileHandle;
  try {
    file = await open(full, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

async function digest(file: FileHandle): Promise<Sha256> {
  const hash = createHash("sha256");
  for await (const chunk of file.createReadStream({ autoClose: false, start: 0 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex") as Sha256;
}

function passed(summary: string): Finding {
  return { result: "passed", summary, output: "" };
}

function failed(summary: string): Finding {
  return { result: "failed", summary, output: summary };
}

/** Digests of the files that `changed` checks ask about, before the session. */
export async function fileBaseline(
  root: string,
  checks: readonly Check[],
): Promise<Map<string, Sha256 | null>> {
  const digests = new Map<string, Sha256 | null>();
  for (const check of checks) {
    if (check.kind !== "file") continue;
    // oxlint-disable-next-line no-await-in-loop
    digests.set(check.path, await fileDigest(root, check.path));
  }
  return digests;
}

export type Match = "matches" | "no-match" | "too-slow" | "bad-pattern";

export const MATCH_MS = 2000;

/** Kept as text, because a worker needs a file or a text and a bundle has no file for it. */
const PROGRAM = `
  const { parentPort, workerData: { pattern, flags, text } } = require("node:worker_threads");
  try {
    parentPort.postMessage(new RegExp(pattern, flags).test(text) ? "matches" : "no-match");
  } catch {
    parentPort.postMessage("bad-pattern");
  }
`;

/**
 * Patterns can take exponential time, and a guess which ones do is wrong both ways; so each runs in a worker that is
 * ended when time is up.
 */
export async function matchInTime(
  expression: { readonly pattern: string; readonly flags: string },
  text: string,
  deadlineMs: number = MATCH_MS,
): Promise<Match> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { ...expression, text }, env: {} });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Match>((settle, reject) => {
      timer = setTimeout(() => settle("too-slow"), deadlineMs);
      worker.once("message", (match: Match) => settle(match));
      worker.once("error", reject);
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

export type ResolvedPath =
  | { readonly found: true; readonly path: string }
  | { readonly found: false; readonly reason: "absent" | "outside" };

/** Symbolic links that lead out of the work tree are refused, also when they stand in the middle of the path. */
export async function insideWorkTree(workTree: string, path: string): Promise<ResolvedPath> {
  const root = await realpath(workTree);
  const wanted = resolve(root, path);
  if (path.includes("\0") || !isWithin(wanted, root)) return { found: false, reason: "outside" };
  try {
    const real = await realpath(wanted);
    return isWithin(real, root) ? { found: true, path: real } : { found: false, reason: "outside" };
  } catch {
    // Missing, a loop of links, no right to look: in each case the file cannot be shown.
    return { found: false, reason: "absent" };
  }
}
