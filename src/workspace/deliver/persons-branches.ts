// A branch that the person gave another name (`git branch -m`): git says so in the record that it keeps of
// where refs were. Believed only of a branch that held what ours was last seen to hold, at that moment and
// now, so that an old rename of another branch of the same name counts for nothing.
import { branchName } from "../../git/refs.ts";
import { gitLines } from "../../git/run-git.ts";
import { type PersonRepository, readRefs } from "../base/person-repository.ts";
import { isAncestor } from "../base/refs.ts";

/** Renamed twice is renamed; nobody does it more often than this while work waits. */
const MOST_RENAMES = 10;

/** By its full name, as `branch` is; null where that was deleted. */
export async function renamedTo(
  person: PersonRepository,
  branch: string,
  held: string,
): Promise<string | null> {
  let name = branch;
  for (let count = 0; count < MOST_RENAMES; count++) {
    // oxlint-disable-next-line no-await-in-loop
    const next = await lastRename(person, name, held);
    if (next === null) return null;
    // oxlint-disable-next-line no-await-in-loop
    const there = (await readRefs(person, [next])).get(next);
    if (there !== undefined) {
      // oxlint-disable-next-line no-await-in-loop
      return (await isAncestor(person, held, there.commit)) ? next : null;
    }
    name = next;
  }
  return null;
}

async function lastRename(
  person: PersonRepository,
  name: string,
  held: string,
): Promise<string | null> {
  const said = `Branch: renamed ${name} to `;
  const find = ["--walk-reflogs", "--all", "--fixed-strings", `--grep-reflog=${said}`];
  const format = ["--no-show-signature", "--date=unix", "--format=%H %gd %gs"];
  const { code, stdout } = await person.git.run(["log", ...find, ...format], { accept: "any" });
  if (code !== 0) return null;
  const renames = stdout.split("\n").flatMap((line) => {
    const [commit = "", entry = "", ...words] = line.split(" ");
    const text = words.join(" ");
    const at = Number(/@\{(\d+)\}$/.exec(entry)?.[1] ?? 0);
    return text.startsWith(said) ? [{ commit, at, to: text.slice(said.length) }] : [];
  });
  const last = renames.toSorted((one, other) => other.at - one.at)[0];
  return last !== undefined && (await isAncestor(person, held, last.commit)) ? last.to : null;
}

interface ProjectRefs {
  readonly root: string;
  readonly project: string;
  readonly slug: string;
}

/** Those of a project whose commits no other branch, remote branch or tag of the person's holds. */
export async function undeliveredBranches(refs: ProjectRefs): Promise<readonly string[]> {
  // Where both are the same commit, the branch is the name that a person knows.
  const own = [`refs/heads/stint/${refs.slug}`, `refs/stint/${refs.project}/tip`];
  const format = "--format=%(refname) %(objectname)";
  const lines = await gitLines(refs.root, ["for-each-ref", "--sort=-refname", format, ...own]);
  const byCommit = new Map(lines.map((line) => line.split(" ")).map(([name, at]) => [at, name]));
  const found = await Promise.all(
    [...byCommit].map(async ([commit = "", name = ""]) =>
      (await isHeldElsewhere(refs.root, commit, own)) ? [] : [branchName(name)],
    ),
  );
  return found.flat();
}

async function isHeldElsewhere(
  root: string,
  commit: string,
  own: readonly string[],
): Promise<boolean> {
  const args = ["for-each-ref", "--format=%(refname)", `--contains=${commit}`];
  const holders = await gitLines(root, [...args, "refs/heads", "refs/remotes", "refs/tags"]);
  return holders.some((name) => !own.includes(name));
}
