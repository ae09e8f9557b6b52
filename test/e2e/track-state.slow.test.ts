// A project that travels with its repository: state in the commits, and another machine that goes on.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { english, german, Scenario, TWO_TASKS } from "../support/scenario.ts";
import { git } from "../support/git.ts";

const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

const AGENT = ["--agent", "scripted:../script.json"];

function scene(front: string): Scenario {
  const made = new Scenario({ manifest: `${front}${TWO_TASKS}` });
  scenes.push(made);
  const tasks = { english: [english], german: [german] };
  writeFileSync(join(made.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
  return made;
}

function committed(root: string): string[] {
  return git(root, "ls-tree", "-r", "--name-only", "HEAD", "--", "agents")
    .split("\n")
    .filter((path) => path !== "")
    .map((path) => path.replace("agents/stint/projects/prompt/", ""));
}

describe.concurrent("trackState", () => {
  it("S3-12 commits the project folder with each task, all but logs and lease", async () => {
    const s = scene("---\ntrackState: true\n---\n");
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    const files = committed(s.root);
    expect(files).toEqual(
      expect.arrayContaining([
        "README.md",
        "manifest.md",
        "state.json",
        "validation.md",
        "artifacts/evidence/t1/1/1-command.json",
        "artifacts/evidence/t2/1/1-command.json",
      ]),
    );
    expect(files.filter((path) => /^logs\/|^lease\.json$/.test(path))).toEqual([]);
    expect(s.git("log", "--format=%s", "-3")).toBe(
      "german: Write hallo.txt\nenglish: Write hello.txt\nthe second commit\n",
    );
  });

  it("without it nothing of the folder is committed", async () => {
    const s = scene("");
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    expect(committed(s.root)).toEqual([]);
  });

  it("S1-8 goes on in a clone on another machine, once a person has adopted it there", async () => {
    const s = scene("---\ntrackState: true\n---\n");
    expect((await s.say("run", "prompt.md", ...AGENT, "--sessions", "1")).code).toBe(1);
    const there = join(s.path, "there");
    mkdirSync(there);
    git(there, "clone", "-q", s.root, "repo");
    const root = join(there, "repo");
    git(root, "config", "user.name", "Grace");
    git(root, "config", "user.email", "grace@example.com");
    git(root, "checkout", "-q", "--detach");
    const elsewhere = { cwd: root, env: { XDG_STATE_HOME: join(there, "state") } };
    const run = ["run", "prompt.md", "--agent", "scripted:../../script.json", "--no-push"];
    const refused = await s.sayIn(elsewhere, ...run);
    expect([refused.code, refused.err]).toEqual([
      5,
      expect.stringContaining("stint doctor --adopt"),
    ]);
    expect((await s.sayIn(elsewhere, "doctor", "--adopt")).out).toContain("are lost");
    // Its commands were allowed on the other machine; whoever types run allows them here.
    const end = await s.sayIn(elsewhere, ...run);
    expect(end).toMatchObject({ code: 0, err: "" });
    // The clone is on no branch: the work waits on its own.
    expect(end.out).toContain("Work: waits on stint/prompt: ");
    expect(git(root, "log", "--format=%s", "-2", "stint/prompt")).toBe(
      "german: Write hallo.txt\nenglish: Write hello.txt\n",
    );
    expect(git(root, "log", "--format=%s", "-1")).toBe("english: Write hello.txt\n");
    // What was lost stays lost, and is said by who is asked for everything.
    const verified = await s.sayIn(elsewhere, "verify");
    expect([verified.code, verified.out]).toEqual([
      5,
      expect.stringContaining("lines of the journal are lost"),
    ]);
  });
});
