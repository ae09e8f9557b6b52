// The trailers by which Stint knows its own commits again after a crash.
import { findGitFolder } from "./git-folder.ts";
import { gitLines, runGit } from "./run-git.ts";

/** `Stint-Project`, `Stint-Task`, `Stint-Attempt`; a batch names several tasks. */
export type Trailer = readonly [
  name: "Stint-Project" | "Stint-Task" | "Stint-Attempt",
  value: string,
];

const LOOK_BACK = 1000;

export function withTrailers(message: string, trailers: readonly Trailer[]): string {
  const lines = trailers.map(([name, value]) => `${name}: ${oneLine(value)}`);
  const text = message.trim();
  return lines.length === 0 ? `${text}\n` : `${text}\n\n${lines.join("\n")}\n`;
}

/**
 * The newest commit after `since` that carries every given trailer and is none of `others`, or null. In
 * a repository that was made anew since, every commit came after it.
 */
export async function findCommit(
  root: string,
  trailers: readonly Trailer[],
  since: string | null,
  others: readonly string[] = [],
): Promise<string | null> {
  const { stdout } = await runGit(root, [
    "log",
    "-z",
    "--no-show-signature",
    `--max-count=${LOOK_BACK}`,
    "--format=%H%n%(trailers:only,unfold)",
    since === null || !(await holds(root, since)) ? "HEAD" : `${since}..HEAD`,
  ]);
  const wanted = trailers.map(([name, value]) => `${name}: ${oneLine(value)}`);
  for (const record of stdout.split("\0")) {
    const [commit = "", ...found] = record.split("\n");
    if (commit === "" || others.includes(commit)) continue;
    if (wanted.every((line) => found.includes(line))) return commit;
  }
  return null;
}

/**
 * Commits made between two states of HEAD, oldest first: what a session committed itself. None where the
 * repository does not know the first: then nobody can tell whose they are.
 */
export async function commitsBetween(
  root: string,
  before: string | null,
  after: string | null,
): Promise<string[]> {
  if (after === null || before === after || findGitFolder(root) === null) return [];
  if (before !== null && !(await holds(root, before))) return [];
  const range = before === null ? after : `${before}..${after}`;
  return await gitLines(root, ["rev-list", "--reverse", range]);
}

async function holds(root: string, commit: string): Promise<boolean> {
  const name = `${commit}^{commit}`;
  const { code } = await runGit(root, ["rev-parse", "--quiet", "--verify", name], {
    accept: "any",
  });
  return code === 0;
}

function oneLine(value: string): string {
  return value.replace(/\s+/g, " ").trim();
}
