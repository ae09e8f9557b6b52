// Where verified work is by now, which may be another place than the one that was recorded: a person brings in by
// hand what waited, and resets, rebases or deletes the branch that had it. Only looks.
import type { TaskId } from "../../core/ids.ts";
import type { Delivery, ProjectState } from "../../core/schema/project.ts";
import type { DeliveryNow } from "../../core/schema/views.ts";
import { counted } from "../../core/words/amounts.ts";
import { failure, runGit } from "../../git/run-git.ts";
import { findGitFolder } from "../../git/git-folder.ts";
import { isPart, tasksIn } from "../../workspace/deliver/branch-history.ts";

/** Null before anything was committed. */
export async function deliveryNow(root: string, state: ProjectState): Promise<DeliveryNow | null> {
  const { delivery } = state;
  if (delivery === undefined || findGitFolder(root) === null) return delivery ?? null;
  switch (delivery.kind) {
    case "waiting":
      return (await broughtByHand(root, delivery.branch)) ?? delivery;
    case "delivered": {
      const { branch, commit } = delivery;
      const hasBranch = await isCommit(root, `refs/heads/${branch}`);
      const holders = hasBranch ? [`refs/heads/${branch}`] : await anywhere(root);
      const delivered = commit === null ? [] : [commit];
      const lost = await lostWork(root, state, { delivered, holders });
      if (lost.length > 0) return takenOut(state, lost, hasBranch ? branch : null);
      return hasBranch ? delivery : await underAnotherName(root, delivery);
    }
    case "in-place": {
      const delivered = committedWork(state).map(({ commit }) => commit);
      const lost = await lostWork(root, state, { delivered, holders: await anywhere(root) });
      return lost.length === 0 ? delivery : takenOut(state, lost, null);
    }
    default:
      return delivery satisfies never;
  }
}

/** Into the branch that the person is on, where that holds all of the other. */
async function broughtByHand(root: string, other: string): Promise<Delivery | null> {
  const ask = async (...words: string[]) => await runGit(root, words, { accept: "any" });
  const holds = await ask("merge-base", "--is-ancestor", `refs/heads/${other}`, "HEAD");
  if (holds.code !== 0) return null;
  const head = await ask("symbolic-ref", "--quiet", "--short", "HEAD");
  const branch = head.stdout.trim();
  if (head.code !== 0 || branch === other) return null;
  const { stdout } = await ask("rev-parse", "--verify", `refs/heads/${other}`);
  return { kind: "delivered", branch, commit: stdout.trim() };
}

/** A branch that was renamed or merged: the first that has it. One where only the change is has no better name. */
async function underAnotherName(
  root: string,
  delivery: Extract<Delivery, { kind: "delivered" }>,
): Promise<Delivery> {
  const args = ["for-each-ref", "--format=%(refname:short)", "--contains", delivery.commit ?? ""];
  const { stdout } = await runGit(root, [...args, "refs/heads"], { accept: "any" });
  const [branch = ""] = stdout.split("\n");
  return branch === "" ? delivery : { ...delivery, branch };
}

export interface Work {
  readonly task: TaskId;
  readonly commit: string;
  /** As the commit's trailers name it. */
  readonly marks: string;
}

interface LostWork extends Work {
  /** Git does not even have the commit. */
  readonly isGone: boolean;
}

export function committedWork({ tasks }: ProjectState): Work[] {
  return tasks.flatMap((task) => {
    const commit = task.status === "done" ? task.commit : undefined;
    if (commit === undefined || commit === "none") return [];
    const marks = `Stint-Task: ${task.id}\nStint-Attempt: ${task.attempts}`;
    return [{ task: task.id, commit, marks }];
  });
}

/** Whatever a person keeps work in, wherever they merged it to. */
async function anywhere(root: string): Promise<string[]> {
  const head = (await isCommit(root, "HEAD")) ? ["HEAD"] : [];
  return [...head, "--branches", "--remotes", "--tags"];
}

interface Look {
  /** All that was delivered is in the history of these. */
  readonly delivered: readonly string[];
  /** Where it should still be, as `git rev-list` takes it. */
  readonly holders: readonly string[];
}

/** What was delivered once and is there neither under its id, nor as the same change, nor by its task's name. */
async function lostWork(
  root: string,
  state: ProjectState,
  { delivered, holders }: Look,
): Promise<LostWork[]> {
  const work = committedWork(state);
  if (work.length === 0 || delivered.length === 0) return [];
  const gone = new Set(
    await missingCommits(root, [...delivered, ...work.map(({ commit }) => commit)]),
  );
  const tips = delivered.filter((tip) => !gone.has(tip));
  const outside = await commitsOutside(root, tips, holders);
  const missing = [...new Set([...outside, ...gone])].flatMap((id) =>
    work.filter(({ commit }) => commit === id),
  );
  if (missing.length === 0) return [];
  const unnamed = await unnamedIn(root, state, missing, holders);
  const same = new Set(
    await sameChanges(
      root,
      unnamed.map(({ commit }) => commit).filter((commit) => !gone.has(commit)),
      holders,
    ),
  );
  return unnamed
    .filter(({ commit }) => !same.has(commit))
    .map((each) => ({ ...each, isGone: gone.has(each.commit) }));
}

/** Oldest first. Counted first: a git that answers nothing has not said that there are none. */
async function commitsOutside(
  root: string,
  tips: readonly string[],
  holders: readonly string[],
): Promise<string[]> {
  if (tips.length === 0) return [];
  const range = [...tips, "--not", ...holders];
  const counting = ["rev-list", "--count", ...range];
  const { stdout: count, stderr } = await runGit(root, counting);
  if (!/^\d+$/.test(count.trim())) throw failure(root, counting, NOTHING_SAID, stderr);
  if (count.trim() === "0") return [];
  const { stdout } = await runGit(root, ["rev-list", "--topo-order", "--reverse", ...range]);
  return stdout.split("\n").filter((line) => line !== "");
}

async function unnamedIn(
  root: string,
  { project_id }: ProjectState,
  work: readonly Work[],
  holders: readonly string[],
): Promise<Work[]> {
  const named = await namedThere(root, project_id, holders);
  return work.filter(({ marks }) => !named.some((all) => isPart(marks, all)));
}

/** The tasks that commits there name: one that was amended or squashed keeps its trailers. */
async function namedThere(
  root: string,
  project: string,
  holders: readonly string[],
): Promise<string[]> {
  const grep = ["--fixed-strings", `--grep=Stint-Project: ${project}`];
  const { stdout } = await runGit(root, ["log", "--format=%B%x00", ...grep, ...holders]);
  return stdout.split("\0").map((message) => tasksIn(message, project).marks);
}

/** A commit that was rebased or picked without its trailers: on the branch, or on the one that is checked out. */
async function sameChanges(
  root: string,
  commits: readonly string[],
  [holder = ""]: readonly string[],
): Promise<string[]> {
  if (holder.startsWith("--")) return [];
  const found = await Promise.all(
    commits.map(async (commit) => {
      const args = ["rev-list", "--cherry-mark", "--right-only", "--no-merges"];
      const { stdout } = await runGit(root, [...args, `${holder}...${commit}`]);
      return stdout.split("\n").includes(`=${commit}`);
    }),
  );
  return commits.filter((_, index) => found[index]);
}

/**
 * The tasks whose commits are nowhere in this repository, and that none of its commits names: it was cloned again, or
 * its objects were removed.
 */
export async function goneWork(root: string, state: ProjectState): Promise<readonly Work[]> {
  const work = committedWork(state);
  if (work.length === 0 || findGitFolder(root) === null) return [];
  const gone = new Set(
    await missingCommits(
      root,
      work.map(({ commit }) => commit),
    ),
  );
  if (gone.size === 0) return [];
  const missing = work.filter(({ commit }) => gone.has(commit));
  return await unnamedIn(root, state, missing, await anywhere(root));
}

function takenOut(
  { project_id, status }: ProjectState,
  lost: readonly LostWork[],
  branch: string | null,
): DeliveryNow {
  const commits = [...new Set(lost.map(({ commit }) => commit))];
  const left = new Set(lost.filter(({ isGone }) => !isGone).map(({ commit }) => commit));
  const tasks = lost.map(({ task }) => task);
  const which = `${counted(commits.length, "commit")} of ${tasks.join(", ")}`;
  const why =
    branch === null ? `no branch contains ${which}` : `${branch} no longer contains ${which}`;
  const back = `git cherry-pick ${[...left].map((id) => id.slice(0, 10)).join(" ")}`;
  const again =
    status === "Done"
      ? `stint reopen ${tasks[0]} ${project_id} --reason "its commit is gone"`
      : `stint resume ${project_id} --unverified`;
  const hint =
    left.size === commits.length
      ? `To have it back${branch === null ? "" : ` on ${branch}`}: ${back}`
      : `Git no longer has it; fetch it if a remote does, or have it done again: ${again}`;
  return { kind: "taken-out", branch, tasks, commits, why, hint };
}

async function isCommit(root: string, ref: string): Promise<boolean> {
  const args = ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`];
  const { code, stdout, stderr } = await runGit(root, args, { accept: [0, 1] });
  if (code === 1) return false;
  if (/^[0-9a-f]{40,64}$/.test(stdout.trim())) return true;
  throw failure(root, args, NOTHING_SAID, stderr);
}

/** A git that says nothing has not said that a commit is lost. */
const NOTHING_SAID = "it answered nothing";

/** @returns those that git does not have as commits */
export async function missingCommits(root: string, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return [];
  const input = commits.map((commit) => `${commit}^{commit}\n`).join("");
  const args = ["cat-file", "--batch-check=%(objecttype)"];
  const { stdout, stderr } = await runGit(root, args, { input });
  const types = stdout.split("\n").filter((line) => line !== "");
  if (types.length !== commits.length) throw failure(root, args, NOTHING_SAID, stderr);
  return commits.filter((_, index) => types[index] !== "commit");
}
