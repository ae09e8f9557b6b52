// Commands that take away what nobody can bring back: Stint asks the agents that can do so to refuse
// them. Few and sure; what slips through shows in the diff afterwards and is restored from the
// snapshot taken before the session.

export interface DestructiveCommand {
  readonly start: string;
  /** Only with this word, wherever it stands after the start. */
  readonly having?: string;
}

export const DESTRUCTIVE_COMMANDS: readonly DestructiveCommand[] = [
  { start: "git reset", having: "--hard" },
  { start: "git clean" },
  { start: "git push", having: "--force" },
  { start: "git push", having: "-f" },
  { start: "git push", having: "--mirror" },
  { start: "git push", having: "--delete" },
  { start: "git branch", having: "-D" },
  { start: "git stash drop" },
  { start: "git stash clear" },
  { start: "git reflog expire" },
  { start: "git filter-branch" },
  { start: "git checkout -- ." },
  { start: "git restore ." },
  { start: "rm -rf ~" },
  { start: "rm -rf .." },
  { start: "rm -rf .git" },
  { start: "npm uninstall -g" },
  { start: "apt remove" },
  { start: "apt purge" },
  { start: "apt-get remove" },
  { start: "apt-get purge" },
  { start: "brew uninstall" },
];

/** The beginnings of a command in which `*` stands for anything. */
export function destructiveGlobs(): readonly string[] {
  return DESTRUCTIVE_COMMANDS.flatMap(({ start, having }) =>
    having === undefined ? [`${start}*`] : [`${start} ${having}*`, `${start} * ${having}*`],
  );
}
