// What a session may try against the person's machine, and what comes of it behind `protect: home`. The matrix runs every
// row; the table in docs/security.md is made from it.
//
// The home that a row is tried in has what `layHome` puts there; every secret in it holds the word SECRET.

export type Came = "refused" | "hidden" | "allowed";

export interface WallTry {
  readonly about: string;
  /** In a table for persons. */
  readonly what: string;
  /** By `sh -c` in the workspace. Ends with 0 where the try succeeded, as far as it can see. */
  readonly line: string;
  readonly came: Came;
  /** Where root is not held by the same. */
  readonly asRoot?: Came;
}

const NESTED = "unshare --user --map-root-user --mount sh -c";
const CONNECT = (path: string): string =>
  `"$NODE" -e 'require("net").connect(process.argv[1]).on("data", (b) => { process.stdout.write(b); process.exit(0); }).on("error", () => process.exit(1))' "${path}"`;

function reads(what: string, path: string): WallTry {
  return { about: "read a secret", what, line: `cat ${path}`, came: "hidden" };
}

export const WALL_TRIES: readonly WallTry[] = [
  ...(
    [
      ["`rm -rf ~`", "rm -rf ~ 2>/dev/null; ! test -e ~/Documents/letter.txt"],
      ["delete one document", "rm -f ~/Documents/letter.txt"],
      ["`find ~/Documents -delete`", "find ~/Documents -delete"],
      ["delete another repository", "rm -rf ~/code/other"],
    ] as const
  ).map(([what, line]): WallTry => ({ about: "delete", what, line, came: "refused" })),
  ...(
    [
      ["overwrite a document", "echo gone > ~/Documents/letter.txt"],
      ["truncate a document", "truncate -s 0 ~/Documents/letter.txt"],
      ["change permissions", "chmod 777 ~/Documents"],
      ["change times", "touch -d 2001-01-01 ~/Documents/letter.txt"],
      ["write into another repository", "echo x >> ~/code/other/file.txt"],
      ["write a file of the system", "echo x >> /etc/hosts"],
    ] as const
  ).map(([what, line]): WallTry => ({ about: "overwrite", what, line, came: "refused" })),
  ...(
    [
      ["rename a folder", "mv ~/Documents ~/Gone"],
      ["rename the home", 'mv "$HOME" "$HOME-gone"'],
      ["rename the folder above the repository", "mv ~/code ~/gone"],
      ["rename the repository", 'mv "$WORK" "$WORK-gone"'],
      ["move away a folder that a socket is in", 'mv "$TMPDIR/tmux-1000" "$TMPDIR/gone"'],
      ["move away a folder that a key is in", "mv ~/.cache/huggingface ~/.cache/gone"],
      [
        "move a file from a cache over a document",
        "echo x > ~/.cache/x && mv -f ~/.cache/x ~/Documents/letter.txt",
      ],
    ] as const
  ).map(([what, line]): WallTry => ({ about: "rename", what, line, came: "refused" })),
  ...(
    [
      ["write through a link in the workspace", "ln -s ~/Documents l && echo x > l/letter.txt"],
      ["a hard link into the workspace", "ln ~/Documents/letter.txt h && echo x > h"],
      [
        "write through a link in a cache",
        "ln -sfn ~/Documents ~/.cache/l && echo x > ~/.cache/l/letter.txt",
      ],
      ["write through `/proc/self/root`", 'echo x > "/proc/self/root$HOME/Documents/letter.txt"'],
      ["write through `/proc/1/root`", 'echo x > "/proc/1/root$HOME/Documents/letter.txt"'],
      ["write through `/proc/self/cwd/..`", "echo x > /proc/self/cwd/../other/file.txt"],
    ] as const
  ).map(([what, line]): WallTry => ({ about: "links", what, line, came: "refused" })),
  reads("SSH keys", "~/.ssh/id_ed25519"),
  reads("GnuPG keys", "~/.gnupg/key"),
  reads("AWS", "~/.aws/credentials"),
  reads("Kubernetes", "~/.kube/config"),
  reads("Google Cloud", "~/.config/gcloud/credentials.db"),
  reads("Azure", "~/.azure/tokens"),
  reads("netrc", "~/.netrc"),
  reads("Docker's logins", "~/.docker/config.json"),
  reads("npm's token", "~/.npmrc"),
  reads("PyPI's token", "~/.pypirc"),
  reads("cargo's token", "~/.cargo/credentials.toml"),
  reads("the password of an index in `pip.conf`", "~/.config/pip/pip.conf"),
  reads("a token in a cache", "~/.cache/huggingface/token"),
  reads("a token file that `$NPM_CONFIG_USERCONFIG` names", '"$NPM_CONFIG_USERCONFIG"'),
  reads("what `$DOCKER_CONFIG` moved", '"$DOCKER_CONFIG/config.json"'),
  reads("git's stored passwords", "~/.git-credentials"),
  reads("the token of `gh`", "~/.config/gh/hosts.yml"),
  reads("a file that `$KUBECONFIG` names", '"$KUBECONFIG"'),
  reads("the approver key", '"$STATE/approver.key"'),
  reads("an SSH key through `/proc/self/root`", '"/proc/self/root$HOME/.ssh/id_ed25519"'),
  reads("the environment of the run", '"/proc/$RUN/environ"'),
  reads("the memory of the run", '"/proc/$RUN/mem"'),
  reads("a descriptor of the run", '"/proc/$RUN/fd/0" "/proc/$RUN/cwd/../state/approver.key"'),
  { about: "sockets", what: "ssh-agent", line: CONNECT("$SSH_AUTH_SOCK"), came: "hidden" },
  {
    about: "sockets",
    what: "gpg-agent",
    line: CONNECT("$XDG_RUNTIME_DIR/gnupg/S.gpg-agent"),
    came: "hidden",
  },
  { about: "sockets", what: "D-Bus", line: CONNECT("$XDG_RUNTIME_DIR/bus"), came: "hidden" },
  { about: "sockets", what: "Docker", line: CONNECT("${DOCKER_HOST#unix://}"), came: "hidden" },
  {
    about: "sockets",
    what: "a terminal multiplexer in the temporary folder",
    line: CONNECT("$TMPDIR/tmux-1000/default"),
    came: "hidden",
  },
  {
    about: "sockets",
    what: "an editor that listens in the home",
    line: CONNECT("$HOME/.editor/server.sock"),
    came: "hidden",
  },
  {
    about: "sockets",
    what: "one of your servers that `show:` names",
    line: CONNECT("$TMPDIR/database.sock"),
    came: "allowed",
  },
  { about: "processes", what: "type into your terminal", line: ": < /dev/tty", came: "refused" },
  {
    about: "processes",
    what: "use a descriptor that was left open",
    // Beside nothing, its own pipes, which have no name any more, and the folder that is listed.
    line: "ls -l /proc/self/fd | grep -e '-> /' | grep -qv -e '-> /dev/null$' -e ' (deleted)$' -e '-> /proc/'",
    came: "refused",
  },
  { about: "processes", what: "kill the run", line: 'kill -9 "$RUN"', came: "refused" },
  {
    about: "processes",
    what: "write a setting of the kernel",
    // The value that it has: a try that succeeds must harm nobody.
    line: 'old=$(cat /proc/sys/kernel/core_pattern) && printf "%s" "$old" > /proc/sys/kernel/core_pattern',
    came: "refused",
    asRoot: "allowed",
  },
  ...(
    [
      ["make it writable again", `mount -o remount,bind,rw / && echo x > ~/Documents/letter.txt`],
      [
        "mount it elsewhere, writable",
        `mount --bind ~/Documents /mnt && mount -o remount,bind,rw /mnt && echo x > /mnt/letter.txt`,
      ],
    ] as const
  ).map(([what, line]): WallTry => ({
    about: "a namespace inside",
    what,
    line: `${NESTED} '${line}'`,
    came: "refused",
  })),
  {
    about: "a namespace inside",
    what: "take away what hides a key",
    line: `${NESTED} 'umount ~/.ssh; cat ~/.ssh/id_ed25519'`,
    came: "hidden",
  },
  {
    about: "a namespace inside",
    what: "bubblewrap in it",
    line: `bwrap --bind / / sh -c 'echo x > ~/Documents/letter.txt'`,
    came: "refused",
  },
  {
    about: "setuid helpers",
    what: "sudo, su",
    line: "sudo -n sh -c 'echo x > ~/Documents/letter.txt' || su -c 'echo x > ~/Documents/letter.txt' </dev/null",
    came: "refused",
  },
  {
    about: "Stint's own",
    what: "write another project's state",
    line: "echo x > ~/code/other/agents/stint/projects/p/state.json",
    came: "refused",
  },
  {
    about: "Stint's own",
    what: "write the state folder",
    line: 'echo x > "$STATE/approver.key"',
    came: "hidden",
  },
  ...(
    [
      ["`~/.bashrc`", "echo evil >> ~/.bashrc"],
      ["a new `~/.profile`", "echo evil > ~/.profile"],
      ["crontab", "echo '* * * * * true' | crontab - || echo x > /var/spool/cron/crontabs/me"],
      [
        "a systemd user unit",
        "mkdir -p ~/.config/systemd/user && touch ~/.config/systemd/user/e.service",
      ],
      [
        "autostart of the desktop",
        "mkdir -p ~/.config/autostart && touch ~/.config/autostart/e.desktop",
      ],
      ["git's global configuration", "git config --global core.hooksPath /tmp/evil"],
      ["a program on your PATH", "mkdir -p ~/.local/bin && touch ~/.local/bin/git"],
      ["a program of cargo", "touch ~/.cargo/bin/cargo"],
      ["npm's global installs", 'touch "$(dirname "$NODE")/evil" || mkdir -p ~/.npm-global/lib'],
      ["pip's user installs", "mkdir -p ~/.local/lib/python3/site-packages"],
      [
        "authorized keys of root or you",
        "echo evil >> ~/.ssh/authorized_keys; cat ~/.ssh/id_ed25519",
      ],
    ] as const
  ).map(([what, line]): WallTry => ({
    about: "what starts later",
    what,
    line,
    came: what.startsWith("authorized") ? "hidden" : "refused",
  })),
  {
    about: "devices",
    what: "read the disk itself",
    line: 'test -n "$DISK" && head -c 1 "$DISK" >/dev/null',
    came: "refused",
    asRoot: "allowed",
  },
  ...(
    [
      ["write in the workspace", "echo x > new.txt"],
      ["write in the temporary folder", 'echo x > "$TMPDIR/new"'],
      ["npm's cache", "echo x > ~/.npm/new"],
      ["all of `~/.cache`", "echo x > ~/.cache/new"],
      ["cargo's registry", "echo x > ~/.cargo/registry/new"],
      ["the agent's own state", "echo x > ~/.claude/new && echo {} > ~/.claude.json"],
      ["what `writable:` names", "echo x > ~/.config/tool/new"],
      ["read what is not secret", "cat ~/Documents/letter.txt"],
      ["read git's global configuration", "git config --global user.name"],
      ["npm's registry in `~/.npmrc`", "grep registry ~/.npmrc"],
      ["what `show:` names of a hidden folder", "cat ~/.ssh/known_hosts"],
    ] as const
  ).map(([what, line]): WallTry => ({ about: "still works", what, line, came: "allowed" })),
];
