import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import * as views from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

describe("stint lint", () => {
  it("says each problem with file and line, what was found and what is right", async () => {
    bench.write("prompt.md", "# Nothing\n");
    const { code, out } = await bench.run("lint", "prompt.md");
    expect(code).toBe(2);
    expect(out).toMatch(/^prompt\.md:1(:1)?: error: /m);
    expect(out).toContain("prompt.md: 0 tasks, 2 errors, 0 warnings");
  });

  it("looks at several files, and writes nothing", async () => {
    bench.write("a.md");
    bench.write("b.md", "# Nothing\n");
    const before = bench.everything();
    const { code, out } = await bench.run("lint", "a.md", "b.md", "--json");
    const view = views.lintView.parse(JSON.parse(out));
    expect(view.files.map(({ file, errors }) => [file, errors])).toEqual([
      ["a.md", 0],
      ["b.md", 2],
    ]);
    expect(code).toBe(2);
    expect(bench.everything()).toEqual(before);
  });

  it("ends with 0 when there are only warnings", async () => {
    bench.write(
      "a.md",
      "## Goal\nSay hello.\n\n## Steps\n- [ ] Write hello.txt\n- [ ] Write b.txt\n",
    );
    const { code, out } = await bench.run("lint", "a.md");
    expect(code).toBe(0);
    expect(out).toContain("2 tasks, 0 errors, 2 warnings");
  });
});

const LOG = [
  "# Feedback",
  "done: true",
  "",
  "Words about it.",
  "",
  "- DOC-001: Say how it is installed",
  "- [x] DOC-002: Correct the example",
  "- DOC-003: Name the licence",
  "",
  "## Resolution Log",
  "",
  "- DOC-001: wrote it (`docs/install.md`)",
  "",
].join("\n");

describe("S2-16 stint lint of a review log", () => {
  it("explains each item, resolved by what or open, and what the log claims and does not hold", async () => {
    mkdirSync(join(bench.root, "docs"));
    bench.write("docs/_feedback.md", LOG);
    const before = bench.everything();
    const { code, out } = await bench.run("lint", "docs/_feedback.md");
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 4)).toEqual([
      "docs/_feedback.md:6: DOC-001 Say how it is installed: resolved by line 12: wrote it (`docs/install.md`)",
      "docs/_feedback.md:7: DOC-002 Correct the example: resolved by its own box or done: line",
      "docs/_feedback.md:8: DOC-003 Name the licence: open",
      "docs/_feedback.md:2: warning: the header says done, and one item is not: DOC-003 (line 8) [claims-done]",
    ]);
    expect(out).toContain("docs/_feedback.md: a review log with 3 items, 1 open, 1 warning");
    expect(out).not.toContain("Words about it");
    expect(bench.everything()).toEqual(before);
  });

  it("knows it by its heading or by the settings, and tells programs the same", async () => {
    bench.write("a.md", "- [ ] One thing\n\n## Resolution Log\n");
    bench.write("b.md", "- [ ] Another\n");
    bench.write("stint.config.yaml", "iteration:\n  review_log: b.md\n");
    const { code, out } = await bench.run("lint", "a.md", "b.md", "--json");
    const { files } = views.lintView.parse(JSON.parse(out));
    expect(code).toBe(0);
    expect(files.map(({ review }) => review)).toEqual([
      [{ line: 1, id: "one-thing", title: "One thing", resolved_by: null }],
      [{ line: 1, id: "another", title: "Another", resolved_by: null }],
    ]);
  });

  it("takes a manifest that has such a heading for a manifest", async () => {
    bench.write("a.md", `${TWO_TASKS}\n## Resolution Log\n`);
    const { out } = await bench.run("lint", "a.md");
    expect(out).toContain("a.md: 2 tasks");
  });

  it("says what it looks for where it finds nothing", async () => {
    bench.write("a.md", "Nothing here.\n\n## Resolution Log\n");
    const { code, out } = await bench.run("lint", "a.md");
    expect(code).toBe(0);
    expect(out).toContain("begins with an id such as DOC-001");
    expect(out).toContain("write: ## DOC-001 — Say how it is installed");
    expect(out).toContain("a.md: a review log with 0 items, 0 open, 1 warning");
  });

  it.each(["", "\n\n"])("takes an empty one for what it is: %j", async (text) => {
    bench.write("docs/_feedback.md", text);
    const { code, out } = await bench.run("lint", "docs/_feedback.md");
    expect(code).toBe(0);
    expect(out).toContain("no review item was found");
    bench.write("a.md", text);
    expect((await bench.run("lint", "a.md")).err).toContain("write a Goal and a Steps section");
  });

  it.each(["../out.md", "/etc/passwd", ".git/hooks/x.md", "a/../../b.md"])(
    "refuses settings that put it at %s",
    async (path) => {
      bench.write("a.md");
      bench.write("stint.config.yaml", `iteration:\n  review_log: ${path}\n`);
      const { code, err } = await bench.run("lint", "a.md");
      expect(code).toBe(2);
      expect(err).toContain(
        "iteration.review_log: expected a path below the root, such as docs/_feedback.md",
      );
    },
  );
});

describe("stint status", () => {
  it("S4-5 S4-6 S4-7 S4-23 says goal, progress, next action, what completes it and who has which role", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const { code, out } = await bench.run("status", "--verbose");
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, -1)).toEqual([
      `prompt  ${id}  Draft: 0 of 2 tasks done`,
      "  Next      Approve the plan.",
      `  Continue  stint run ${id}`,
      "  Spent     0 of 16 sessions, 0 s of 24 h in sessions",
      `  Manifest  prompt.md in ${bench.root}`,
      "",
      "  ·  t1  pending  Write hello.txt",
      "  ·  t2  pending  Write hallo.txt",
      "",
      "  Goal         Say hello in two languages.",
      "  Done when    t1, t2 with passing checks.",
      "  Round        paused, phase plan",
      "  Origin       a person",
      "  Coordinator  nobody: no run is active",
      "  Worker       none",
      "  Watchdog     checked at each tick (stint watchdog status)",
    ]);
    expect(out).toMatch(/\n  Revision     1, \S+Z: [^\n]+$/);
  });

  it("leads with what a person asks, and keeps roles and internals for --verbose", async () => {
    bench.write("prompt.md");
    await bench.create();
    const { out } = await bench.run("status");
    const whole = (await bench.run("status", "--verbose")).out;
    expect(whole.startsWith(`${out}\n\n`)).toBe(true);
    expect(out).not.toMatch(/Origin|Coordinator|Worker|Watchdog|Revision|Workspace/);
    expect(JSON.parse((await bench.run("status", "--json")).out)).toEqual(
      JSON.parse((await bench.run("status", "--verbose", "--json")).out),
    );
  });

  it("names the run that holds the project", async () => {
    bench.write("prompt.md");
    const holder = bench.hold(await bench.create());
    const { out } = await bench.run("status", "--verbose");
    expect(out).toContain(`  Coordinator  stint (${holder.lease.run_id}`);
    const { lease } = views.statusView.parse(JSON.parse((await bench.run("status", "--json")).out));
    expect(lease).toMatchObject({ held: true, run_id: holder.lease.run_id, fence: 1 });
  });

  it("tells scripts how it stands with --exit-code only", async () => {
    bench.write("prompt.md");
    await bench.create();
    expect((await bench.run("status")).code).toBe(0);
    expect((await bench.run("status", "--exit-code")).code).toBe(1);
  });

  it("shows the tasks around the current one, and all of them when asked", async () => {
    const steps = Array.from({ length: 60 }, (_, n) => `- [${n < 10 ? "x" : " "}] Write ${n}.txt`);
    bench.write("prompt.md", `## Goal\nSay hello.\n\n## Steps\n${steps.join("\n")}\n`);
    const id = await bench.create();
    const { out } = await bench.run("status");
    expect(out).toContain(
      `prompt  ${id}  Draft: 10 of 60 tasks done, 10 marked by you, not verified by Stint\n`,
    );
    expect(out.match(/^  [✓·]/gm)).toHaveLength(20);
    expect(out).toContain("Write 7.txt");
    expect(out).not.toContain("Write 6.txt");
    expect(out.endsWith(`  … 40 more tasks: stint status ${id} --all`)).toBe(true);
    expect((await bench.run("status", "--all")).out.match(/^  [✓·]/gm)).toHaveLength(60);
  });

  it("S3-9 says when the folder is not what Stint wrote, and tells the truth of the shadow", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    writeFileSync(join(bench.root, "agents/stint/projects/prompt/state.json"), "{}");
    const { code, out } = await bench.run("status");
    expect(code).toBe(0);
    expect(out).toContain(
      `  Folder    agents/stint/projects/prompt/state.json is not what Stint wrote; the copy in the state folder counts. Restore it: stint doctor ${id} --repair`,
    );
  });

  it("cuts no command that a person is told to run, however narrow the terminal", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { out } = await bench.runWith({ width: 40 }, "status");
    expect(out).toContain(`      stint doctor ${id} --repair\n`);
  });

  it("refuses a damaged state with exit code 5 and the way to repair it", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const path = join(bench.stateHome, "stint/shadows", id, "state/000000000001.json");
    writeFileSync(path, readFileSync(path, "utf8").replace("Say hello", "Say hallo"));
    const { code, out, err } = await bench.run("status");
    expect([code, out]).toEqual([5, ""]);
    expect(err).toBe(
      `stint: ${path} cannot be trusted: its content does not match its integrity field. Nothing was changed.\n  See what can be saved: stint doctor ${id}; then: stint doctor ${id} --repair`,
    );
    expect((await bench.run("doctor")).code).toBe(5);
    expect((await bench.run("doctor", "--repair")).code).toBe(0);
    expect((await bench.run("status")).code).toBe(0);
  });
});

describe("stint list and log", () => {
  it("list every project from any folder, the unreadable one with why", async () => {
    expect((await bench.run("list")).out).toBe(
      "No projects yet. Create one: stint new <manifest.md>",
    );
    bench.write("a.md");
    bench.write("b.md");
    const a = await bench.create("a.md");
    const b = await bench.create("b.md");
    rmSync(join(bench.stateHome, "stint/shadows", a), { recursive: true });
    const { code, out } = await bench.runWith({ cwd: bench.path }, "list");
    expect(code).toBe(0);
    const lines = out.split("\n");
    expect(lines[0]).toBe("ID            SLUG  STATUS      DONE  UPDATED (UTC)     WHERE");
    expect(lines[1]).toContain(`${a}  a     unreadable  -     -`);
    expect(lines[2]).toMatch(new RegExp(`^${b}  b     Draft       0/2   .*${bench.root}/b\\.md$`));
    expect(lines[3]).toContain(`unreadable ${a}: ${a} has no state in`);
    expect((await bench.run("list", "--ids")).out).toBe(`${a}\n${b}`);
    views.listView.parse(JSON.parse((await bench.run("list", "--json")).out));
  });

  it("print nothing for --ids without projects", async () => {
    expect((await bench.run("list", "--ids")).out).toBe("");
  });

  it("show the last lines of a journal and how many came before", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const holder = bench.hold(id);
    for (const kind of ["one", "two"]) {
      holder.note({ at: holder.state.updated_at, kind, by: "test", summary: `${kind}!` });
    }
    const { out } = await bench.run("log", "-n", "1");
    expect(out).toMatch(/^… 2 earlier lines\n3 {2}\S+ \S+ {2}two {2}test {2}two!$/);
    const json = views.logView.parse(JSON.parse((await bench.run("log", "--json")).out));
    expect(json).toMatchObject({ project_id: id, total: 3 });
    expect(json.lines.map((line) => line.kind)).toEqual(["project-created", "one", "two"]);
  });

  it.each(["x", "0", "-1", "1.5", "", "9999999999"])(
    "refuse %j as a number of lines",
    async (count) => {
      bench.write("prompt.md");
      await bench.create();
      const { code, err } = await bench.run("log", `--lines=${count}`);
      expect(code).toBe(2);
      expect(err).toBe(`stint: "${count}" is not a number of lines\n  For example: -n 20`);
    },
  );
});

describe("which project is meant", () => {
  it("S1-8 is found by id, beginning of an id, slug and manifest", async () => {
    bench.write("docs/prompt.md");
    const id = await bench.create("docs/prompt.md");
    symlinkSync(join(bench.root, "docs/prompt.md"), join(bench.root, "link.md"));
    symlinkSync(bench.root, join(bench.path, "way"));
    for (const reference of [
      id,
      id.slice(0, 5),
      "prompt",
      "docs/prompt.md",
      "./docs/../docs/prompt.md",
      join(bench.root, "docs/prompt.md"),
      "link.md",
      join(bench.path, "way/docs/prompt.md"),
    ]) {
      const { out, err } = await bench.run("status", reference, "--json");
      expect(err).toBe("");
      expect(JSON.parse(out)).toMatchObject({ project: { id } });
    }
    expect((await bench.runWith({ cwd: join(bench.root, "docs") }, "status")).code).toBe(0);
    expect((await bench.runWith({ cwd: bench.path }, "status", id)).code).toBe(0);
  });

  it("is the one that is not abandoned, if there is one such", async () => {
    bench.write("a.md");
    bench.write("b.md");
    const a = await bench.create("a.md");
    const b = await bench.create("b.md");
    expect((await bench.run("abandon", a, "--reason", "no")).code).toBe(0);
    const { out } = await bench.run("status", "--json");
    expect(JSON.parse(out)).toMatchObject({ project: { id: b } });
  });

  it("is asked for when there are several", async () => {
    bench.write("a.md");
    bench.write("b.md");
    const a = await bench.create("a.md");
    const b = await bench.create("b.md");
    const { code, err } = await bench.run("status");
    expect(code).toBe(2);
    expect(err).toBe(
      `stint: ${bench.root} has 2 projects: ${a} (a); ${b} (b)\n  Name one of them: stint status ${a}\n  or: stint status ${b}`,
    );
    // Each verb is told again as it was typed.
    for (const typed of [
      "resume",
      "run --sessions 1",
      "show t1",
      "approve a1",
      "answer q1 yes",
      "watch",
      "verify --sessions",
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await bench.run(...typed.split(" "))).err).toContain(
        `\n  Name one of them: stint ${typed} ${a}\n  or: stint ${typed} ${b}`,
      );
    }
    // Those whose last words are a text take the project by an option.
    for (const typed of ["note hi", "done t1"]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await bench.run(...typed.split(" "))).err).toContain(
        `\n  Name one of them: stint ${typed} --project ${a}\n  or: stint ${typed} --project ${b}`,
      );
    }
    expect((await bench.run("status", "p-")).code).toBe(2);
    // Below a file there is nothing: a wrong name, and no fault of the disk.
    for (const verb of ["status", "run"]) {
      expect(await bench.run(verb, "a.md/x")).toMatchObject({
        code: 2,
        err: expect.stringContaining('there is no project "a.md/x"'),
      });
    }
  });

  it("is the one here when another work tree has the same slug", async () => {
    bench.write("prompt.md");
    const here = await bench.create();
    const other = join(bench.path, "other");
    mkdirSync(other);
    writeFileSync(join(other, "prompt.md"), TWO_TASKS);
    await bench.runWith({ cwd: other }, "new", "prompt.md", "--dir", ".");
    expect((await bench.run("status", "prompt")).out).toContain(here);
    const elsewhere = await bench.runWith({ cwd: bench.path }, "status", "prompt");
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.err).toContain('stint: "prompt" has 2 projects: ');
  });

  it("is said not to be there outside a repository, with a command that creates it there", async () => {
    const notes = join(bench.path, "notes");
    mkdirSync(notes);
    writeFileSync(join(notes, "prompt.md"), TWO_TASKS);
    const inNotes = async (...words: string[]) => await bench.runWith({ cwd: notes }, ...words);
    const hint = "has no project\n  Create it: stint new prompt.md --dir .";
    expect((await inNotes("status")).err).toContain(`${hint}; or name another one: stint list`);
    expect((await inNotes("status", "prompt.md")).err).toContain(hint);
    expect((await bench.run("status", "../notes/prompt.md")).err).toContain(
      `has no project\n  Create it: stint new ../notes/prompt.md --dir ${bench.root}`,
    );
    expect((await inNotes("new", "prompt.md", "--dir", ".")).code).toBe(0);
  });

  it("is said not to be there, with what to do", async () => {
    bench.write("prompt.md");
    expect(await bench.run("status")).toEqual({
      code: 2,
      out: "",
      err: `stint: ${bench.root} has no project\n  Create it: stint new prompt.md; or name another one: stint list`,
    });
    expect((await bench.run("status", "prompt.md")).err).toBe(
      "stint: prompt.md has no project\n  Create it: stint new prompt.md",
    );
    for (const reference of ["nope", ".", "p-0000000000", "../..", ""]) {
      const { code, err } = await bench.run("status", reference);
      expect(code).toBe(2);
      expect(err).toBe(
        `stint: there is no project "${reference}": not an id, a slug or a manifest\n  See all projects: stint list`,
      );
    }
  });
});
