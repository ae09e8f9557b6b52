// An agent that no run has started, with the built executable: a scripted model that knows nothing but the text of the
// skill takes a manifest to Done, a process for each task; and kill -9 of its verbs.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BuiltStint, STINT } from "../support/built-stint.ts";
import { REPOSITORY } from "../support/generated-files.ts";
import { git } from "../support/git.ts";

const FOLLOWER = fileURLToPath(new URL("../support/skill-follower.mjs", import.meta.url));

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
  stint.write("hello.md", readFileSync(join(REPOSITORY, "examples/hello.md")));
  git(stint.root, "config", "user.name", "ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  git(stint.root, "add", ".");
  git(stint.root, "commit", "--quiet", "--message=start");
});
afterEach(() => stint.close());

/** One session: a process that ends. */
function follow(): { readonly code: number | null; readonly out: string } {
  const bin = join(stint.path, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "stint"), `#!/bin/sh\nexec "${process.execPath}" "${STINT}" "$@"\n`);
  chmodSync(join(bin, "stint"), 0o755);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [FOLLOWER, join(REPOSITORY, "skills/stint"), "hello.md"],
    {
      cwd: stint.root,
      // As the shell of a tool of an agent: what is a person's is refused to it.
      env: stint.env({ PATH: `${bin}:${process.env["PATH"]}`, CLAUDECODE: "1" }),
      encoding: "utf8",
    },
  );
  return { code: status, out: stdout + stderr };
}

describe("a model that knows only the skill's text", () => {
  it("S1-27 S4-18 takes three tasks to Done in three processes, with no run", () => {
    const first = follow();
    expect([first.code, first.out]).toEqual([3, expect.stringContaining("stint approve plan p-")]);
    const id = /p-\w+/.exec(first.out)?.[0] ?? "";
    expect(stint.run("approve", "plan", id).code).toBe(0);
    const sessions = [follow(), follow(), follow()];
    expect(sessions.map(({ code }) => code)).toEqual([0, 0, 0]);
    // What needs two words is not done at the first try: Stint says no, and the same session goes on.
    expect(sessions[2]?.out).toContain("t3 is not done: ");
    expect(sessions[2]?.out).toContain(`Every task is done: ${id} is Done.`);
    const verified = stint.run("verify", id, "--sessions");
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining("Yes: all three")]);
    expect(git(stint.root, "log", "--format=%s").trim().split("\n").length).toBe(4);
    expect(git(stint.root, "status", "--porcelain")).toBe("");
    expect(stint.run("log", id, "--json").out).not.toContain('"process.json"');
  });
});

describe("kill -9", () => {
  it("of stint done while its checks run: the same again is whole", async () => {
    const slow =
      "touch ../checking; while [ ! -e ../go ]; do sleep 0.05; done; grep -q Hello a.txt";
    stint.write(
      "prompt.md",
      `# Goal\n\nGreet.\n\n# Steps\n\n- [ ] a - Write a.txt\n  - check: \`${slow}\`\n- [ ] b - Write b.txt\n`,
    );
    git(stint.root, "add", ".");
    git(stint.root, "commit", "--quiet", "--message=slow");
    const go = join(stint.path, "go");
    writeFileSync(go, "");
    expect(stint.run("new", "prompt.md").code).toBe(0);
    expect(stint.run("approve", "plan", "prompt").code).toBe(0);
    expect(stint.run("brief", "prompt.md", "--json").code).toBe(0);
    stint.write("a.txt", "Hello\n");
    spawnSync("rm", [go, join(stint.path, "checking")]);
    const child = stint.start("done", "--project", "prompt");
    await seen(join(stint.path, "checking"));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    writeFileSync(go, "");
    const again = stint.run("done", "a", "--project", "prompt");
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("t1 is done: ")]);
    expect(git(stint.root, "log", "-1", "--format=%s").trim()).toBe("a: Write a.txt");
    expect(stint.run("verify", "prompt").code).toBe(0);
  });
});

async function seen(path: string): Promise<void> {
  while (!existsSync(path)) {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
