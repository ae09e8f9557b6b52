// Evidence goes where the branch goes, and the branch never waits for it. Notes that others pushed meanwhile are
// brought together with these line by line; nothing is ever forced.
import { StintError } from "../core/stint-error.ts";
import { NOTES_REF } from "./read-notes.ts";
import { type GitOptions, runGit } from "./run-git.ts";

/** The notes as they are here; null where there are none. */
export async function notesHere(root: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", NOTES_REF];
  const { code, stdout } = await runGit(root, args, { accept: "any" });
  return code === 0 ? stdout.trim() : null;
}

/** What somebody else's notes are called for as long as they are brought in. */
const THEIRS = "refs/stint/notes-there";

const MOST_TRIES = 3;
/** The person's pre-push hook looks at what they publish, and has seen that when the branch went. */
const PUSH = ["push", "--porcelain", "--no-verify"];
const QUIETLY = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];

/** @returns why they are not there; null where they are */
export async function pushNotes(
  root: string,
  remote: string,
  options: Pick<GitOptions, "env" | "signal" | "timeoutMs">,
): Promise<string | null> {
  const ask = async (...args: string[]) => await runGit(root, args, { ...options, accept: "any" });
  try {
    for (let tries = 1; ; tries += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const sent = await ask(...PUSH, "--", remote, `${NOTES_REF}:${NOTES_REF}`);
      if (sent.code === 0) return null;
      const isBehind = /^!.*\[rejected\]/m.test(sent.stdout);
      if (!isBehind || tries === MOST_TRIES) return firstLine(sent.stdout, sent.stderr);
      // oxlint-disable-next-line no-await-in-loop
      const got = await ask("fetch", ...QUIETLY, "--", remote, `+${NOTES_REF}:${THEIRS}`);
      if (got.code !== 0) return firstLine("", got.stderr);
      const how = ["--strategy=cat_sort_uniq", "--quiet"];
      // oxlint-disable-next-line no-await-in-loop
      const merged = await ask("notes", `--ref=${NOTES_REF}`, "merge", ...how, THEIRS);
      // oxlint-disable-next-line no-await-in-loop
      await ask("update-ref", "-d", THEIRS);
      if (merged.code !== 0) return firstLine("", merged.stderr);
    }
  } catch (error) {
    if (error instanceof StintError) return error.message;
    throw error;
  }
}

function firstLine(stdout: string, stderr: string): string {
  const refused = /\[(?:remote )?rejected\] \((.+)\)/.exec(stdout)?.[1];
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return refused ?? lines[0]?.trim() ?? "git said nothing";
}
