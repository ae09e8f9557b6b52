// Why git would not fast-forward a checkout, in plain words.

export interface Obstacle {
  readonly why: string;
  /** What brings the work in: `branch` is where it waits, `bring` the command that tries again. */
  readonly hint: (branch: string, bring: string) => string;
}

const MOST_NAMES = 5;

export const DIVERGED: Obstacle = {
  why: "your branch has commits that the work does not hold",
  hint: (branch) => `Bring both together: git merge ${branch}`,
};

export function inPlainWords(said: string): Obstacle {
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(said)?.[1];
  if (lock !== undefined) {
    return {
      why: `another git command works in the checkout, or one was killed and left ${lock}`,
      hint: (_, bring) => `If no git runs there: rm '${lock}'. Then: ${bring}`,
    };
  }
  if (/Not possible to fast-forward|refusing to merge unrelated/.test(said)) {
    return DIVERGED;
  }
  const changed = namesAfter(said, /Your local changes to the following files/);
  if (changed !== null) {
    return {
      why: `you have uncommitted changes in ${changed}`,
      hint: (_, bring) => `Commit or stash them, then: ${bring}`,
    };
  }
  const untracked = namesAfter(
    said,
    /untracked working tree (?:files|directories)|Updating the following directories would lose untracked files/,
  );
  if (untracked !== null) {
    return {
      why: `files of yours that are in no commit are in the way: ${untracked}`,
      hint: (_, bring) => `Move them away or commit them, then: ${bring}`,
    };
  }
  const first = said.split("\n").find((line) => /^(?:error|fatal): /.test(line)) ?? said.trim();
  return {
    why:
      first === ""
        ? "git left the branch where it was"
        : `git says: ${first.replace(/^\w+: /, "")}`,
    hint: (branch) => `See it for yourself: git merge --ff-only ${branch}`,
  };
}

/** The indented names that follow a line, or null without such a line. */
function namesAfter(said: string, line: RegExp): string | null {
  const lines = said.split("\n");
  const at = lines.findIndex((each) => line.test(each));
  if (at === -1) return null;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((each) => !each.startsWith("\t") && !each.startsWith("  "));
  const names = rest.slice(0, end === -1 ? undefined : end).map((each) => each.trim());
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
