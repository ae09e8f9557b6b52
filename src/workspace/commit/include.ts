// The person's uncommitted changes as the commit that new work starts from, in their name. It is made from
// an index of its own: theirs and their files are only read. What it holds is what lies on disk.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { ABSENT, isSameEntry, type TreeEntry } from "../../git/diff-trees.ts";
import { operationInProgress } from "../../git/work-tree.ts";
import { unwelcomeFiles } from "../../git/changed-paths.ts";
import { valueOf } from "../base/git-config.ts";
import { type Git, gitAt } from "../base/own-git.ts";
import { commitHere, type PersonRepository } from "../base/person-repository.ts";
import type { Place, WithGit } from "../base/place.ts";
import { joinRecords, type RawPath, splitRecords, toRaw, toText } from "../base/raw-path.ts";
import { entriesInIndex } from "./checkout-files.ts";
import { type Look, lookAtRefs, publish, readTip } from "./tip.ts";
import { writeCommit } from "./write-commit.ts";
import { treeWith } from "../tree/combine.ts";
import { addAll, readTreeInto, writeTree } from "../tree/own-index.ts";
import { rawChanges, readChanges, readEntries } from "../tree/read-trees.ts";
import type { Included, LeftOut, Tip } from "../workspace.ts";

const MESSAGE = "Start from uncommitted changes\n";

export async function includeChanges(place: WithGit): Promise<Included> {
  const { person } = place;
  refuseOperation(person);
  const tip = await readTip(place);
  const look = await lookAtRefs(place);
  if (!(await isNewWork(place, look, tip))) return { kind: "ahead" };
  const index = join(place.git.gitDir, "index-include");
  try {
    const found = await treeOnDisk({ ...place, git: gitOver(place, index) }, tip);
    const { tree, left } = await withoutUnwelcome(place, tip, found);
    if (tree === tip.tree) return { kind: "nothing", left };
    const changes = await rawChanges(place, tip.tree, tree);
    const included = changes.map(({ path, after }) => [path, after] as const);
    place.record = {
      ...place.record,
      staged: await stagedBetween(person, changes),
      included,
    };
    const commit = await writeCommit(place, tree, MESSAGE);
    if (typeof commit !== "string") throw new StintError("git-failed", commit.why, commit.hint);
    await publish(place, look, commit);
    place.tip = { commit, tree };
    return { kind: "included", commit, paths: changes.map(({ path }) => toText(path)), left };
  } finally {
    rmSync(index, { force: true });
  }
}

function refuseOperation({ folder, checkout }: PersonRepository): void {
  const operation = operationInProgress(folder);
  if (operation === null) return;
  throw new StintError(
    "bad-input",
    `a ${operation} is in progress in ${checkout}: some of its changes are not yours`,
    `Finish or abort the ${operation}; or leave out --include-changes`,
  );
}

/** Whether nothing is verified yet beyond what the person has checked out. */
async function isNewWork(
  { record, person }: WithGit,
  { branch, refs }: Look,
  { commit }: Tip,
): Promise<boolean> {
  if (branch !== record.branch) return false;
  return (await commitHere(person, branch, refs)) === commit;
}

/** Stint's own repository over the person's files, with an index of its own. */
function gitOver({ git, settings, person }: WithGit, index: string): Git {
  const over = gitAt(git.gitDir, person.checkout);
  // As the person's own git reads their files; ours was asked about the file system of the workspace.
  const asTheirs = ["core.filemode", "core.symlinks", "core.ignorecase"].flatMap((key) => {
    const value = valueOf(settings, key);
    return value === null ? [] : ["-c", `${key}=${value}`];
  });
  const env = { GIT_INDEX_FILE: index };
  return {
    gitDir: git.gitDir,
    index,
    run: (args, command) =>
      over.run([...asTheirs, ...args], { ...command, env: { ...command?.env, ...env } }),
    id: (args, command) =>
      over.id([...asTheirs, ...args], { ...command, env: { ...command?.env, ...env } }),
  };
}

interface Found {
  readonly tree: string;
  readonly left: readonly LeftOut[];
}

async function treeOnDisk(place: WithGit, tip: Tip): Promise<Found> {
  const { person } = place;
  const { git, options } = place;
  await readTreeInto(git, git.index, tip.tree);
  await holdFlagged(git, person);
  const manifest = options.manifest ?? "";
  const isTracked =
    manifest !== "" && (await readEntries(place, tip.tree, [manifest])).has(manifest);
  const own = options.ownPaths.filter(
    (path) => (!isTracked || path !== manifest) && options.logs?.includes(path) !== true,
  );
  const nested = await nestedRepositories(git);
  const except = [...own.map((path) => toRaw(path.replace(/\/+$/, ""))), ...nested];
  const { said } = await addAll(place, except);
  if (said !== null) {
    throw new StintError(
      "bad-input",
      `your changes cannot be included: ${said.split("\n")[0]}`,
      "Fix or ignore what git names (git add -A must succeed without a warning); or leave out --include-changes",
    );
  }
  const why = "it is a nested git repository";
  return {
    tree: await writeTree(place),
    left: nested.map((path) => ({ path: toText(path), why })),
  };
}

/** What a person told git not to look at is as it was: in a sparse checkout such files are not there. */
async function holdFlagged(git: Git, person: PersonRepository): Promise<void> {
  const { bytes } = await person.git.run(["ls-files", "-v", "-z"]);
  const flagged = splitRecords(bytes)
    .filter((record) => /^(?:S|[a-z]) /.test(record))
    .map((record) => record.slice(2));
  if (flagged.length === 0) return;
  const held = new Set(splitRecords((await git.run(["ls-files", "-z"])).bytes));
  const input = joinRecords(flagged.filter((path) => held.has(path)));
  await git.run(["update-index", "--skip-worktree", "-z", "--stdin"], { input });
}

async function nestedRepositories(git: Git): Promise<RawPath[]> {
  const { bytes } = await git.run(["ls-files", "-z", "-o", "--exclude-standard"]);
  return splitRecords(bytes)
    .filter((path) => path.endsWith("/"))
    .map((path) => path.replace(/\/+$/, ""));
}

/** New files that nobody wants in a commit by accident stay where they are. */
async function withoutUnwelcome(place: Place, tip: Tip, { tree, left }: Found): Promise<Found> {
  const unwelcome = unwelcomeFiles(await readChanges(place, tip.tree, tree));
  if (unwelcome.length === 0) return { tree, left };
  const entries = await readEntries(
    place,
    tree,
    unwelcome.map(({ path }) => path),
  );
  const removed = [...entries].map(([path, { oid }]): [RawPath, TreeEntry] => [
    toRaw(path),
    { mode: ABSENT, oid },
  ]);
  return { tree: await treeWith(place, tree, new Map(removed)), left: [...left, ...unwelcome] };
}

/** What is staged and neither what was committed nor what lies on disk: its delivery replaces it. */
async function stagedBetween(
  person: PersonRepository,
  changes: Awaited<ReturnType<typeof rawChanges>>,
): Promise<(readonly [RawPath, TreeEntry])[]> {
  const index = await entriesInIndex(person, new Set(changes.map(({ path }) => path)));
  return changes.flatMap(({ path, before, after }) => {
    const entry = index.get(path);
    if (entry === undefined || isSameEntry(entry, before) || isSameEntry(entry, after)) return [];
    return [[path, entry] as const];
  });
}
