// Where sessions work, from what was typed and what the files say: a copy, seen at the repository's path
// or at its own, or the folder itself.
import { join, resolve } from "node:path";
import { isWithin } from "../../core/files.ts";
import type { WorkspaceWish, WorkspaceWord } from "../../core/written/workspace-settings.ts";
import { StintError } from "../../core/stint-error.ts";
import { realPathOf } from "../../store/real-path.ts";

export interface ChosenWorkspace {
  readonly kind: "own-copy" | "in-place";
  /** Sessions see a copy where it is; without this, at the repository's path where that is possible. */
  readonly shownAt?: "own-path";
  /** Where copies lie instead of the state folder. Absolute. */
  readonly dir?: string;
}

export interface TypedWorkspace {
  /** Work in the checkout itself; the same as `workspace: "in-place"`. */
  readonly inPlace?: boolean;
  /** Start from the person's uncommitted changes: they become a first commit in their name. */
  readonly includeChanges?: boolean;
  readonly workspace?: WorkspaceWord | undefined;
}

/** What decides where nobody says anything. */
export interface Place {
  readonly root: string;
  readonly hasGit: boolean;
  readonly home: string | undefined;
}

/** The one word that was typed in two ways. */
export function typedWorkspace({ inPlace, workspace }: TypedWorkspace): WorkspaceWord | undefined {
  const word = inPlace === true ? "in-place" : workspace;
  if (workspace !== undefined && word !== workspace) {
    throw new StintError(
      "bad-input",
      `--in-place and --workspace ${workspace} contradict each other`,
      "Use one of them: stint run --help",
    );
  }
  return word;
}

export function chooseWorkspace(
  typed: TypedWorkspace,
  wish: WorkspaceWish,
  place: Place,
): ChosenWorkspace {
  const chosen = workspaceFor(typedWorkspace(typed) ?? wish.kind, wish, place);
  if (chosen.kind === "own-copy" || typed.includeChanges !== true) return chosen;
  throw new StintError(
    "bad-input",
    "--include-changes starts a copy from your uncommitted changes, and this run works in place, among them",
    place.hasGit
      ? "Leave out --include-changes, or work in a copy: --workspace copy"
      : "Leave out --include-changes",
  );
}

function workspaceFor(
  word: WorkspaceWord | undefined,
  wish: WorkspaceWish,
  place: Place,
): ChosenWorkspace {
  const dir = wish.dir === undefined ? {} : { dir: folderOf(wish.dir, place) };
  if (!place.hasGit) return withoutGit(word, place);
  if (word === "in-place") return { kind: "in-place" };
  if (word === "own-path") return { kind: "own-copy", shownAt: "own-path", ...dir };
  if (place.home === undefined || realPathOf(place.home) !== realPathOf(place.root)) {
    return { kind: "own-copy", ...dir };
  }
  if (word === undefined) return { kind: "own-copy", shownAt: "own-path", ...dir };
  throw new StintError(
    "bad-input",
    `${place.root} is your home folder, and a copy cannot be shown at its path`,
    "Write workspace: own-path, or workspace: in-place",
  );
}

/** Without a repository there is nothing to copy from, and nothing to deliver to. */
function withoutGit(word: WorkspaceWord | undefined, { root }: Place): ChosenWorkspace {
  if (word === undefined || word === "in-place") return { kind: "in-place" };
  throw new StintError(
    "bad-input",
    `workspace: ${word} needs a git repository, and ${root} is not in one`,
    `Create one: git init ${root}; or write workspace: in-place`,
  );
}

function folderOf(written: string, { root, home }: Place): string {
  if (written.startsWith("~") && home === undefined) {
    throw new StintError(
      "bad-input",
      `workspace.dir is ${written}, and HOME is not set`,
      "Write the whole path: workspace: { dir: /big/disk/stint }",
    );
  }
  const folder = resolve(written.startsWith("~") ? join(home ?? "", written.slice(1)) : written);
  // Nothing is mounted through a link.
  const real = realPathOf(folder);
  if (!isWithin(real, realPathOf(root))) return real;
  throw new StintError(
    "bad-input",
    `workspace.dir is ${written}, which is inside the checkout ${root}`,
    "Name a folder outside every repository, for example workspace: { dir: ~/stint-workspaces }",
  );
}
