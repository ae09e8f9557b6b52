// Walls in whole runs of the built executable.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { availableKinds } from "../support/available-kinds.ts";
import { STINT } from "../support/built-stint.ts";
import { REPOSITORY } from "../support/generated-files.ts";
import { git, gitInit } from "../support/git.ts";

/** Git ignores the first; a home in a temporary folder is no less a home. */
const HOMES = [join(REPOSITORY, ".walls"), realpathSync(tmpdir())] as const;
const hasNamespaces = availableKinds().some((kind) => kind !== "group");

let home: string;
let root: string;
let count = 0;
beforeEach(() => makeHome(HOMES[0]));
afterEach(() => rmSync(home, { recursive: true, force: true }));

function makeHome(folder: string): void {
  mkdirSync(folder, { recursive: true });
  home = realpathSync(mkdtempSync(join(folder, "stint-home-")));
  root = join(home, "code/shop");
  mkdirSync(root, { recursive: true });
  gitInit(root);
  write("code/shop/one.txt", "one\n");
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

interface Told {
  readonly code: number | null;
  readonly text: string;
  /** What `status` and the journal say then. */
  readonly later: string;
}

/** A run of one task by an agent that is a shell script. */
function run({
  agent = "echo made > made.txt",
  steps = "- [ ] one - Write one file\n  - check: `test -f made.txt`\n",
  front = "",
  words = [],
  isPushed = false,
}: {
  readonly agent?: string;
  readonly steps?: string;
  readonly front?: string;
  readonly words?: readonly string[];
  /** What is there before the run is pushed, too. */
  readonly isPushed?: boolean;
}): Told {
  count += 1;
  const manifest = `prompt-${count}.md`;
  write(`code/shop/${manifest}`, `---\n${front}\n---\n\n# Goal\n\nIt works.\n\n# Steps\n\n${steps}`);
  write("code/shop/agent.sh", `#!/bin/sh\n${agent}\n`);
  chmodSync(join(root, "agent.sh"), 0o755);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "a manifest");
  if (isPushed) git(root, "push", "-q", "--no-verify");
  const args = [STINT, "run", manifest, "--approve-plan", "--agent", "command:./agent.sh"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8" };
  const told = spawnSync(process.execPath, [...args, ...words], {
    cwd: root,
    encoding: "utf8",
    env: { ...env, GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "a@b.c", GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "a@b.c" },
  });
  const asked = spawnSync(process.execPath, [STINT, "status", manifest], { cwd: root, encoding: "utf8", env });
  const journal = join(root, `agents/stint/projects/prompt-${count}/logs/journal.jsonl`);
  const log = existsSync(journal) ? readFileSync(journal, "utf8") : "";
  return { code: told.status, text: `${told.stdout}${told.stderr}`, later: `${asked.stdout}${log}` };
}

describe.runIf(hasNamespaces)("walls in a run", () => {
  it.each(HOMES)("a session that runs `rm -rf ~` deletes nothing, and its work is done: %s", (folder) => {
    rmSync(home, { recursive: true });
    makeHome(folder);
    write("Documents/letter.txt", "Dear Ada\n");
    write(".ssh/id", "key\n");
    const agent = "cat ~/.ssh/id; (cd / && rm -rf ~/Documents ~/.ssh/id ~/code/shop/one.txt)\necho made > made.txt";
    const { code, text } = run({ agent });
    expect([code, text.includes("key\n")]).toEqual([0, false]);
    expect(readFileSync(join(home, "Documents/letter.txt"), "utf8")).toBe("Dear Ada\n");
    expect(existsSync(join(home, ".ssh/id"))).toBe(true);
  });

  it("a home that is a link is held as well", () => {
    const real = home;
    write("Documents/letter.txt", "Dear Ada\n");
    write(".npmrc", "//r/:_authToken=t0ken-of-npm\n");
    home = `${real}-link`;
    symlinkSync(real, home);
    root = join(home, "code/shop");
    const { code, text } = run({
      agent: "cat ~/.npmrc; rm -rf ~/Documents\necho made > made.txt",
    });
    rmSync(home);
    home = real;
    expect([code, text.includes("t0ken-of-npm")]).toEqual([0, false]);
    expect(readFileSync(join(home, "Documents/letter.txt"), "utf8")).toBe("Dear Ada\n");
  });

  it("a write that was refused is named with what allows it, and then it is allowed", () => {
    const steps = "- [ ] one - Write one file\n  - check: `test -f made.txt && mkdir -p ~/.config/tool && touch ~/.config/tool/x`\n";
    write(".config/other/x", "");
    const agent = "echo made > made.txt; mkdir -p ~/.tool || exit 3";
    const refused = run({ agent, steps, front: "budgets: { sessions: 1 }" });
    expect(refused.code).not.toBe(0);
    expect(refused.later).toContain(
      "~/.tool is read-only by `protect: home`; allow with `writable: ~/.tool`",
    );
    const kept = run({ steps, front: "budgets: { sessions: 1 }" });
    expect(kept.later).toContain("allow with `writable: ~/.config/tool`");
    const allowed = run({ agent, steps, front: "writable: [~/.tool, ~/.config/tool]" });
    expect(allowed.code).toBe(0);
    expect(existsSync(join(home, ".config/tool/x"))).toBe(true);
  });

  it("an act is held as well, unless it says protect: off; a hook is held", () => {
    write("code/shop/.git/hooks/pre-commit", "#!/bin/sh\ntouch ~/from-hook 2>/dev/null\nexit 0\n");
    chmodSync(join(root, ".git/hooks/pre-commit"), 0o755);
    const act = "- [ ] one - Install it\n  - run: `touch ~/installed`\n";
    const refused = run({ steps: act });
    expect([refused.code === 0, existsSync(join(home, "installed"))]).toEqual([false, false]);
    expect(refused.text).toContain("read-only by `protect: home`");
    const steps = `${act}  - protect: off\n- [ ] two - Write one file\n  - check: \`test -f made.txt\`\n`;
    expect(run({ steps }).code).toBe(0);
    expect(existsSync(join(home, "installed"))).toBe(true);
    expect(existsSync(join(home, "from-hook"))).toBe(false);
  });

  it("network: none reaches nothing, loopback itself, and serve is refused with it", () => {
    const listens = `const s=require("net").createServer().listen(0,"127.0.0.1",()=>require("net").connect(s.address().port,"127.0.0.1",()=>process.exit(0)).on("error",()=>process.exit(1))).on("error",()=>process.exit(1))`;
    write("code/shop/listens.cjs", listens);
    const steps = "- [ ] one - Write one file\n  - check: `test -f made.txt && node listens.cjs`\n";
    expect(run({ steps, front: "network: loopback" }).code).toBe(0);
    const none = run({ steps, front: "network: none\nbudgets: { sessions: 1 }" });
    expect(none.code).not.toBe(0);
    const serve = 'network: loopback\nserve: { run: "true", ready: "http://localhost:$STINT_PORT/" }';
    const refused = run({ front: serve });
    expect([refused.code, refused.text]).toEqual([
      2,
      expect.stringContaining("serve: and network: loopback do not work together"),
    ]);
  });

  it("a socket of another program is hidden, and named where a check cannot connect to it", async () => {
    const path = join(home, "db.sock");
    const server = createServer((socket) => socket.end()).listen(path);
    await once(server, "listening");
    const connects = `require("net").connect(${JSON.stringify(path)}).on("error",(e)=>{console.error(e.message);process.exit(1)}).on("connect",()=>process.exit(0))`;
    write("code/shop/connects.cjs", connects);
    const steps = "- [ ] one - Write one file\n  - check: `test -f made.txt && node connects.cjs`\n";
    const refused = run({ steps, front: "budgets: { sessions: 1 }" });
    expect(refused.code).not.toBe(0);
    expect(refused.later).toContain("~/db.sock is hidden by `protect: home`; allow with `show: ~/db.sock`");
    expect(run({ steps, front: "show: ~/db.sock" }).code).toBe(0);
    server.close();
  });

  it("strict: caches are empty and private", () => {
    write(".npm/index", "x\n");
    const steps = "- [ ] one - Write one file\n  - check: `test -f made.txt && ! test -e ~/.npm/index && touch ~/.npm/new`\n";
    expect(run({ steps, words: ["--protect", "strict"] }).code).toBe(0);
    expect([existsSync(join(home, ".npm/new")), existsSync(join(home, ".npm/index"))]).toEqual([false, true]);
  });
});

describe("what the person's own git would start", () => {
  const ESCAPES = "touch ~/escaped 2>/dev/null; cat ~/.ssh/key >> ~/escaped 2>/dev/null; ls ~/.local/state/stint/approver.key >> ~/escaped 2>/dev/null";
  const escaped = (): boolean => existsSync(join(home, "escaped"));
  const STEPS = "- [ ] one - Write one file\n  - check: `test -f made.txt`\n";

  function withRemote(hook: string): string {
    const remote = join(home, "remote.git");
    git(root, "init", "-q", "--bare", remote);
    git(root, "remote", "add", "origin", remote);
    write(".ssh/key", "secret\n");
    write("code/shop/hooks/pre-push", `#!/bin/sh\n${hook}\n`);
    chmodSync(join(root, "hooks/pre-push"), 0o755);
    git(root, "add", "-A");
    git(root, "commit", "-qm", "a hook");
    git(root, "switch", "-qc", "work");
    git(root, "push", "-q", "-u", "origin", "work");
    git(root, "config", "core.hooksPath", "hooks");
    return remote;
  }

  it.runIf(hasNamespaces)("a pre-push hook that a session rewrote runs inside the walls, on the verified work", () => {
    const remote = withRemote("exit 0");
    const rewritten = `printf '#!/bin/sh\\n${ESCAPES.replaceAll("'", "")}\\ntest -f made.txt && cat >/dev/null\\n' > hooks/pre-push`;
    const { code, text } = run({ agent: `echo made > made.txt\n${rewritten}`, steps: STEPS, isPushed: true });
    expect([code, text]).toEqual([0, expect.stringContaining("Done: every task is done")]);
    expect(readFileSync(join(root, "hooks/pre-push"), "utf8")).toContain("escaped");
    expect(escaped()).toBe(false);
    expect(git(remote, "log", "-1", "--format=%s", "work")).toBe(git(root, "log", "-1", "--format=%s"));
  });

  it("a pre-push hook that refuses is told in its words, and nothing is pushed", () => {
    const remote = withRemote('read -r what; case $what in *" refs/heads/work "*) echo "not on a Friday, $1" ;; esac; exit 1');
    const { code, text } = run({ steps: STEPS, isPushed: true });
    expect([code, text]).toEqual([4, expect.stringContaining("a hook refused it (not on a Friday, origin)")]);
    expect(git(remote, "log", "-1", "--format=%s", "work").trim()).toBe("a manifest");
  });

  it.each([
    ["filter.x.clean", "./tools/x.sh"],
    ["filter.x.smudge", "sh tools/x.sh %f"],
    ["diff.x.textconv", "./tools/x.sh"],
    ["merge.x.driver", "./tools/x.sh %O %A %B"],
  ])("a file that %s names is neither started nor committed as a session wrote it", (key, value) => {
    write("code/shop/tools/x.sh", "#!/bin/sh\ncat\n");
    write("code/shop/.gitattributes", "*.dat filter=x diff=x merge=x\n");
    write("code/shop/a.dat", "a\n");
    chmodSync(join(root, "tools/x.sh"), 0o755);
    git(root, "config", key, value);
    const rewritten = `printf '#!/bin/sh\\ntouch ${home}/escaped; cat\\n' > tools/x.sh; echo b >> a.dat`;
    const { code, text } = run({ agent: `echo made > made.txt\n${rewritten}`, steps: STEPS });
    expect([code, text]).toEqual([4, expect.stringContaining("tools/x.sh cannot be committed: it is started by git itself")]);
    expect(escaped()).toBe(false);
    expect(run({ agent: "echo made > made.txt; echo c >> a.dat", steps: STEPS }).code).toBe(0);
    expect(git(root, "show", "HEAD:a.dat")).toBe("a\nc\n");
    expect([git(root, "show", "HEAD:tools/x.sh"), escaped()]).toEqual(["#!/bin/sh\ncat\n", false]);
  });

  it("no file system monitor and no other hook is started", () => {
    write("code/shop/tools/x.sh", "#!/bin/sh\n");
    chmodSync(join(root, "tools/x.sh"), 0o755);
    for (const name of ["post-index-change", "reference-transaction", "post-merge", "post-checkout"]) {
      write(`code/shop/hooks/${name}`, `#!/bin/sh\ntouch ${home}/escaped\n`);
      chmodSync(join(root, "hooks", name), 0o755);
    }
    const rewritten = `printf '#!/bin/sh\\ntouch ${home}/escaped\\n' > tools/x.sh`;
    const agent = `echo made > made.txt\n${rewritten}`;
    write("code/shop/agent.sh", "");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "tools");
    git(root, "switch", "-qc", "work");
    git(root, "config", "core.fsmonitor", "./tools/x.sh");
    git(root, "config", "core.hooksPath", "hooks");
    write("code/shop/prompt.md", `# Goal\n\nIt works.\n\n# Steps\n\n${STEPS}`);
    write("agent.sh", `#!/bin/sh\n${agent}\n`);
    chmodSync(join(home, "agent.sh"), 0o755);
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "a@b.c", GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "a@b.c" };
    for (const words of [["run", "prompt.md", "--agent", `command:${home}/agent.sh`], ["status"], ["verify"], ["plan", "prompt.md"], ["doctor"]]) {
      const { status, stderr } = spawnSync(process.execPath, [STINT, ...words], { cwd: root, encoding: "utf8", env });
      expect([words[0], status, stderr]).toEqual([words[0], 0, ""]);
    }
    expect(readFileSync(join(root, "tools/x.sh"), "utf8")).toContain("escaped");
    expect(escaped()).toBe(false);
  });
});

it("without a namespace home says once that it cannot hold, and strict refuses", () => {
  const { code, text } = run({ words: ["--isolation", "off"] });
  expect(code).toBe(0);
  expect(text.split("protect: home cannot be enforced here").length).toBe(2);
  const strict = run({ words: ["--isolation", "off", "--protect", "strict"] });
  expect([strict.code, strict.text]).toEqual([
    2,
    expect.stringContaining("protect: strict cannot be enforced here: sessions run without a namespace"),
  ]);
});
