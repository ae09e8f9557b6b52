// What was brought into a workspace beside the files of git. What is ignored there stays out of every
// commit; the rest (inputs) is committed only where a session changed it, and is put back otherwise.
import { constants, copyFileSync, mkdirSync, readlinkSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { broughtInputs } from "../../core/schema/workspace-record.ts";
import { failure } from "../../git/run-git.ts";
import { readIfThere, readKept, writeDurably } from "../base/durable-file.ts";
import type { Git } from "../base/own-git.ts";
import {
  factsOf,
  foldersAbove,
  isBelow,
  isReallyInside,
  joinRecords,
  onDisk,
  parentOf,
  type RawPath,
  splitRecords,
  toRaw,
} from "../base/raw-path.ts";
import { removeInside } from "../base/remove-tree.ts";
import { listTree } from "./list-tree.ts";

/** Raw path → how its file looked when it was brought. */
type Inputs = Map<RawPath, string>;

interface Brought {
  readonly aside: readonly RawPath[];
  readonly inputs: Inputs;
}

/** Looks at a new tree that holds nothing but files of git and what was brought. */
export async function sortBrought(
  git: Git,
  folder: string,
  brought: readonly string[],
): Promise<Brought> {
  const paths = brought.map((path) => toRaw(path.replace(/^\.\/|\/+$/g, "")));
  if (paths.length === 0) return { aside: [], inputs: new Map() };
  const { others } = await listTree(git, [], "plain");
  const nested = others.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  const files = others.filter((path) => !path.endsWith("/") && isBelow(path, paths));
  const inputs = new Map(files.map((path) => [path, looksOf(folder, path)]));
  const withInputs = new Set(files.flatMap((path) => [path, ...foldersAbove(path)]));
  const ignored = paths.filter((path) => !withInputs.has(path));
  return { aside: [...nested, ...(await topmostIgnored(git, ignored))], inputs };
}

/** One folder instead of its thousand files, where the folder itself is ignored. */
async function topmostIgnored(git: Git, paths: readonly RawPath[]): Promise<RawPath[]> {
  if (paths.length === 0) return [];
  const above = [...new Set(paths.flatMap((path) => foldersAbove(path)))];
  if (above.length === 0) return [...paths];
  const args = ["check-ignore", "-z", "--stdin"];
  const { bytes, code, stderr } = await git.run(args, {
    input: joinRecords(above),
    accept: [0, 1],
  });
  const ignored = new Set(splitRecords(bytes));
  if (code === 0 && ignored.size === 0) {
    throw failure(git.gitDir, args, "it named none of what is ignored", stderr);
  }
  return [
    ...new Set(
      paths.map((path) => foldersAbove(path).findLast((each) => ignored.has(each)) ?? path),
    ),
  ];
}

export function readInputs(home: string): Inputs {
  return new Map(readKept(join(home, "inputs.json"), broughtInputs));
}

export function writeInputs(home: string, inputs: Inputs): void {
  if (inputs.size > 0 || readIfThere(join(home, "inputs.json")) !== null) {
    writeDurably(join(home, "inputs.json"), JSON.stringify([...inputs]));
  }
}

export function isUntouched(folder: string, path: RawPath, inputs: Inputs): boolean {
  return inputs.get(path) === looksOf(folder, path);
}

/** As few paths as cover these files and no others. */
export function covering(untouched: readonly RawPath[], others: readonly RawPath[]): RawPath[] {
  const mixed = new Set(others.flatMap((path) => foldersAbove(path)));
  const top = (path: RawPath): RawPath =>
    foldersAbove(path).findLast((folder) => !mixed.has(folder)) ?? path;
  return [...new Set(untouched.map(top))];
}

/** An input that a session changed becomes the person's again; one that the person has no more goes. */
export function putInputBack(
  folder: string,
  checkout: string,
  path: RawPath,
  inputs: Inputs,
): void {
  removeInside(folder, path);
  const from = onDisk(checkout, path);
  const facts = isReallyInside(checkout, path) ? factsOf(from) : null;
  const parent = parentOf(path);
  mkdirSync(onDisk(folder, parent), { recursive: true });
  if (facts === null || !isReallyInside(folder, path)) {
    inputs.delete(path);
    return;
  }
  const to = onDisk(folder, path);
  if (facts.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (facts.isFile()) {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    utimesSync(to, Number(facts.atimeMs) / 1000, Number(facts.mtimeMs) / 1000);
  }
  inputs.set(path, looksOf(folder, path));
}

function looksOf(folder: string, path: RawPath): string {
  const facts = factsOf(onDisk(folder, path));
  if (facts === null) return "gone";
  const { size, mtimeNs, ctimeNs, ino, mode } = facts;
  return [size, mtimeNs, ctimeNs, ino, mode].join(" ");
}
