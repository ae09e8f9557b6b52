// What the person's branch has of all verified work, after they moved it on or rewrote it. A commit is found
// again by what it changes (a rebase, a cherry-pick), by the task that it names (an amended one, a squash),
// or because making its change once more would change nothing.
import { emptyTreeLike } from "../../git/diff-trees.ts";
import { failure } from "../../git/run-git.ts";
import { answersTo } from "../base/own-git.ts";
import type { Place } from "../base/place.ts";
import { isBelow, toRaw } from "../base/raw-path.ts";
import { commonAncestor } from "../base/refs.ts";
import { mergeTrees, type Sides } from "../tree/combine.ts";
import { stintsPaths } from "../tree/own-index.ts";
import { rawChanges } from "../tree/read-trees.ts";
import type { NamedCommit } from "../workspace.ts";

interface BranchHistory {
  /** Never seen on the person's branch, and not found there; oldest first. */
  readonly undelivered: readonly WorkCommit[];
  /** Seen there once, of this project, and not found there any longer; oldest first. */
  readonly removed: readonly WorkCommit[];
  /** Found under another id: the commit, and the one of the person's branch that holds it. */
  readonly found: readonly (readonly [commit: WorkCommit, by: string])[];
}

interface Ends {
  /** The last verified commit. */
  readonly tip: string;
  /** The person's branch. */
  readonly theirs: string;
  /** The newest verified commit that the branch was seen to hold. */
  readonly held: string | null;
}

export async function readHistory(place: Place, ends: Ends): Promise<BranchHistory> {
  const { tip, theirs } = ends;
  const seen = await lastSeen(place, ends);
  const not = seen === null ? [] : [`^${seen}`];
  const undelivered = await readCommits(place, [tip, ...not, `^${theirs}`]);
  const delivered = seen === null ? [] : await readCommits(place, [seen, `^${theirs}`]);
  // What else was rewritten below is the person's own.
  const lost = delivered.filter(({ tasks }) => tasks.length > 0);
  const all = [...lost, ...undelivered];
  if (all.length === 0) return { undelivered: [], removed: [], found: [] };
  const found = new Map([
    ...(await foundByTask(place, ends, all)),
    ...(await foundByPatch(place, ends, all)),
  ]);
  const isMissing = ({ id }: WorkCommit): boolean => !found.has(id);
  const isWhole = all.some(isMissing) && (await isContained(place, ends));
  const ours = (await treesOf(place, [theirs])).get(theirs) ?? "";
  for (const commit of (isWhole ? all : lost).filter(isMissing)) {
    const { id, base, tree } = commit;
    // oxlint-disable-next-line no-await-in-loop
    if (isWhole || (await isMadeIn(place, { base, ours, theirs: tree }))) found.set(id, theirs);
  }
  return {
    undelivered: undelivered.filter(isMissing),
    removed: lost.filter(isMissing),
    found: all.flatMap((commit) => {
      const by = found.get(commit.id);
      return by === undefined ? [] : [[commit, by] as const];
    }),
  };
}

/** Without a record of it, what both have in common. */
async function lastSeen({ git }: Place, { tip, theirs, held }: Ends): Promise<string | null> {
  if (held !== null) {
    const args = ["merge-base", "--is-ancestor", held, tip];
    if ((await git.run(args, { accept: [0, 1, 128] })).code === 0) return held;
  }
  return await commonAncestor(git, tip, theirs);
}

/** All of it is in the branch: squashed into other commits, for example. */
async function isContained(place: Place, { tip, theirs }: Ends): Promise<boolean> {
  const common = await commonAncestor(place.git, tip, theirs);
  const trees = await treesOf(place, [tip, theirs, ...(common === null ? [] : [common])]);
  const ours = trees.get(theirs) ?? "";
  const base = trees.get(common ?? "") ?? emptyTreeLike(ours);
  return await isMadeIn(place, { base, ours, theirs: trees.get(tip) ?? "" });
}

/** Making the change once more would change nothing. Stint's own files are written anew with every commit. */
async function isMadeIn(place: Place, sides: Sides): Promise<boolean> {
  const { tree, conflicts } = await mergeTrees(place, sides);
  const own = stintsPaths(place);
  if (conflicts.some((path) => !isBelow(toRaw(path), own))) return false;
  return (await rawChanges(place, sides.ours, tree)).every(({ path }) => isBelow(path, own));
}

/** The same change, under whatever message. */
async function foundByPatch(
  place: Place,
  { tip, theirs }: Ends,
  commits: readonly WorkCommit[],
): Promise<[string, string][]> {
  const args = ["rev-list", "--cherry-mark", "--no-merges", `${theirs}...${tip}`];
  const { stdout } = await place.git.run(args);
  const same = stdout
    .split("\n")
    .filter((line) => line.startsWith("="))
    .map((line) => line.slice(1));
  const ours = new Set(commits.map(({ id }) => id));
  const patches = await patchIds(place, same);
  const others = same.filter((id) => !ours.has(id));
  return same
    .filter((id) => ours.has(id))
    .map((id) => {
      const patch = patches.get(id);
      const twin = others.find((other) => patch !== undefined && patches.get(other) === patch);
      return [id, twin ?? theirs];
    });
}

/** The person's own version of it. */
async function foundByTask(
  place: Place,
  { tip, theirs }: Ends,
  commits: readonly WorkCommit[],
): Promise<[string, string][]> {
  const words = ["--fixed-strings", `--grep=Stint-Project: ${place.options.project}`];
  const range = [theirs, `^${tip}`];
  const there = await readCommits(place, [...words, ...range]);
  return commits.flatMap(({ id, marks }) => {
    const holder = there.find((each) => marks !== "" && isPart(marks, each.marks));
    return holder === undefined ? [] : [[id, holder.id] as [string, string]];
  });
}

/** Whether all that these marks name is named in the others. */
export function isPart(marks: string, all: string): boolean {
  return `\n${all}\n`.includes(`\n${marks}\n`);
}

export interface WorkCommit extends NamedCommit {
  readonly parents: readonly string[];
  readonly tree: string;
  /** The tree of its first parent. */
  readonly base: string;
  /** Of this project; none for a commit of somebody else's. */
  readonly tasks: readonly string[];
  /** The task and attempt that it was made for, as its message says; empty without. */
  readonly marks: string;
}

const FORMAT = "--format=%H%x00%T%x00%P%x00%B%x00%x00";

/** Oldest first. `range` as `git log` takes it. */
async function readCommits(place: Place, range: readonly string[]): Promise<WorkCommit[]> {
  const args = ["log", "--topo-order", "--reverse", FORMAT, ...range];
  const { stdout } = await place.git.run(args, { isStrict: true });
  const found = stdout
    .split("\0\0\n")
    .filter((record) => record !== "")
    .map((record) => {
      const [id = "", tree = "", parents = "", ...message] = record.split("\0");
      const text = message.join("\0");
      return {
        id,
        tree,
        parents: parents.split(" ").filter((parent) => parent !== ""),
        subject: text.split("\n")[0] ?? "",
        ...tasksIn(text, place.options.project),
      };
    });
  if (found.length === 0) await assertNone(place, range);
  const trees = await treesOf(
    place,
    found.flatMap(({ parents }) => parents.slice(0, 1)),
  );
  return found.map((commit) => ({
    ...commit,
    base: trees.get(commit.parents[0] ?? "") ?? emptyTreeLike(commit.tree),
  }));
}

/** Git named no commit of the range: it is asked in a way that has an answer. */
async function assertNone({ git }: Place, range: readonly string[]): Promise<void> {
  const args = ["rev-list", "--count", ...range];
  const [count] = await answersTo(git, 1, args);
  if (count !== "0") throw failure(git.gitDir, args, "it named none of the commits", "");
}

async function treesOf(
  { git }: Place,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const wanted = [...new Set(commits)];
  const args = ["log", "--no-walk=unsorted", "--format=%H %T", "--stdin"];
  const input = `${wanted.join("\n")}\n`;
  const lines = await answersTo(git, wanted.length, args, { input, isStrict: true });
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

/** A squash keeps the messages of what it holds, indented or not. */
export function tasksIn(message: string, project: string): Pick<WorkCommit, "tasks" | "marks"> {
  const lines = message.split("\n").map((line) => line.trim());
  if (!lines.includes(`Stint-Project: ${project}`)) return { tasks: [], marks: "" };
  const marked = lines.filter((line) => /^Stint-(?:Task|Attempt): /.test(line));
  const tasks = marked.filter((line) => line.startsWith("Stint-Task: "));
  return {
    tasks: [...new Set(tasks.map((line) => line.slice("Stint-Task: ".length)))],
    marks: marked.join("\n"),
  };
}

const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index"];

/** Of commits with one parent; one that changes nothing has none. */
async function patchIds(
  { git }: Place,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const { bytes } = await git.run(
    ["diff-tree", "--stdin", "-r", "--root", "-p", "--binary", ...PLAIN],
    { input: `${commits.join("\n")}\n` },
  );
  const { stdout } = await git.run(["patch-id", "--stable"], { input: bytes });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split(" ").toReversed() as [string, string]));
}

/** Between two trees, apart from some paths; empty where nothing changed. */
export async function patchIdBetween(
  { git }: Place,
  before: string,
  after: string,
  except: readonly string[],
): Promise<string> {
  const specs = [":(top)", ...except.map((path) => `:(top,exclude,literal)${path}`)];
  const args = ["diff-tree", "-r", "-p", "--binary", ...PLAIN, before, after, "--", ...specs];
  const { bytes } = await git.run(args);
  const { stdout } = await git.run(["patch-id", "--stable"], { input: bytes });
  return stdout.split(" ")[0] ?? "";
}
