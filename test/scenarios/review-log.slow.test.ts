// The review log and the built executable on a real repository: what a task resolves stands there in the commit of
// the task, one line more and no other byte, whatever sessions and people do to the file meanwhile.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { killAtEach } from "../support/kill-each.ts";
import { between, evenly, revisionOf } from "../support/kill-window.ts";
import { RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const LOG = "docs/_feedback.md";
const LONG_MS = 1_800_000;
const KILLS = 3;

const TEXT = [
  "# Feedback",
  "",
  "- DOC-1: Write the guide",
  "- DOC-2: Name the licence",
  "",
  "## Resolution Log",
  "",
  "## Notes",
  "keep me  ",
].join("\n");

const LINES = [
  "- DOC-1: Write the guide (`guide.txt`)",
  "- DOC-2: Name the licence (`licence.txt`)",
];

function manifest(front = ""): string {
  return `${front}# Goal

Docs.

# Steps

- [ ] guide - Write the guide
  - resolves: DOC-1
  - check: \`grep -q Guide guide.txt\`
- [ ] licence - Name the licence
  - resolves: DOC-2
  - check: \`grep -q MIT licence.txt\`
`;
}

/** A person says that the guide is written, and it is not: a clone would not pass. */
function marked(): string {
  return manifest("---\nproof: never\n---\n\n").replace("- [ ] guide", "- [x] guide");
}

const story: Story = {
  manifest: manifest(),
  words: ["--isolation", "off"],
  script: () => ({
    guide: [
      { act: "write", path: "guide.txt", text: "Guide\n" },
      { act: "append", path: LOG, text: "- DOC-2: a session claims it\n" },
    ],
    licence: [
      { act: "write", path: "licence.txt", text: "MIT\n" },
      { act: "delete", path: LOG },
    ],
  }),
};

class LogScene extends RunScene {
  constructor(log: string | Buffer | null = TEXT, more: Partial<Story> = {}) {
    super(folder.path, { ...story, ...more });
    if (log !== null) this.put(LOG, log);
    if (log !== null) this.commit("the log");
  }

  put(path: string, text: string | Buffer): void {
    mkdirSync(join(this.root, path, ".."), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", message);
  }

  async done(): Promise<string> {
    const { code, stdout, stderr } = await this.run().ended;
    const { status, problems } = this.outcome();
    if (code === 0 && stderr === "" && status === "Done" && problems.length === 0) return stdout;
    throw new Error(`${code} ${status} ${problems.join("; ")}\n${stdout}${stderr}`);
  }

  at(revision: string, path = LOG): string {
    return this.git("show", `${revision}:${path}`);
  }

  changedBy(revision: string): string[] {
    return this.git("show", "--format=", "--name-only", revision).trim().split("\n");
  }
}

describe("S2-21 S2-22 what a task resolves stands in the log, in the commit of the task", () => {
  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("byte for byte, with %s", async (_, newline) => {
    const scene = new LogScene(TEXT.replaceAll("\n", newline));
    const stdout = await scene.done();
    const end = TEXT.replace("Log\n\n", `Log\n\n${LINES.join("\n")}\n\n`).replaceAll("\n", newline);
    expect(scene.at("HEAD")).toBe(end);
    expect(readFileSync(join(scene.root, LOG), "utf8")).toBe(end);
    expect(scene.at("HEAD~1")).toBe(end.replace(`${LINES[1]}${newline}`, ""));
    expect(scene.changedBy("HEAD~1")).toEqual([LOG, "guide.txt", "prompt.md"]);
    expect(scene.changedBy("HEAD")).toEqual([LOG, "licence.txt", "prompt.md"]);
    expect(scene.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    // What it did to the log counts as no file of its work.
    expect(stdout).toContain("1 file changed (limit 8)");
    expect(stdout).not.toContain("2 files changed");
  });

  it.each([
    ["LF", "batch:6", "\n", (text: string) => text],
    ["CRLF", "batch:6", "\r\n", (text: string) => text.replaceAll("\n", "\r\n")],
    ["CR", "batch:6", "\r", (text: string) => text.replaceAll("\n", "\r")],
    ["all three and none at the end", "one-task", "\r\n", (text: string) => mixed(text).trimEnd()],
  ])("fifty times, with %s, %s: their lines more in each commit, and no other byte", async (_, session, newline, written) => {
    const ids = Array.from({ length: 50 }, (__, n) => `DOC-${n + 1}`);
    const items = ids.map((id) => `- ${id}: Écrire ${id}\t \n`).join("");
    const steps = ids.map((id, n) => `- [ ] n${n + 1} - Écrire ${id}\n  - resolves: ${id}\n  - check: file n${n + 1}.js\n`);
    // All that a session is given, and nothing of the next one.
    const offsets = session === "one-task" ? "0" : "0 1 2 3 4 5";
    const text = `\uFEFF# Feedback\n\n${items}\n## Notes\nkeep  \n\n## Resolution Log\n\n- OLD-1: kept\n`;
    const scene = new LogScene(written(text), {
      manifest: `# Goal\n\nDocs.\n\n# Steps\n\n${steps.join("")}`,
      words: [...story.words, "--session", session],
      script: () => ({ "*": [{ act: "run", command: `n=\${STINT_TASK_NAME#n}; for i in ${offsets}; do echo x >n$((n + i)).js; done` }] }),
    });
    const first = scene.at("HEAD");
    await scene.done();
    const commits = scene.git("log", "--reverse", "--format=%H", "--grep=^Stint-Task:").trim().split("\n");
    let before = first;
    const resolved: string[] = [];
    for (const commit of commits) {
      const after = scene.at(commit);
      // The log ends the file: whatever was there stands before it, to the byte.
      expect(after.startsWith(before)).toBe(true);
      const added = after.slice(before.length);
      const lines = added.split(newline).filter((line) => line !== "");
      const gap = /[\r\n]$/.test(before) ? "" : newline;
      expect(added).toBe(gap + lines.map((line) => line + newline).join(""));
      resolved.push(...lines.map((line) => /^- (DOC-\d+): Écrire \1 \(`.*`\)$/.exec(line)?.[1] ?? line));
      before = after;
    }
    expect(resolved).toEqual(ids);
    expect(commits).toHaveLength(session === "one-task" ? 50 : 9);
    expect(readFileSync(join(scene.root, LOG), "utf8")).toBe(before);
  });

  it("in a repository that checks out CRLF, and stores LF", async () => {
    const scene = new LogScene(null);
    scene.git("config", "core.autocrlf", "true");
    scene.put(".gitattributes", "*.md text eol=crlf\n");
    scene.put(LOG, TEXT.replaceAll("\n", "\r\n"));
    scene.commit("the log");
    await scene.done();
    const end = TEXT.replace("Log\n\n", `Log\n\n${LINES.join("\n")}\n\n`);
    expect(scene.at("HEAD")).toBe(end);
    expect(readFileSync(join(scene.root, LOG), "utf8")).toBe(end.replaceAll("\n", "\r\n"));
    expect(scene.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  });

  it("in a log that is made where there was none", async () => {
    const scene = new LogScene(null);
    await scene.done();
    expect(scene.at("HEAD")).toBe(`## Resolution Log\n\n${LINES.join("\n")}\n`);
  });

  it("in place as well, and a person's words in it stay theirs", async () => {
    const scene = new LogScene(TEXT, { words: [...story.words, "--in-place"] });
    const { code, stderr } = await scene.run().ended;
    expect(`${code} ${stderr}`).toBe("0 ");
    for (const line of LINES) {
      expect(scene.at("HEAD").split("\n").filter((each) => each === line)).toHaveLength(1);
    }
    expect(scene.at("HEAD")).not.toContain("a session claims it");
  });

  it("beside what a person wrote there and has not committed", async () => {
    const scene = new LogScene();
    const edited = `- DOC-9: one more\n${TEXT}`;
    scene.put(LOG, edited);
    await scene.done();
    const lines = `Log\n\n${LINES.join("\n")}\n\n`;
    expect(scene.at("HEAD")).toBe(TEXT.replace("Log\n\n", lines));
    expect(scene.read(LOG)).toBe(edited.replace("Log\n\n", lines));
  });

  it("in the log of a workflow too, for every task of it", async () => {
    const front = "---\nworkflow: big-change\n---\n";
    const scene = new LogScene(TEXT, { manifest: workflow(front) });
    await scene.done();
    const log = "tasks/big-change/feedback.md";
    expect(scene.at("HEAD", log)).toBe(
      "## Resolution Log\n\n- guide: Write the guide (`guide.txt`)\n- licence: Name the licence (`licence.txt`)\n",
    );
    expect(scene.changedBy("HEAD")).toEqual([LOG, "licence.txt", "prompt.md", log]);
    expect(scene.git("log", "--format=%s").split("\n")[0]).toBe("licence: Name the licence");
  });

  it("once, also where the person's branch moved with a log that says more", async () => {
    const scene = new LogScene();
    scene.put("guide.txt", "in the way\n");
    const { stdout } = await scene.run({}, "--sessions", "1").ended;
    expect(stdout).toContain("the work waits on stint/prompt");
    scene.git("clean", "-fdq", "guide.txt");
    scene.put(LOG, TEXT.replace("Log\n", "Log\n\n- OLD-1: by hand\n"));
    scene.put("theirs.txt", "theirs\n");
    scene.commit("mine");
    await scene.done();
    expect(scene.at("HEAD")).toBe(
      TEXT.replace("Log\n", `Log\n\n- OLD-1: by hand\n${LINES.join("\n")}\n`),
    );
  });

  it("once, with a commit hook that changes the files", async () => {
    const scene = new LogScene();
    const hook = join(scene.root, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\necho more >>guide.txt; git add guide.txt docs\n", {
      mode: 0o755,
    });
    await scene.done();
    expect(scene.at("HEAD")).toBe(TEXT.replace("Log\n\n", `Log\n\n${LINES.join("\n")}\n\n`));
  });

  it(
    "once, killed between its commit and the record of it",
    async () => {
      expect(await killedBetween(story, "checks-recorded", "commit-recorded")).toBeGreaterThan(0);
    },
    LONG_MS,
  );
});

/** Killed there, and gone on with, it comes to what it comes to when nobody kills it. @returns how often it was killed */
async function killedBetween(told: Story, begin: string, end: string): Promise<number> {
  const prepare = (scene: RunScene): void => {
    mkdirSync(join(scene.root, "docs"));
    writeFileSync(join(scene.root, LOG), TEXT);
    scene.git("add", "-A");
    scene.git("commit", "-q", "-m", "the log");
  };
  const fresh = (): RunScene => {
    const scene = new RunScene(folder.path, told);
    prepare(scene);
    return scene;
  };
  const first = fresh();
  expect(await first.run().ended).toMatchObject({ code: 0 });
  const from = revisionOf(first, begin);
  const to = revisionOf(first, end);
  const whole = fresh();
  expect(await whole.run(between(whole, from, to)).ended).toMatchObject({ code: 0 });
  const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
  expect(calls.length).toBeGreaterThan(KILLS);
  const points = evenly(calls.length, KILLS).map((index) => ({
    what: `before call ${index + 1} of ${calls.length}, ${calls[index]}`,
    kill: (scene: RunScene) => between(scene, from, to, index + 1),
  }));
  await killAtEach({ folder: folder.path, story: told, whole, points, prepare });
  return points.length;
}

/** Each line with another end. */
function mixed(text: string): string {
  const ends = ["\n", "\r\n", "\r"];
  return text.split("\n").reduce((all, line, n) => all + (ends[n % 3] ?? "") + line);
}

function workflow(front: string): string {
  const keys = "  - inputs: x\n  - actions: y\n  - outputs: z\n  - status: planned\n";
  return manifest(front).replaceAll("  - resolves", `${keys}  - resolves`);
}

describe("S2-27 Done needs the log", () => {
  it("a line that is missing at the end is written in a commit of its own", async () => {
    const scene = new LogScene(TEXT, { manifest: marked() });
    expect(await scene.run().ended).toMatchObject({ code: 0, stderr: "" });
    expect(scene.state().status).toBe("Done");
    expect(scene.at("HEAD")).toBe(
      TEXT.replace("Log\n\n", `Log\n\n${LINES[1]}\n- DOC-1: Write the guide\n\n`),
    );
    expect(scene.git("log", "-1", "--format=%s").trim()).toBe("Resolution Log: DOC-1");
    expect(scene.changedBy("HEAD")).toEqual([LOG]);
    expect(scene.read(LOG)).toBe(scene.at("HEAD"));
  });

  it(
    "once, killed anywhere between the commit of the last task and Done",
    async () => {
      const told = { ...story, manifest: marked() };
      expect(await killedBetween(told, "commit-recorded", "completed")).toBeGreaterThan(0);
    },
    LONG_MS,
  );

  it("also one that somebody took out of the log again", async () => {
    const scene = new LogScene();
    expect((await scene.run({}, "--sessions", "1").ended).code).toBe(1);
    expect(scene.at("HEAD")).toContain(LINES[0]);
    scene.put(LOG, TEXT);
    scene.commit("an older text");
    expect((await scene.resume()).code).toBe(0);
    expect(scene.state().status).toBe("Done");
    expect(scene.at("HEAD")).toBe(
      TEXT.replace("Log\n\n", `Log\n\n${LINES[1]}\n- DOC-1: Write the guide\n\n`),
    );
  });

  it.each([
    ["a link", (root: string) => symlinkSync("../list.txt", join(root, LOG))],
    ["no UTF-8", (root: string) => writeFileSync(join(root, LOG), Buffer.from([0xe9, 0x0a]))],
  ])("and is not said where the log is %s, which stays as it is", async (_, make) => {
    const scene = new LogScene(null);
    mkdirSync(join(scene.root, "docs"));
    make(scene.root);
    scene.commit("the log");
    const before = scene.git("rev-parse", `HEAD:${LOG}`);
    const { code, stdout } = await scene.run().ended;
    expect(code).toBe(4);
    expect(stdout).toContain("DOC-1 (t1), DOC-2 (t2)");
    expect(scene.git("rev-parse", `HEAD:${LOG}`)).toBe(before);
    expect(scene.at("HEAD", "list.txt")).not.toContain("Resolution Log");
    // A person writes it, and it goes on.
    scene.git("rm", "-q", LOG);
    scene.put(LOG, `## Resolution Log\n\n- DOC-1: by hand\n- DOC-2: by hand\n`);
    scene.commit("by hand");
    expect((await scene.resume()).code).toBe(0);
    expect(scene.state().status).toBe("Done");
  });
});
