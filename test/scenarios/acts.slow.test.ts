// Commands that a manifest has Stint execute itself (`run:`), in whole runs of the built executable: what
// they find of git, and what of theirs reaches the person.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { git } from "../support/git.ts";
import { type Act, KEPT, Scenario } from "../support/scenario.ts";

let scene: Scenario;
afterEach(() => scene.close());

const DONE = { ...KEPT, code: 0, status: "Done" };
const made: Act = { act: "write", path: "made.txt", text: "made\n" };
const ONE = "- [ ] one - Write made.txt\n  - check: `test -f made.txt`\n";

function manifest(steps: string): string {
  return `# Goal\n\nIt is out.\n\n# Steps\n\n${steps}`;
}

/** A clone with an upstream, whose person works on a branch of their own. */
function withOrigin(steps: string, front = ""): void {
  scene = new Scenario({ manifest: `${front}${manifest(steps)}` });
  const origin = join(scene.path, "origin.git");
  git(scene.path, "init", "-q", "--bare", origin);
  scene.git("remote", "add", "origin", origin);
  const main = scene.git("symbolic-ref", "--short", "HEAD").trim();
  scene.git("push", "-q", "-u", "origin", main);
  scene.git("switch", "-q", "-c", "feature");
  scene.git("push", "-q", "-u", "origin", "feature");
}

/** What `gh pr create --fill` asks git for, told in a file outside of every workspace. */
function standIn(): NodeJS.ProcessEnv {
  const bin = join(scene.path, "bin");
  mkdirSync(bin);
  const told = join(scene.path, "gh.txt");
  writeFileSync(
    join(bin, "gh"),
    `#!/bin/sh
set -e
{
  echo "called: $*"
  echo "branch: $(git symbolic-ref --short HEAD)"
  echo "upstream: $(git rev-parse --abbrev-ref '@{upstream}')"
  echo "address: $(git remote get-url --push origin)"
  echo "commits: $(git log --format=%s "$(git merge-base HEAD origin/HEAD)..HEAD")"
  echo "not pushed: $(git rev-list --count '@{upstream}..HEAD')"
} > "${told}" 2>&1
`,
  );
  chmodSync(join(bin, "gh"), 0o755);
  return { PATH: `${bin}:${process.env["PATH"]}` };
}

async function play(env: NodeJS.ProcessEnv = {}, ...words: string[]) {
  const script = join(scene.path, "script.json");
  writeFileSync(script, JSON.stringify({ manifest: "prompt.md", tasks: { one: [made] } }));
  const options = { env: env as Record<string, string> };
  return await scene.runWith(options, "--agent", `scripted:${script}`, ...words);
}

describe("an act", () => {
  it("that is `gh pr create --fill` sees branch, commits, upstream and the real address", async () => {
    withOrigin(`${ONE}- [ ] pr - Open a request\n  - run: \`gh pr create --fill\`\n`);
    scene.git("remote", "set-head", "origin", scene.git("branch", "--list", "ma*").trim());
    const result = await play(standIn());
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one", "pr"] });
    expect(readFileSync(join(scene.path, "gh.txt"), "utf8")).toBe(
      [
        "called: pr create --fill",
        "branch: feature",
        "upstream: origin/feature",
        `address: ${join(scene.path, "origin.git")}`,
        "commits: one: Write made.txt",
        "not pushed: 0",
        "",
      ].join("\n"),
    );
  });

  it("tags what was committed before it, and the tag is the person's, with its object", async () => {
    const command = "git tag -a -m 'the first' v1.0 && git push -q origin v1.0 && git tag -f taken";
    // A push of one's own puts something in front of others, and would be asked about.
    withOrigin(
      `${ONE}- [ ] tag - Tag it\n  - run: \`${command}\`\n`,
      "---\nrelease: auto\n---\n\n",
    );
    scene.git("tag", "taken");
    const before = scene.git("rev-parse", "taken");
    const result = await play();
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one", "tag"] });
    expect(scene.git("cat-file", "-t", "v1.0")).toBe("tag\n");
    expect(scene.git("log", "-1", "--format=%s", "v1.0")).toBe("one: Write made.txt\n");
    expect(scene.git("ls-remote", "origin", "refs/tags/v1.0")).toBe(
      `${scene.git("rev-parse", "v1.0").trim()}\trefs/tags/v1.0\n`,
    );
    expect(scene.git("rev-parse", "taken")).toBe(before);
    const { id } = scene.task("tag");
    const said = [
      `${id} made the tag v1.0; it is now in your repository`,
      `the tag taken of ${id} was not copied: your repository has another tag of that name, and it is never moved`,
    ];
    for (const text of said) {
      expect(result.out).toContain(text);
      expect(scene.journal()).toContain(text);
    }
    const evidence = join(scene.root, "agents/stint/projects/prompt/artifacts/evidence", id);
    expect(existsSync(evidence)).toBe(true);
    expect(readFileSync(join(evidence, "1/act.json"), "utf8")).toContain(said[0]);
  });

  it("of a run that was killed has its tags taken over by the next one", async () => {
    withOrigin(
      `- [ ] tag - Tag it\n  - run: \`git tag v1.0 && kill -9 $PPID\`\n  - check: \`git rev-parse v1.0\`\n`,
    );
    const killed = await play({}, "--isolation", "off");
    expect([killed.signal, scene.git("tag")]).toEqual(["SIGKILL", ""]);
    const result = await play({}, "--isolation", "off");
    expect(result.state.status).toBe("Done");
    expect(scene.git("rev-parse", "v1.0")).toBe(scene.git("rev-parse", "HEAD~1"));
  });
});

describe("an act in the checkout", () => {
  const LOOK =
    "{ pwd; git rev-parse --absolute-git-dir; git log -1 --format=%s; cat mine.txt; } > ../there.txt";
  const install = (command: string) =>
    `- [ ] install - Install it\n  - run: \`${command}\`\n  - in: checkout\n`;

  it("finds the person's own files and repository, with all work before it, and the plan says so", async () => {
    scene = new Scenario({ manifest: manifest(`${ONE}${install(`${LOOK}; git tag here`)}`) });
    const plan = await scene.say("plan", "prompt.md");
    expect(plan.out).toContain("      runs in your checkout itself, not in a workspace\n");
    expect(plan.out).toContain(`May run: ${LOOK}; git tag here (in the checkout) (not allowed yet)\n`);
    const result = await play();
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one", "install"] });
    expect(readFileSync(join(scene.path, "there.txt"), "utf8")).toBe(
      `${scene.root}\n${scene.root}/.git\none: Write made.txt\nnot tracked, and mine\n`,
    );
    expect(scene.git("rev-parse", "here")).toBe(scene.git("rev-parse", "HEAD~1"));
  });

  it("starts in its folder there, and leaves what it writes to the person", async () => {
    const steps = `${install("echo new > written.txt")}  - dir: web\n  - check: \`test -e a.txt && test ! -e written.txt\`\n`;
    scene = new Scenario({ manifest: manifest(steps), files: { "web/a.txt": "a\n" } });
    const result = await play();
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["install"] });
    expect(scene.read("web/written.txt")).toBe("new\n");
    expect(scene.git("status", "--porcelain", "-uall", "web/written.txt")).toContain("??");
  });

  it("is not begun where the work before it waits", async () => {
    scene = new Scenario({ manifest: manifest(`${ONE}${install(LOOK)}`) });
    scene.write("made.txt", "in the way\n");
    const result = await play();
    expect(result.state.status).not.toBe("Done");
    expect(result.out).toContain("it must run in the checkout, and the work before it waits on");
    expect(result.out).not.toContain("fix the cause");
    expect(existsSync(join(scene.path, "there.txt"))).toBe(false);
    scene.git("clean", "-fq", "made.txt");
    const again = await play({}, "--retry");
    expect(scene.judge(again, ["made.txt"])).toEqual({ ...DONE, done: ["one", "install"] });
    expect(existsSync(join(scene.path, "there.txt"))).toBe(true);
  });

  it("needs a yes where the same command was allowed in a workspace", async () => {
    const inWorkspace = install(LOOK).replace("  - in: checkout\n", "");
    scene = new Scenario({ manifest: manifest(`${ONE}${inWorkspace}`) });
    await play({}, "--sessions", "1");
    expect(scene.task("install").status).toBe("pending");
    scene.write("prompt.md", `${scene.read("prompt.md")}  - in: checkout\n`);
    // Who starts a run anew allows what it tells them; who goes on allows nothing.
    const result = await scene.say("resume", scene.state().project_id);
    expect(existsSync(join(scene.path, "there.txt"))).toBe(false);
    expect(result.out).toContain(`nobody has allowed yet: ${LOOK} (in the checkout)`);
    expect(scene.state().approval_items).toMatchObject([{ kind: "command", status: "open" }]);
  });
});

it("a webhook that cannot be called says why", async () => {
  scene = new Scenario({
    manifest: manifest("- [ ] call - Tell them\n  - webhook: http://127.0.0.1:9/x\n"),
  });
  const result = await scene.play({});
  expect(result.out).toContain(
    '"http://127.0.0.1:9/x" failed (no answer: web clients do not call this port)',
  );
});
