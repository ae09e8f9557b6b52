// Why git would not fast-forward a checkout, in plain words.
import { shellWord } from "../../core/written/commands.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { branchName } from "../../git/refs.ts";

export interface Obstacle {
  readonly why: string;
  /** What brings the work in: `branch` is where it waits, `bring` the command that tries again. */
  readonly hint: (branch: string, bring: string) => string;
}

export const DIVERGED: Obstacle = {
  why: "your branch has commits that the work does not contain",
  hint: (branch) => `Combine both: git merge ${branch}`,
};

export const TAKEN_OUT: Obstacle = {
  why: "your branch no longer has commits that the work is based on",
  hint: (branch) => `To bring it back: git merge ${branch}`,
};

const DELETED = " was deleted since the work began";

export function deleted(branch: string): Obstacle {
  return {
    why: `${branchName(branch)}${DELETED}`,
    hint: (_, bring) => `Say where it should go instead: ${bring} --into <branch>`,
  };
}

/** Whether work waits only until it follows the person's branch. */
export function isBranchMoved(why: string): boolean {
  return why === DIVERGED.why || why === TAKEN_OUT.why || why.endsWith(DELETED);
}

/** Of a delivery that was planned for another index; it is tried again. */
export const INDEX_MOVES: Obstacle = {
  why: "other git commands write the index of the checkout all the time",
  hint: (_, bring) => `When they have ended: ${bring}`,
};

export function lockedBy(lock: string): Obstacle {
  return {
    why: `another git command works in the checkout, or one was killed and left ${lock}`,
    hint: (_, bring) => `If no git runs there: rm '${lock}'. Then: ${bring}`,
  };
}

export function uncommittedIn(names: readonly string[]): Obstacle {
  return {
    why: `you have uncommitted changes in ${fewOf(names)}`,
    hint: (_, bring) => `Commit or stash them, then: ${bring}`,
  };
}

/** Git shows no change of them and commits none, so there may be nothing to commit or stash. */
export function hiddenFromGit(names: readonly string[], isSkipped: boolean): Obstacle {
  const mark = isSkipped ? "skip-worktree" : "assume-unchanged";
  const paths = names.map(shellWord).join(" ");
  return {
    why: `git is told not to look at ${fewOf(names)} (${mark})`,
    hint: (_, bring) =>
      `Let it look again: git update-index --no-${mark} -- ${paths}. Commit or stash what git status shows there, then: ${bring}`,
  };
}

/** Nothing can be staged, committed or stashed before. */
export function inConflict(names: readonly string[] = []): Obstacle {
  const where = names.length === 0 ? "" : ` in ${fewOf(names)}`;
  return {
    why: `the checkout has conflicts that are not resolved yet${where}`,
    hint: (_, bring) =>
      `Resolve them (git status shows them) and git add the files, then: ${bring}`,
  };
}

export function inTheWay(names: readonly string[]): Obstacle {
  return {
    why: `files of yours that are in no commit are in the way: ${fewOf(names)}`,
    hint: (_, bring) => `Move them away or commit them, then: ${bring}`,
  };
}

/** A file that could not be put in place, and everything is as before. */
export function notWritten(path: string, why: string): Obstacle {
  return {
    why: `${path} could not be put in place: ${why}`,
    hint: (_, bring) => `Make it possible, then: ${bring}`,
  };
}

export function inPlainWords(said: string): Obstacle {
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(said)?.[1];
  if (lock !== undefined) return lockedBy(lock);
  if (/Not possible to fast-forward|refusing to merge unrelated/.test(said)) {
    return DIVERGED;
  }
  if (/need to resolve your current index first|unmerged/i.test(said)) return inConflict();
  const changed = namesAfter(
    said,
    /Your local changes to the following files|Entry '.+' (?:not uptodate|would be overwritten)/,
  );
  if (changed !== null) return uncommittedIn(changed);
  const untracked = namesAfter(
    said,
    /untracked working tree (?:files|directories)|Updating the following directories would lose untracked files/,
  );
  if (untracked !== null) return inTheWay(untracked);
  const lines = said.split("\n");
  const last = lines.findLast((line) => line.startsWith("fatal: "));
  const first = last ?? lines.find((line) => line.startsWith("error: ")) ?? said.trim();
  return {
    why:
      first === ""
        ? "git left the branch where it was"
        : `git says: ${first.replace(/^\w+: /, "")}`,
    hint: (branch) => `See it for yourself: git merge --ff-only ${branch}`,
  };
}

/** The indented names that follow a line, or the one that it quotes; null without such a line. */
function namesAfter(said: string, line: RegExp): string[] | null {
  const lines = said.split("\n");
  const at = lines.findIndex((each) => line.test(each));
  if (at === -1) return null;
  const quoted = /Entry '(.+)'/.exec(lines[at] ?? "")?.[1];
  if (quoted !== undefined) return [quoted];
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((each) => !each.startsWith("\t") && !each.startsWith("  "));
  return rest.slice(0, end === -1 ? undefined : end).map((each) => each.trim());
}
