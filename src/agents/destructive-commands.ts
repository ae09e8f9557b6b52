// Commands that take away what nobody can bring back: Stint asks the agents that can do so to refuse
// them. Few and sure, as beginnings of a command; what slips through shows in the diff afterwards and
// is restored from the snapshot taken before the session.

export const DESTRUCTIVE_COMMANDS: readonly string[] = [
  "git reset --hard",
  "git clean",
  "git push --force",
  "git push -f",
  "git push --mirror",
  "git push --delete",
  "git branch -D",
  "git stash drop",
  "git stash clear",
  "git reflog expire",
  "git filter-branch",
  "git checkout -- .",
  "git restore .",
  "rm -rf ~",
  "rm -rf ..",
  "rm -rf .git",
  "npm uninstall -g",
  "apt remove",
  "apt purge",
  "apt-get remove",
  "apt-get purge",
  "brew uninstall",
];
