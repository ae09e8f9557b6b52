// The commits of verified work as a list: what each made, what it made it from, and for which tasks.
import { emptyTreeLike } from "../../git/diff-trees.ts";
import type { Place } from "../repository/place.ts";
import type { NamedCommit } from "../workspace.ts";

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
export async function readCommits(place: Place, range: readonly string[]): Promise<WorkCommit[]> {
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
  const trees = await treesOf(
    place,
    found.flatMap(({ parents }) => parents.slice(0, 1)),
  );
  return found.map((commit) => ({
    ...commit,
    base: trees.get(commit.parents[0] ?? "") ?? emptyTreeLike(commit.tree),
  }));
}

export async function treesOf(
  { git }: Place,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const { stdout } = await git.run(["log", "--no-walk=unsorted", "--format=%H %T", "--stdin"], {
    input: `${[...new Set(commits)].join("\n")}\n`,
    isStrict: true,
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

/** A squash keeps the messages of what it holds, indented or not. */
function tasksIn(message: string, project: string): Pick<WorkCommit, "tasks" | "marks"> {
  const lines = message.split("\n").map((line) => line.trim());
  if (!lines.includes(`Stint-Project: ${project}`)) return { tasks: [], marks: "" };
  const marked = lines.filter((line) => /^Stint-(?:Task|Attempt): /.test(line));
  const tasks = marked.filter((line) => line.startsWith("Stint-Task: "));
  return {
    tasks: [...new Set(tasks.map((line) => line.slice("Stint-Task: ".length)))],
    marks: marked.join("\n"),
  };
}
