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

/** Whether a command is, or holds, one of these. */
export function isDestructive(command: string): boolean {
  return DESTRUCTIVE_COMMANDS.some((known) => isIn(known, command));
}

/** Those that a session must refuse, given the commands that a person has approved for it. */
export function refusedCommands(approved: readonly string[] = []): readonly DestructiveCommand[] {
  return DESTRUCTIVE_COMMANDS.filter((known) => !approved.some((command) => isIn(known, command)));
}

/** The same as beginnings of a command in which `*` stands for anything. */
export function refusedGlobs(approved?: readonly string[]): readonly string[] {
  return refusedCommands(approved).flatMap(({ start, having }) =>
    having === undefined ? [`${start}*`] : [`${start} ${having}*`, `${start} * ${having}*`],
  );
}

function isIn({ start, having }: DestructiveCommand, command: string): boolean {
  const at = command.indexOf(start);
  if (at === -1) return false;
  if (having === undefined) return true;
  const words = command.slice(at + start.length).split(/\s+/);
  return words.some((word) => word.startsWith(having));
}
