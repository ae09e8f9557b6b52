// What came after all of Stint's commits on the branch that has them, and changed files of its tasks: nobody ran their
// checks on that. What a fresh clone proved since then is proven. Only looks.
import { isWithin } from "../../core/files.ts";
import type { TaskId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { DeliveryNow, VerifyView } from "../../core/schema/views.ts";
import { gitLines, runGit } from "../../git/run-git.ts";
import { committedWork, missingCommits } from "./delivery-now.ts";

interface Place {
  readonly root: string;
  /** Files and folders in it that Stint writes itself: they are no work of a task. */
  readonly own: readonly string[];
}

/** Null where there are none, and where no branch of the person's has the work. */
export async function laterCommits(
  { root, own }: Place,
  state: ProjectState,
  now: DeliveryNow | null,
): Promise<VerifyView["later"]> {
  const tip = tipWith(now);
  const work = committedWork(state);
  if (tip === null || work.length === 0) return null;
  const proven = state.proof?.kind === "proven" ? [state.proof.commit] : [];
  const judged = [...new Set([...work.map(({ commit }) => commit), ...proven])];
  const gone = new Set(await missingCommits(root, judged));
  const known = judged.filter((commit) => !gone.has(commit));
  if (known.length === 0) return null;
  const isWork = (path: string): boolean => !own.some((each) => isWithin(path, each));
  const made = new Map(
    (await changesOf(root, ["--no-walk=unsorted", ...known])).map(({ id, paths }) => [id, paths]),
  );
  const tasksOf = new Map<string, readonly TaskId[]>();
  for (const { task, commit } of work) {
    for (const path of (made.get(commit) ?? []).filter(isWork)) {
      tasksOf.set(path, [...(tasksOf.get(path) ?? []), task]);
    }
  }
  const marks = `Stint-Project: ${state.project_id}`;
  const after = await changesOf(root, ["--topo-order", tip, "--not", ...known]);
  const later = after
    // Those of this project that somebody amended, rebased or squashed are told of by their tasks.
    .filter(({ message }) => !message.split("\n").some((line) => line.trim() === marks))
    .filter(({ paths }) => paths.some((path) => tasksOf.has(path)));
  if (later.length === 0) return null;
  const changed = new Set(later.flatMap(({ paths }) => paths).filter((path) => tasksOf.has(path)));
  const touched = new Set([...changed].flatMap((path) => tasksOf.get(path) ?? []));
  return {
    tip: (await gitLines(root, ["rev-parse", "--verify", `${tip}^{commit}`])).join(""),
    commits: later.map(({ id, message }) => ({
      commit: id,
      subject: message.split("\n", 1)[0] ?? "",
    })),
    tasks: work.flatMap(({ task }) => (touched.has(task) ? [task] : [])),
    paths: [...changed].toSorted(),
  };
}

/** Where the work is, as git names it; what waits is on a branch that nobody else commits to. */
function tipWith(now: DeliveryNow | null): string | null {
  if (now?.kind === "delivered") return `refs/heads/${now.branch}`;
  return now?.kind === "in-place" ? "HEAD" : null;
}

interface Change {
  readonly id: string;
  readonly message: string;
  readonly paths: readonly string[];
}

const FORMAT = ["-z", "-c", "--name-only", "--no-renames", "--no-show-signature"];

/** @param range as `git log` takes it; of a merge only what it has from none of its parents */
async function changesOf(root: string, range: readonly string[]): Promise<Change[]> {
  const { stdout } = await runGit(root, ["log", ...FORMAT, "--format=%x00%H%n%B", ...range]);
  const found: { id: string; message: string; paths: string[] }[] = [];
  for (const part of stdout.split("\0")) {
    const [, id = "", message = ""] = /^([0-9a-f]{40,64})\n(.*)$/s.exec(part) ?? [];
    const path = part.replace(/^\n/, "");
    if (id !== "") found.push({ id, message, paths: [] });
    else if (path !== "") found.at(-1)?.paths.push(path);
  }
  return found;
}
