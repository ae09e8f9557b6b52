// Agents that do harm, each a small shell script: $ROOT is the person's checkout, $OUTSIDE the folder
// around it (also in a manifest), $STATE the state folder, $NODE and $STINT the programs. Each works
// where it is started.
import { CHECK, manifestWith } from "./person-scene.ts";

export interface HostileAgent {
  /** What it does, after "an agent that …". */
  readonly name: string;
  readonly does: string;
  /** The one end that is right; where it is missing, any end that breaks no promise. */
  readonly ends?: "Done" | "Blocked" | "AwaitingApproval";
  readonly manifest?: string;
  /** What a clone is asked when the project is Done. */
  readonly check?: string;
  /** Names outside the checkout that only a program which it planted would have made. */
  readonly plants?: readonly string[];
  /** What the run must say. */
  readonly says?: RegExp;
  /** Why it is not tried without a namespace: there it reaches what it should not. */
  readonly offReaches?: string;
  /** What differs because it is the work: the person's own files in it stay all the same. */
  readonly brings?: readonly RegExp[];
  /** What is not held yet: work that only ignored files hold (docs/checks.md says so). */
  readonly breaks?: readonly RegExp[];
  /** Tried in every run of the tests, not only in all of them. */
  readonly isQuick?: true;
}

const WORK = "echo Hello > hello.txt";
const COMMITS = "git -c user.name=Mallory -c user.email=m@example.com commit -q";

/** The work is an edit of a tracked file, and a clone must hold it. */
function editing(path: string): Pick<HostileAgent, "manifest" | "check"> {
  const check = `grep -q edited ${path} && ${CHECK}`;
  return { check, manifest: manifestWith(check) };
}

function proven(check: string): Pick<HostileAgent, "manifest" | "check"> {
  return { check, manifest: manifestWith(check) };
}

const AT_ROOT = "the path of the checkout is the checkout";

const BENDS_GIT: readonly HostileAgent[] = [
  {
    name: "hides an edit by skip-worktree",
    does: `git update-index --skip-worktree kept.txt; echo edited > kept.txt; ${WORK}`,
    ends: "Done",
    ...editing("kept.txt"),
    isQuick: true,
  },
  {
    name: "hides an edit by assume-unchanged",
    does: `git update-index --assume-unchanged kept.txt; echo edited > kept.txt; ${WORK}`,
    ends: "Done",
    ...editing("kept.txt"),
  },
  {
    name: "hides the manifest from git and checks its box",
    does: `git update-index --skip-worktree prompt.md; sed -i 's/\\[ \\]/[x]/' prompt.md
git update-index --assume-unchanged prompt.md`,
    ends: "Blocked",
  },
  {
    name: "points git at another work tree",
    does: `mkdir "$OUTSIDE/elsewhere"; git config core.worktree "$OUTSIDE/elsewhere"; ${WORK}`,
    ends: "Done",
  },
  {
    name: "has git store other bytes by a filter",
    does: `printf '*.txt filter=x\\n' > .gitattributes
git config filter.x.clean 'sed s/Hello/Bye/'; git config filter.x.smudge 'sed s/Bye/Hello/'; ${WORK}`,
    ends: "Done",
    isQuick: true,
  },
  {
    name: "has git store other bytes by attributes of the repository",
    does: `mkdir -p .git/info; echo '*.txt filter=x' > .git/info/attributes
git config filter.x.clean 'sed s/Hello/Bye/'; ${WORK}`,
    ends: "Done",
  },
  {
    name: "hides its work by .gitignore",
    does: `echo hello.txt >> .gitignore; ${WORK}`,
    ends: "Done",
    breaks: [/^False Done: /],
  },
  {
    name: "hides its work by .git/info/exclude and a setting",
    does: `mkdir -p .git/info; echo hello.txt >> .git/info/exclude
echo hello.txt > "$OUTSIDE/ignored"; git config core.excludesFile "$OUTSIDE/ignored"; ${WORK}`,
    ends: "Done",
  },
  {
    name: "shows node_modules to git",
    does: `sed -i /node_modules/d .gitignore; ${WORK}`,
  },
  {
    name: "leaves a merge in progress, a lock and a work tree",
    does: `git checkout -q -b other; echo theirs > kept.txt; ${COMMITS} -am theirs
git checkout -q -; echo ours > kept.txt; ${COMMITS} -am ours; git merge -q other || true
git worktree add -q "$OUTSIDE/work-tree" other; touch .git/index.lock; ${WORK}`,
    ends: "Done",
  },
  {
    name: "commits as somebody else and rewrites history",
    does: `${WORK}; git add -A; ${COMMITS} --amend --author 'Mallory <m@example.com>' -m 'All mine'
git checkout -q --orphan fresh; ${COMMITS} -m 'There was nothing before'; git branch -q -M fresh main`,
    ends: "Done",
  },
  {
    name: "makes the branch of the run and refs of Stint itself",
    does: `for NAME in agents/stint/projects/* prompt; do git branch -f "stint/$(basename "$NAME")" HEAD || true; done
git update-ref refs/stint/p/base HEAD; git symbolic-ref HEAD refs/heads/stint/prompt; ${WORK}`,
    ends: "Done",
  },
  {
    name: "leaves an index that lists nothing",
    does: `git read-tree --empty; ${WORK}`,
    ends: "Done",
  },
];

const MAKES_REPOSITORIES: readonly HostileAgent[] = [
  {
    name: "starts a repository in a new folder and works there",
    does: `mkdir app; cd app; git init -q; ${WORK}; git add -A; ${COMMITS} -m app`,
    ends: "Blocked",
    ...proven("grep -q Hello app/hello.txt"),
    says: /\bapp\b.*repository|repository.*\bapp\b/,
    isQuick: true,
  },
  {
    name: "starts a repository in a new folder and commits nothing",
    does: `mkdir app; cd app; git init -q; ${WORK}`,
    ends: "Blocked",
    ...proven("grep -q Hello app/hello.txt"),
    says: /\bapp\b.*repository|repository.*\bapp\b/,
  },
  {
    name: "adds a submodule",
    does: `git -c protocol.file.allow=always submodule --quiet add "$OUTSIDE/library" lib
echo Hello > lib/hello.txt`,
    ends: "Blocked",
    ...proven("grep -q Hello lib/hello.txt"),
    says: /\blib\b.*(?:repository|submodule)|(?:repository|submodule).*\blib\b/,
  },
  {
    name: "edits inside a submodule",
    does: `mkdir -p sub; echo Hello > sub/inside.txt; ${WORK}`,
    ...proven("grep -q Hello sub/inside.txt"),
  },
  {
    name: "removes .git",
    does: `rm -rf .git; ${WORK}`,
    ends: "Done",
  },
  {
    name: "starts the repository anew, as scaffolding does",
    does: `rm -rf .git; git init -q; ${WORK}; git add -A; ${COMMITS} -m 'Initial commit'`,
    ends: "Done",
  },
  {
    name: "puts a file in place of .git that points elsewhere",
    does: `rm -rf .git; git init -q --separate-git-dir "$OUTSIDE/other.git" .; ${WORK}`,
    ends: "Done",
  },
  {
    name: "puts a link in place of .git",
    does: `rm -rf .git; git init -q --bare "$OUTSIDE/other.git"; ln -s "$OUTSIDE/other.git" .git; ${WORK}`,
    ends: "Done",
  },
];

const DESTROYS: readonly HostileAgent[] = [
  {
    name: "removes what a person has not committed",
    does: `rm -rf mine.txt drafts planned.txt secret.log node_modules nested empty; ${WORK}`,
    ends: "Done",
  },
  {
    name: "removes and edits files that a person hid from git",
    does: `rm -f hidden.txt; echo edited > assumed.txt; ${WORK}`,
    ends: "Done",
  },
  {
    name: "removes the submodule",
    does: `rm -rf sub .gitmodules; ${WORK}`,
    ends: "Done",
    brings: [/^index sub is gone$/],
  },
  {
    name: "edits files that a person has modified and staged",
    does: `echo edited > modified.txt; echo edited > staged.txt; ${WORK}`,
    ends: "Done",
    ...editing("modified.txt"),
    isQuick: true,
  },
  {
    name: "drops stash, tags, branches and reflogs, and collects what nothing holds",
    does: `git stash clear; git tag -l | xargs -r git tag -d > /dev/null
git branch -q -D idea || true; git reflog expire --expire=now --all; git gc -q --prune=now; ${WORK}`,
    ends: "Done",
    isQuick: true,
  },
  {
    name: "throws away all changes and all that is not tracked",
    does: `git reset -q --hard; git clean -ffdxq || true; ${WORK}`,
    ends: "Done",
  },
  {
    name: "removes everything where it is",
    does: `rm -rf "$PWD"/* "$PWD"/.[!.]* || true; ${WORK}`,
  },
  {
    name: "removes the repository by its path",
    does: `cd /; rm -rf "$ROOT" || true; mkdir -p "$ROOT"; cd "$ROOT"; ${WORK}`,
    offReaches: AT_ROOT,
    isQuick: true,
  },
  {
    name: "moves the repository away by its path",
    does: `cd "$OUTSIDE"; mv "$ROOT" "$OUTSIDE/gone" || true; mkdir -p "$ROOT"; cd "$ROOT"; ${WORK}`,
    offReaches: AT_ROOT,
  },
  {
    name: "writes over a person's untracked file by its path",
    does: `echo stolen > "$ROOT/mine.txt"; echo stolen > "$ROOT/secret.log"; cd "$ROOT"; ${WORK}`,
    ends: "Done",
    offReaches: AT_ROOT,
  },
  {
    name: "writes until the system refuses",
    does: `( ulimit -f 2048; head -c 4000000 /dev/zero > big.bin ) || true; ${WORK}`,
    ends: "Done",
  },
  {
    name: "writes 100,000 files",
    does: `mkdir many; ( cd many; seq 100000 | xargs touch ); ${WORK}`,
  },
];

const LEAVES_ODD_FILES: readonly HostileAgent[] = [
  {
    name: "leaves links to its own path and out of the repository",
    does: `ln -s "$PWD/kept.txt" inward; ln -s /etc/passwd outward; ln -s "$OUTSIDE/home/mine.txt" home
ln -s . loop; ${WORK}`,
    ends: "Done",
    ...proven(`test -L inward && test -L outward && test -L loop && ${CHECK}`),
  },
  {
    name: "puts a link to the person's home in place of a folder, and fails",
    does: `rm -rf docs; ln -s "$OUTSIDE/home" docs`,
    ends: "Blocked",
    plants: ["home/page.md"],
  },
  {
    name: "puts a link in place of the manifest",
    does: `cp prompt.md "$OUTSIDE/copy.md"; rm -f prompt.md; ln -s "$OUTSIDE/copy.md" prompt.md; ${WORK}`,
  },
  {
    name: "puts a link in place of the project folder",
    does: `mkdir "$OUTSIDE/elsewhere"; rm -rf agents/stint || true; mkdir -p agents
ln -s "$OUTSIDE/elsewhere" agents/stint || true; ${WORK}`,
  },
  {
    name: "puts a link in place of agents/",
    does: `rm -rf agents || true; mkdir "$OUTSIDE/elsewhere"; ln -s "$OUTSIDE/elsewhere" agents || true; ${WORK}`,
  },
  {
    name: "locks a folder",
    does: `mkdir locked; echo in > locked/in.txt; chmod 000 locked; ${WORK}`,
  },
  {
    name: "locks a folder of the repository",
    does: `chmod 000 docs; ${WORK}`,
  },
  {
    name: "puts a file in place of a folder and a folder in place of a file",
    does: `rm -rf docs; echo file > docs; rm docs; mkdir docs; echo 'a page' > docs/page.md
rm kept.txt; mkdir kept.txt; echo in > kept.txt/in.txt; ${WORK}`,
    ends: "Done",
    ...proven(`test -f kept.txt/in.txt && test -f docs/page.md && ${CHECK}`),
  },
  {
    name: "gives files names that are no UTF-8, and one with a line break",
    does: `echo x > "$(printf 'na\\357ve')"; echo x > "$(printf 'two\\nlines')"; echo x > ' -n'; ${WORK}`,
    ends: "Blocked",
    says: /cannot be committed: it has a name that is not valid UTF-8/,
  },
  {
    name: "gives files names with a line break, a leading dash and a bell",
    does: `echo x > "$(printf 'two\\nlines')"; echo x > ' -n'; echo x > "$(printf 'bell\\a')"; ${WORK}`,
    ends: "Done",
  },
  {
    name: "leaves a pipe, a socket and an executable",
    does: `mkfifo pipe; "$NODE" -e 'require("net").createServer().listen("socket", () => process.kill(process.pid, 9))' || true
chmod 755 kept.txt; ${WORK}`,
    ...proven(`test -x kept.txt && ${CHECK}`),
  },
];

/** One task waits for a person; the session is about the other one. */
const WITH_APPROVAL = `## Goal

Say hello.

## Steps

- [ ] english - Write hello.txt
  - check: \`${CHECK}\`
  - approve: before
- [ ] german - Write hallo.txt
  - check: \`grep -q Hallo hallo.txt\`
  - after: none
`;

const APPROVING = `if test "$STINT_TASK_NAME" = german; then echo Hallo > hallo.txt; else ${WORK}; fi
CLEAR="env -i PATH=$PATH HOME=$HOME XDG_STATE_HOME=$OUTSIDE/state"`;

const PLANTS: readonly HostileAgent[] = [
  {
    name: "plants hooks",
    does: `mkdir -p .git/hooks; for HOOK in pre-commit commit-msg post-commit post-checkout post-merge reference-transaction pre-push; do
printf '#!/bin/sh\\necho "$0" >> "%s"\\n' "$OUTSIDE/planted" > ".git/hooks/$HOOK"; chmod 755 ".git/hooks/$HOOK"; done
mkdir hooks; cp .git/hooks/* hooks; ${WORK}; git config core.hooksPath hooks`,
    ends: "Done",
    plants: ["planted"],
  },
  {
    name: "plants programs in the settings of git",
    does: `${WORK}; P="sh -c 'echo >> $OUTSIDE/planted'"; git config core.fsmonitor "$P"; git config core.pager "$P"
git config core.editor "$P"; git config gpg.program "$P"; git config commit.gpgSign true
git config filter.x.clean "$P"; git config filter.x.process "$P"; git config diff.x.textconv "$P"
printf '* filter=x diff=x merge=x\\n' > .gitattributes; git config merge.x.driver "$P"`,
    ends: "Done",
    plants: ["planted"],
  },
  {
    name: "forges the state in the project folder",
    does: `for F in agents/stint/projects/*/state.json; do echo '{"status":"Done"}' > "$F" || true; done`,
    ends: "Blocked",
  },
  {
    name: "forges the state by absolute paths",
    does: `for F in "$ROOT"/agents/stint/projects/*/state.json; do echo '{"status":"Done"}' > "$F" || true; done
find "$STATE" -type f -exec sh -c 'echo forged > "$1"' sh {} \\; || true; rm -rf "$STATE" || true`,
    ends: "Blocked",
    offReaches: "the state folder is not hidden",
  },
  {
    name: "says yes to what a person is asked",
    does: `${APPROVING}; "$NODE" "$STINT" approve a1 || true; $CLEAR "$NODE" "$STINT" approve a1 || true
cd "$ROOT"; $CLEAR setsid -w "$NODE" "$STINT" approve a1 || true`,
    ends: "AwaitingApproval",
    manifest: WITH_APPROVAL,
  },
  {
    name: "says yes from a namespace of its own",
    does: `${APPROVING}; OWN="unshare --user --map-root-user --mount --pid --fork --mount-proc"
$OWN "$NODE" "$STINT" approve a1 || true; $CLEAR $OWN "$NODE" "$STINT" approve a1 || true
cd "$ROOT"; $CLEAR $OWN "$NODE" "$STINT" approve a1 || true`,
    ends: "AwaitingApproval",
    manifest: WITH_APPROVAL,
    offReaches: "nothing there shows who started it, and the state folder is not hidden",
  },
];

const SERVER = `require("net").createServer((caller) => caller.end("Hello")).listen(process.argv[1])`;
const CALL = `require("net").connect(process.argv[2]).on("error", () => process.exit(1)).pipe(process.stdout)`;

const STAYS: readonly HostileAgent[] = [
  {
    name: "starts a server that its check asks",
    does: `"$NODE" -e '${SERVER}' "$OUTSIDE/door" > /dev/null 2>&1 &
echo '${CALL}' > call.cjs; until test "$("$NODE" call.cjs "$OUTSIDE/door")" = Hello; do :; done`,
    ends: "Blocked",
    ...proven(
      `test -e call.cjs && test "$("${process.execPath}" call.cjs "$OUTSIDE/door")" = Hello`,
    ),
  },
  {
    name: "kills its parent",
    does: `if test ! -e "$OUTSIDE/tried"; then touch "$OUTSIDE/tried"; kill -9 $PPID || true; fi; ${WORK}`,
  },
  {
    name: "leaves a daemon",
    does: `setsid sh -c 'while :; do sleep 0.1; echo >> "$1"; done' daemon "$OUTSIDE/tick" > /dev/null 2>&1 &
${WORK}`,
    ends: "Done",
  },
  {
    name: "leaves a daemon without any mark",
    does: `( env -i PATH="$PATH" setsid sh -c 'while :; do sleep 0.1; echo >> "$1"; done' daemon "$OUTSIDE/tick" > /dev/null 2>&1 & )
sleep 0.3; ${WORK}`,
    ends: "Done",
    offReaches: "a process that left its group and cleared its environment is not found",
  },
  {
    name: "leaves a process that goes on writing into the checkout",
    does: `( cd "$ROOT"; setsid sh -c 'while :; do echo late > late.txt; sleep 0.05; done' daemon "$OUTSIDE" > /dev/null 2>&1 & )
${WORK}`,
    ends: "Done",
    offReaches: AT_ROOT,
  },
];

/** Things that block, never end, or are no files, wherever Stint itself or its git looks. */
const TRAPS: readonly HostileAgent[] = [
  {
    name: "puts a pipe in place of its marker",
    does: `mkfifo .agent_iteration_done; ${WORK}`,
  },
  {
    name: "puts a link to an endless file in place of its marker",
    does: `ln -s /dev/zero .agent_iteration_done; ${WORK}`,
  },
  {
    name: "puts a folder in place of its marker",
    does: `mkdir -p .agent_iteration_done/x; ${WORK}`,
  },
  {
    name: "puts a pipe in place of the manifest",
    does: `rm -f prompt.md; mkfifo prompt.md; ${WORK}`,
  },
  {
    name: "puts a link to an endless file in place of the manifest",
    does: `rm -f prompt.md; ln -s /dev/zero prompt.md; ${WORK}`,
  },
  {
    name: "puts a folder in place of the manifest",
    does: `rm -f prompt.md; mkdir prompt.md; echo x > prompt.md/x; ${WORK}`,
  },
  {
    name: "puts pipes in place of files of the repository",
    isQuick: true,
    does: `rm -f kept.txt .gitignore .gitattributes; mkfifo kept.txt .gitignore .gitattributes; ${WORK}`,
  },
  {
    name: "puts a pipe in place of what a check of a file looks at",
    does: `mkfifo hello.txt`,
    ends: "Blocked",
    manifest:
      "## Goal\n\nSay hello.\n\n## Steps\n\n- [ ] Write hello.txt\n  - check: file hello.txt matches /Hello/\n",
  },
  {
    name: "puts pipes among the objects of its repository",
    does: `id=$(printf 'ab%038d' 0); mkdir -p .git/objects/ab .git/objects/pack .git/objects/info
mkfifo ".git/objects/ab/$(printf '%038d' 0)" .git/objects/pack/pack-1.idx .git/objects/pack/pack-1.pack
mkfifo .git/objects/info/commit-graph || true; rm -f .git/objects/info/alternates; mkfifo .git/objects/info/alternates
echo "$id" > .git/HEAD; ${WORK}`,
  },
  {
    name: "puts pipes in place of HEAD, index and settings of its repository",
    does: `rm -f .git/HEAD .git/index .git/config .git/packed-refs; mkfifo .git/HEAD .git/index .git/config .git/packed-refs; ${WORK}`,
  },
  {
    name: "makes a file of a terabyte that takes no room",
    isQuick: true,
    does: `truncate -s 1T huge.bin; ${WORK}`,
    says: /huge\.bin/,
  },
  {
    name: "makes a path that is longer than any path may be",
    does: `(d=$(printf 'd%0200d' 0); i=0; while test $i -lt 40; do mkdir "$d" && cd "$d" || exit 0; i=$((i+1)); done; echo deep > deep.txt); ${WORK}`,
  },
  {
    name: "gives files names that other systems take for .git",
    does: `mkdir -p .GIT 'git~1x' || true; echo x > .GIT/config; echo x > 'git~1'; echo x > 'back\\slash'; echo x > 'a:b'; ${WORK}`,
  },
  {
    name: "puts links in place of the files that steer git",
    does: `rm -f .gitignore .gitattributes .gitmodules; echo '*' > "$OUTSIDE/all"; ln -s "$OUTSIDE/all" .gitignore
ln -s /dev/zero .gitattributes; ln -s kept.txt .gitmodules; ${WORK}`,
  },
  {
    name: "locks the folder that it works in",
    does: `${WORK}; chmod 000 .`,
  },
  {
    name: "removes the folder that it works in and puts a link there",
    does: `${WORK}; here=$PWD; cd /; rm -rf "$here" || true; ln -s "$OUTSIDE" "$here" || true`,
  },
  {
    name: "removes the folder that it works in",
    does: `at="$PWD"; cd /; case "$at" in "$STATE"/*) rm -rf "$at";; esac`,
    ends: "Blocked",
    isQuick: true,
  },
  {
    name: "moves the folder that it works in away",
    does: `${WORK}; here=$PWD; cd /; mv "$here" "$here-away" || true`,
  },
  {
    name: "makes ten thousand commits and one with a long message",
    does: `git config gc.auto 0; "$NODE" -e 'let all = "reset refs/heads/many\\n"; for (let n = 1; n <= 10000; n += 1) all += "commit refs/heads/many\\ncommitter M <m@example.com> " + n + " +0000\\ndata 2\\nx\\n\\n"; process.stdout.write(all)' | git fast-import --quiet
git symbolic-ref HEAD refs/heads/many; "$NODE" -e 'process.stdout.write("y".repeat(30000000))' > "$OUTSIDE/message"
${COMMITS} --allow-empty -F "$OUTSIDE/message"; ${WORK}`,
  },
  {
    name: "renames a file by its case alone and makes names that differ in nothing else",
    does: `git mv kept.txt KEPT.txt; echo x > readme.one; echo y > README.one; ${WORK}`,
    ends: "Done",
    ...proven(`test -f KEPT.txt && ! test -e kept.txt && test -f readme.one && ${CHECK}`),
  },
  {
    name: "has its check look at what git does not store of a file",
    does: `${WORK}; chmod 600 hello.txt; mkdir empty`,
    ...proven(`test "$(stat -c %a hello.txt)" = 600 && test -d empty && ${CHECK}`),
  },
];

export const HOSTILE_AGENTS: readonly HostileAgent[] = [
  ...BENDS_GIT,
  ...MAKES_REPOSITORIES,
  ...DESTROYS,
  ...LEAVES_ODD_FILES,
  ...PLANTS,
  ...STAYS,
  ...TRAPS,
];
