// A check on one file of the work tree: that it is there, was changed, matches, or has a digest.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Check } from "../core/schema/task.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { CheckContext, Finding } from "./check-run.ts";
import { insideWorkTree } from "./inside-work-tree.ts";
import { MATCH_MS, matchInTime } from "./match-in-time.ts";

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
  if (before === undefined) return failed(`${path} has no state from before to compare with`);
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
      return failed(`${written} is no regular expression`);
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
  if (file === undefined) return failed(`${path} is no readable regular file`);
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
