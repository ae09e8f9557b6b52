import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { newRunId, parseProjectId } from "../core/ids.ts";
import * as views from "../core/schema/views.ts";
import type { Holder } from "../store/store.ts";
import { required } from "../../test/support/project-fixture.ts";
import { VERBS } from "./verbs.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

function hold(id: string): Holder {
  const system = bench.system();
  const run_id = newRunId((count) => system.host.randomBytes(count));
  return system.store.acquire(required(parseProjectId(id)), { owner: "stint", run_id });
}

/** Everything in the work tree and the state folder, to show that nothing was made. */
function everything(): string[] {
  return readdirSync(bench.path, { recursive: true, encoding: "utf8" }).toSorted();
}

describe("stint new", () => {
  it("S0-6 S1-2 S3-11 S4-18 makes a project of any Markdown file and tells its id, folder and next step", async () => {
    bench.write("docs/issue_7.md");
    const { code, out, err } = await bench.run("new", "docs/issue_7.md");
    const id = /p-[0-9a-z]{10}/.exec(out)?.[0];
    expect(out.split("\n")).toEqual([
      `Created issue-7 with id ${id}`,
      "  ·  t1  Write hello.txt",
      "  ·  t2  Write hallo.txt",
      "Folder  agents/stint/projects/issue-7",
      `Next    stint status ${id}`,
    ]);
    expect([code, err]).toEqual([0, ""]);
  });

  it("S3-12 S3-13 S4-17 makes the required files where they are easy to find", async () => {
    bench.write("prompt.md");
    await bench.create();
    const files = readdirSync(join(bench.root, "agents/stint/projects/prompt"), {
      recursive: true,
      encoding: "utf8",
    });
    for (const name of ["README.md", "manifest.md", "state.json", "validation.md", "handoff.md"]) {
      expect(files).toContain(name);
    }
    expect(files).toContain(join("logs", "journal.jsonl"));
  });

  it("keeps its folder out of the person's commits", async () => {
    bench.write("prompt.md");
    await bench.create();
    expect(git(bench.root, "status", "--porcelain")).toBe("?? prompt.md\n");
  });

  it("S1-1 S3-2 S4-16 advises against one task, and creates it all the same", async () => {
    bench.write(
      "prompt.md",
      "## Goal\nSay hello.\n\n## Steps\n- [ ] Write hello.txt\n  - check: file hello.txt\n",
    );
    const { code, out } = await bench.run("new", "prompt.md");
    expect(code).toBe(0);
    expect(out).toMatch(/^prompt\.md:\d+(:\d+)?: warning: .*one task/m);
    expect(out).toContain("Created prompt with id p-");
  });

  it.each([
    ["no Steps", "## Goal\nSay hello.\n"],
    ["no Goal", "## Steps\n- [ ] Write hello.txt\n"],
    ["empty Steps", "## Goal\nSay hello.\n\n## Steps\n\nNothing yet.\n"],
  ])("S0-7 S3-2 refuses %s and makes nothing, anywhere", async (_, text) => {
    bench.write("prompt.md", text);
    const before = everything();
    const exclude = readFileSync(join(bench.root, ".git/info/exclude"), "utf8");
    const { code, out, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain("stint: prompt.md has 1 error; no project was created");
    expect(err).toContain("  Mend them, then look again: stint lint prompt.md");
    expect(everything()).toEqual(before);
    expect(readFileSync(join(bench.root, ".git/info/exclude"), "utf8")).toBe(exclude);
  });

  it("S0-7 tells every problem at once, with its line", async () => {
    bench.write("prompt.md", "# Nothing\n");
    const { err } = await bench.run("new", "prompt.md");
    expect(err).toContain("stint: prompt.md has 2 errors; no project was created");
    expect(err.match(/: error: /g)).toHaveLength(2);
    const json = await bench.run("new", "prompt.md", "--json");
    const { error } = views.errorView.parse(JSON.parse(json.out));
    expect(error.problems).toHaveLength(2);
    expect(json.code).toBe(2);
  });

  it("S1-17 refuses to create a project again and names the one there is", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const { code, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(2);
    expect(err).toMatch(
      new RegExp(
        `^stint: prompt\\.md already has a project: ${id}, created \\S+\\. It was not created again\\.\\n  Look at it: stint status ${id}$`,
      ),
    );
  });

  it("S1-17 S1-18 refuses to create over a project whose shadow is lost", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const holder = hold(id);
    holder.commit(holder.state, {
      at: holder.state.updated_at,
      kind: "worked",
      by: "test",
      summary: "worked",
    });
    holder.release();
    rmSync(join(bench.stateHome, "stint", "shadows"), { recursive: true });
    const { code, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(5);
    expect(err).toBe(
      `stint: agents/stint/projects/prompt holds ${id} at revision 2, but this machine has no shadow of it (another machine, a fresh clone, a moved work tree, a lost state folder). Nothing of it is believed.\n  See what would be trusted: stint doctor; then, in ${bench.root}: stint doctor --adopt`,
    );
    expect((await bench.run("doctor", "--adopt")).code).toBe(0);
    const status = await bench.run("status", id, "--json");
    expect(JSON.parse(status.out)).toMatchObject({ project: { id } });
  });

  it("works outside any repository, where the folder is the work tree", async () => {
    const folder = join(bench.path, "plain");
    mkdirSync(folder);
    writeFileSync(join(folder, "prompt.md"), TWO_TASKS);
    const { code, out } = await bench.runWith({ cwd: folder }, "new", "prompt.md", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ project: { root: folder, manifest: "prompt.md" } });
  });

  it("belongs to the work tree of the manifest, wherever the person stands", async () => {
    bench.write("docs/prompt.md");
    const { out } = await bench.runWith(
      { cwd: bench.path },
      "new",
      "repo/docs/prompt.md",
      "--json",
    );
    expect(JSON.parse(out)).toMatchObject({
      project: { root: bench.root, manifest: "docs/prompt.md" },
    });
  });

  it("keeps a linked work tree and the main one apart", async () => {
    bench.write("prompt.md");
    git(bench.root, "add", "prompt.md");
    git(bench.root, "commit", "--quiet", "-m", "manifest");
    const linked = join(bench.path, "linked");
    git(bench.root, "worktree", "add", "--quiet", linked);
    const main = await bench.create();
    const { out } = await bench.runWith({ cwd: linked }, "new", "prompt.md", "--json");
    const view = views.newView.parse(JSON.parse(out));
    expect(view.project).toMatchObject({ root: linked, slug: "prompt" });
    expect(view.project.id).not.toBe(main);
    expect(git(linked, "status", "--porcelain")).toBe("");
  });

  it.each([
    ["with spaces.md", "with-spaces"],
    ["größe 日本.md", "gro-e"],
    ["日本.md", "project"],
    ["UPPER_case.markdown", "upper-case"],
    [`${"long".repeat(50)}.md`, "long".repeat(12)],
    [".hidden.md", "hidden"],
    ["no-extension", "no-extension"],
  ])("S0-6 takes a manifest named %s", async (name, slug) => {
    bench.write(name);
    const { out } = await bench.run("new", name, "--json");
    expect(JSON.parse(out)).toMatchObject({ project: { slug, manifest: name } });
    expect((await bench.run("status", name)).code).toBe(0);
  });

  it("takes a name with a leading dash after --", async () => {
    bench.write("-x.md", "# nothing\n");
    const { err, code } = await bench.run("new", "--", "-x.md");
    expect(code).toBe(2);
    expect(err).toContain("Mend them, then look again: stint lint ./-x.md");
  });

  it("quotes a name in the command that it tells", async () => {
    bench.write("my file.md", "# nothing\n");
    const { err } = await bench.run("new", "my file.md");
    expect(err).toContain("Mend them, then look again: stint lint 'my file.md'");
  });

  it("gives a second manifest of the same stem four hex digits", async () => {
    bench.write("a/prompt.md");
    bench.write("b/prompt.md");
    await bench.create("a/prompt.md");
    const { out } = await bench.run("new", "b/prompt.md", "--json");
    expect(views.newView.parse(JSON.parse(out)).project.slug).toMatch(/^prompt-[0-9a-f]{4}$/);
  });

  it("has an owner other than stint when told so, and refuses one that is no name", async () => {
    bench.write("prompt.md");
    const { code, err } = await bench.run("new", "prompt.md", "--as", "../up");
    expect(code).toBe(2);
    expect(err).toBe(
      'stint: "../up" cannot be the owner: it becomes a folder name\n  Use lower-case letters, digits and hyphens: --as night-shift',
    );
    await bench.run("new", "prompt.md", "--as", "night-shift");
    expect(existsSync(join(bench.root, "agents/night-shift/projects/prompt/state.json"))).toBe(
      true,
    );
  });

  it("S4-9 tells nothing when the state cannot be written", async () => {
    bench.write("prompt.md");
    writeFileSync(bench.stateHome, "a file");
    const { code, out, err } = await bench.run("new", "prompt.md");
    expect([code, out]).toEqual([5, ""]);
    expect(err).toContain("Nothing more was started and nothing is claimed.");
  });
});

describe("stint lint", () => {
  it("S0-7 says each problem with file and line, what was found and what is right", async () => {
    bench.write("prompt.md", "# Nothing\n");
    const { code, out } = await bench.run("lint", "prompt.md");
    expect(code).toBe(2);
    expect(out).toMatch(/^prompt\.md:1(:1)?: error: /m);
    expect(out).toContain("prompt.md: 0 tasks, 2 errors, 0 warnings");
  });

  it("looks at several files, and writes nothing", async () => {
    bench.write("a.md");
    bench.write("b.md", "# Nothing\n");
    const before = everything();
    const { code, out } = await bench.run("lint", "a.md", "b.md", "--json");
    const view = views.lintView.parse(JSON.parse(out));
    expect(view.files.map(({ file, errors }) => [file, errors])).toEqual([
      ["a.md", 0],
      ["b.md", 2],
    ]);
    expect(code).toBe(2);
    expect(everything()).toEqual(before);
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

describe("stint status", () => {
  it("S4-5 S4-6 S4-7 says goal, progress, next action and who has which role", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const { code, out } = await bench.run("status");
    expect(code).toBe(0);
    const lines = out.split("\n");
    expect(lines[0]).toBe(`prompt  ${id}  Draft`);
    expect(lines.slice(1, 12)).toEqual([
      "  Goal         Say hello in two languages.",
      `  Manifest     prompt.md in ${bench.root}`,
      "  Progress     ░░░░░░░░░░░░░░░░░░░░ 0 of 2 done (paused)",
      "  Sessions     0 used, 16 of 16 left",
      "  Time         0 s used, 24 h of 24 h left",
      "  Next         Approve the plan.",
      `  Go on        stint run ${id}`,
      "  Origin       a person",
      "  Coordinator  nobody: no run is active",
      "  Worker       none",
      "  Watchdog     none: every run recovers first",
    ]);
    expect(lines.slice(-2)).toEqual([
      "  ·  t1  pending  Write hello.txt",
      "  ·  t2  pending  Write hallo.txt",
    ]);
  });

  it("names the run that holds the project", async () => {
    bench.write("prompt.md");
    const holder = hold(await bench.create());
    const { out } = await bench.run("status");
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
    expect(out).toContain("  Progress     ███░░░░░░░░░░░░░░░░░ 10 of 60 done (paused)");
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
      `  Folder       agents/stint/projects/prompt/state.json is not what Stint wrote; the shadow holds the truth. Restore it: stint doctor ${id} --repair`,
    );
  });

  it("cuts no command that a person is told to run, however narrow the terminal", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { out } = await bench.runWith({ width: 40 }, "status");
    expect(out).toContain(`Restore it: stint doctor ${id} --repair`);
  });

  it("S1-18 refuses a damaged state with exit code 5 and the way to repair it", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const path = join(bench.stateHome, "stint/shadows", id, "state/000000000001.json");
    writeFileSync(path, readFileSync(path, "utf8").replace("Say hello", "Say hallo"));
    const { code, out, err } = await bench.run("status");
    expect([code, out]).toEqual([5, ""]);
    expect(err).toBe(
      `stint: ${path} cannot be trusted: its content does not match its integrity field. Nothing was changed and nothing is claimed.\n  See what can be saved: stint doctor ${id}; then: stint doctor ${id} --repair`,
    );
    expect((await bench.run("doctor")).code).toBe(5);
    expect((await bench.run("doctor", "--repair")).code).toBe(0);
    expect((await bench.run("status")).code).toBe(0);
  });
});

/** The project folder came with the work tree; this machine knows nothing of it. */
async function clone(): Promise<string> {
  bench.write("prompt.md");
  const id = await bench.create();
  rmSync(bench.stateHome, { recursive: true });
  return id;
}

describe("a fresh clone", () => {
  it.each([["status"], ["log"], ["status", "prompt"], ["log", "prompt.md"]])(
    "S3-4 is refused by %s %s with exit code 5 and the way to adopt it",
    async (...words) => {
      const id = await clone();
      const { code, out, err } = await bench.run(...words);
      expect([code, out]).toEqual([5, ""]);
      expect(err).toContain(`stint: agents/stint/projects/prompt holds ${id} at revision 1, but`);
      expect(err).toContain(
        `\n  See what would be trusted: stint doctor; then, in ${bench.root}: stint doctor --adopt`,
      );
    },
  );

  it("S1-8 S1-21 is adopted under its id after the doctor showed what is trusted", async () => {
    const id = await clone();
    const shown = await bench.run("doctor");
    expect(shown.out).toContain(
      `adoptable agents/stint/projects/prompt\n  - project ${id} at revision 1, Draft\n  - 0 of 2 tasks done, on the word of this file alone\n  → stint doctor --adopt`,
    );
    expect(existsSync(bench.stateHome)).toBe(false);
    const adopted = await bench.run("doctor", "--adopt", "--json");
    const view = views.doctorView.parse(JSON.parse(adopted.out));
    expect(view.repaired).toMatchObject([{ project_id: id }]);
    expect((await bench.run("status", id)).code).toBe(0);
  });

  it("finds the folder where the settings put it", async () => {
    bench.write("stint.config.yaml", "root: work/robots\n");
    const id = await clone();
    expect((await bench.run("status")).err).toContain(
      `work/robots/stint/projects/prompt holds ${id}`,
    );
  });

  it("is adopted by its id from any folder when only its shadow is lost", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    rmSync(join(bench.stateHome, "stint/shadows"), { recursive: true });
    const refused = await bench.runWith({ cwd: bench.path }, "status", id);
    expect(refused.code).toBe(5);
    expect(refused.err).toContain(`stint doctor ${id} --adopt`);
    expect((await bench.runWith({ cwd: bench.path }, "doctor", id, "--adopt")).code).toBe(0);
    expect((await bench.runWith({ cwd: bench.path }, "status", id)).code).toBe(0);
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
    expect(lines[0]).toBe("ID            SLUG  STATUS      DONE  UPDATED           WHERE");
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
    const holder = hold(id);
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
      expect(err).toBe(`stint: "${count}" is no number of lines\n  Right is, for example: -n 20`);
    },
  );
});

describe("stint doctor", () => {
  it("repairs with exit code 6 refused while a run holds the project", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const holder = hold(id);
    const { code, out, err } = await bench.run("doctor", "--repair");
    expect([code, out]).toEqual([6, ""]);
    expect(err).toContain(`stint: ${id} is held by ${holder.lease.run_id}`);
    expect(err).toContain(`\n  Wait for it, or see what it does: stint status ${id}`);
    const json = await bench.run("doctor", "--repair", "--json");
    expect(views.errorView.parse(JSON.parse(json.out)).error.code).toBe("lease-held");
  });

  it("rebuilds from the manifest when that is all that is left, and says so", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    rmSync(join(bench.stateHome, "stint/shadows"), { recursive: true });
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { code, out } = await bench.run("doctor", "--repair");
    expect(code).toBe(0);
    expect(out).toContain(`repaired ${id}, now at revision`);
    expect(out).toContain(
      `  - no whole copy of the state was found; its content was taken from ${join(bench.root, "prompt.md")}, which could not be verified`,
    );
    expect((await bench.run("status", id)).out).toContain("0 of 2 done");
  });

  it("says what is fine, with where", async () => {
    bench.write("prompt.md");
    await bench.create();
    const { code, out } = await bench.run("doctor");
    expect(code).toBe(0);
    expect(out).toContain(`✓ no settings; defaults hold (${bench.root}/stint.config.yaml)`);
    expect(out).toContain(`  ✓ the work tree is there (${bench.root})`);
    views.doctorView.parse(JSON.parse((await bench.run("doctor", "--json")).out));
  });

  it("follows a damaged registration: set aside and adopted, the project is back", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const path = join(bench.stateHome, "stint/registry/projects", `${id}.json`);
    writeFileSync(path, "{");
    const refused = await bench.run("status");
    expect(refused.code).toBe(5);
    expect(refused.err).toContain(`stint: ${path} is damaged: it is not an entry of the registry`);
    rmSync(path);
    expect((await bench.run("doctor", "--adopt")).code).toBe(0);
    expect((await bench.run("status", id)).code).toBe(0);
  });
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

  it("is asked for when there are several", async () => {
    bench.write("a.md");
    bench.write("b.md");
    const a = await bench.create("a.md");
    const b = await bench.create("b.md");
    const { code, err } = await bench.run("status");
    expect(code).toBe(2);
    expect(err).toBe(
      `stint: ${bench.root} has 2 projects: ${a} (a, ${bench.root}); ${b} (b, ${bench.root})\n  Name one of them: stint status ${a}`,
    );
    expect((await bench.run("status", "p-")).code).toBe(2);
  });

  it("is the one here when another work tree has the same slug", async () => {
    bench.write("prompt.md");
    const here = await bench.create();
    const other = join(bench.path, "other");
    mkdirSync(other);
    writeFileSync(join(other, "prompt.md"), TWO_TASKS);
    await bench.runWith({ cwd: other }, "new", "prompt.md");
    expect((await bench.run("status", "prompt")).out).toContain(here);
    const elsewhere = await bench.runWith({ cwd: bench.path }, "status", "prompt");
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.err).toContain('stint: "prompt" has 2 projects: ');
  });

  it("is said not to be there, with what to do", async () => {
    bench.write("prompt.md");
    expect(await bench.run("status")).toEqual({
      code: 2,
      out: "",
      err: `stint: ${bench.root} has no project\n  Create one: stint new <manifest.md>; or name one: stint list`,
    });
    expect((await bench.run("status", "prompt.md")).err).toBe(
      "stint: prompt.md has no project\n  Create it: stint new prompt.md",
    );
    for (const reference of ["nope", ".", "p-0000000000", "../..", ""]) {
      const { code, err } = await bench.run("status", reference);
      expect(code).toBe(2);
      expect(err).toBe(
        `stint: there is no project "${reference}": it is no id, no slug and no manifest\n  See what there is: stint list`,
      );
    }
  });
});

describe("the settings of a work tree", () => {
  it("hold: root, owner and limits", async () => {
    bench.write("prompt.md");
    bench.write(
      "stint.config.yaml",
      "root: work/robots\nowner_agent: night\nlimits:\n  files_per_task: 12\n",
    );
    const { out } = await bench.run("new", "prompt.md", "--json");
    const view = views.newView.parse(JSON.parse(out));
    expect(view.project.folder).toBe("work/robots/night/projects/prompt");
    const state = readFileSync(join(bench.root, view.project.folder, "state.json"), "utf8");
    expect(JSON.parse(state)).toMatchObject({
      scope_guardrails: { limits: { files_per_task: 12, tasks_per_session: 6 } },
    });
    expect(git(bench.root, "status", "--porcelain")).not.toContain("work/");
  });

  it.each([
    ["an unknown key", "rooot: x\n", "unknown key rooot (did you mean root?)"],
    [
      "an unknown limit",
      "limits:\n  files_per_tsk: 3\n",
      "unknown key limits.files_per_tsk (did you mean files_per_task?)",
    ],
    [
      "a key like nothing",
      "zzzzzz: 1\n",
      "unknown key zzzzzz (known are root, owner_agent, limits, timeouts, attempts_per_task, budgets, agent, agents, models, wait, browser, notify, isolation, dirty, push, release, approvals)",
    ],
    ["a root above the work tree", "root: ../up\n", "root: a folder inside the work tree"],
    ["an absolute root", "root: /tmp/x\n", "root: a folder inside the work tree"],
    ["a root by a detour", "root: a/../../b\n", "root: a folder inside the work tree"],
    ["a root with a line break", 'root: "a\\n/../../b"\n', "root: a folder inside the work tree"],
    ["a root with an empty part", "root: a//b\n", "root: a folder inside the work tree"],
    ["a root that is the work tree", "root: .\n", "root: a folder inside the work tree"],
  ])("with %s are refused, and nothing is made", async (_, text, problem) => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", text);
    const before = everything();
    const { code, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(2);
    expect(err).toBe(
      `stint: stint.config.yaml: ${problem}\n  Right is, for example:\n    root: agents\n    limits:\n      files_per_task: 12`,
    );
    expect(everything()).toEqual(before);
  });

  it.each([
    ["a wrong type", "limits:\n  files_per_task: many\n", /limits\.files_per_task: /],
    ["too much", "limits:\n  tasks_per_session: 7\n", /limits\.tasks_per_session: /],
    ["a list", "- a\n", /the file: /],
    [
      "a misspelt channel",
      "notify:\n  dektop: true\n",
      /unknown key notify\.dektop \(did you mean desktop\?\)/,
    ],
    ["no hours", "notify:\n  quiet: at night\n", /notify\.quiet: hours, as "22:00-07:00"/],
    [
      "a command line",
      "notify:\n  command: ./tell.sh --loud\n",
      /notify\.command: a list of words, as \[\.\/tell\.sh, --loud\]/,
    ],
    [
      "a secret in the settings",
      "notify:\n  webhook:\n    url: https://x.test\n    secret: hunter2\n",
      /notify\.webhook\.secret_env: .*unknown key notify\.webhook\.secret \(/s,
    ],
    [
      "a password in an address",
      "notify:\n  webhook:\n    url: https://a:b@x.test\n    secret_env: HOOK\n",
      /notify\.webhook\.url: an http or https address without a password/,
    ],
  ])("with %s are refused with the place", async (_, text, problem) => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", text);
    const { code, err } = await bench.run("lint", "prompt.md");
    expect(code).toBe(2);
    expect(err).toMatch(problem);
  });

  it("that are no YAML are refused with the reason", async () => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", "root: [\n");
    const { code, err } = await bench.run("lint", "prompt.md");
    expect(code).toBe(2);
    expect(err).toMatch(
      /^stint: stint\.config\.yaml is not YAML: .+\n {2}Edit stint\.config\.yaml$/,
    );
  });

  it("in two files are refused: which one counts must not be guessed", async () => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", "root: a\n");
    bench.write("stint.config.json", "{}");
    expect(await bench.run("lint", "prompt.md")).toEqual({
      code: 2,
      out: "",
      err: `stint: ${bench.root} has two config files: stint.config.yaml and stint.config.json\n  Keep one: mv stint.config.json stint.config.json.old`,
    });
  });

  it("in an empty file are the defaults", async () => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", "# nothing\n");
    expect((await bench.run("lint", "prompt.md")).code).toBe(0);
  });
});

describe("wrong use", () => {
  it.each([
    [["statsu"], "unknown command 'statsu'\n(Did you mean status?)", "stint --help"],
    [["status", "--jsn"], "unknown option '--jsn'\n(Did you mean --json?)", "stint status --help"],
    [["new"], "missing required argument 'manifest'", "stint new --help"],
    [["lint"], "missing required argument 'manifests'", "stint lint --help"],
    [
      ["status", "a", "b"],
      "too many arguments for 'status'. Expected 1 argument but got 2.",
      "stint status --help",
    ],
    [
      ["list", "a"],
      "too many arguments for 'list'. Expected 0 arguments but got 1.",
      "stint list --help",
    ],
    [["log", "-n"], "option '-n, --lines <count>' argument missing", "stint log --help"],
  ])("%j is told with what is near and where to look", async (words, message, help) => {
    const { code, out, err } = await bench.run(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(`stint: ${message}\n  See what there is: ${help}`);
    const [verb = "", ...rest] = words;
    const json = await bench.run(verb, "--json", ...rest);
    const { error } = views.errorView.parse(JSON.parse(json.out));
    expect(error).toMatchObject({ code: "bad-input", hint: `See what there is: ${help}` });
    expect([json.code, json.err]).toEqual([2, ""]);
  });

  it("no word at all shows the help", async () => {
    const { code, out } = await bench.runWith({ width: 80 });
    expect(code).toBe(0);
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const words = out.replace(/\s+/g, " ");
    for (const { name, summary } of VERBS) {
      expect(words).toMatch(new RegExp(` ${name} ${summary}`));
    }
  });

  it("S0-34 every verb explains itself with examples, and new with a manifest to start from", async () => {
    for (const verb of VERBS) {
      const { code, out } = await bench.run(verb.name, "--help");
      expect(code).toBe(0);
      expect(out).toContain(`Usage: stint ${verb.name}`);
      expect(out).toContain("--json");
      for (const [command, meaning] of verb.examples) {
        expect(out).toContain(`  ${command}\n      ${meaning}`);
      }
      expect(verb.examples.length).toBeGreaterThan(0);
      expect((verb.details ?? "").split("\n").filter((line) => line.length > 80)).toEqual([]);
      expect((await bench.run("help", verb.name)).out).toBe(out);
    }
    expect((await bench.run("new", "--help")).out).toContain("## Steps\n  - [ ] english - ");
  });

  it("asks for the version and gets it", async () => {
    expect(await bench.run("--version")).toEqual({ code: 0, out: "1.2.3", err: "" });
  });

  it("opens no state for help, version and completion scripts", async () => {
    await bench.run("--help");
    await bench.run("completion", "bash");
    expect(existsSync(bench.stateHome)).toBe(false);
  });
});

const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- looking for control characters is the purpose
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe("what reaches a terminal", () => {
  const NASTY = "\u001b[31mred\u001b[0m \u202eevil\u2066 \u009b2J \u0007bell";

  it("never holds a control or override character of a manifest, a name or an error", async () => {
    bench.write(
      "prompt.md",
      TWO_TASKS.replace("Write hello.txt", `Write ${NASTY}`).replace("Say hello", `Say ${NASTY}`),
    );
    bench.write("\u001b[31mname.md", "# nothing\n");
    mkdirSync(join(bench.root, "agents/\u001b[31m/projects/x"), { recursive: true });
    writeFileSync(join(bench.root, "agents/\u001b[31m/projects/x/state.json"), "{}");
    const said = [
      await bench.run("lint", "prompt.md", "\u001b[31mname.md"),
      await bench.run("new", "prompt.md"),
      await bench.run("new", "\u001b[31mname.md"),
      await bench.run("status"),
      await bench.run("list"),
      await bench.run("log"),
      await bench.run("doctor"),
      await bench.run("status", NASTY),
      await bench.run(NASTY),
      await bench.run("completion", NASTY),
      await bench.run("lint", NASTY),
      await bench.run("new", "prompt.md", "--as", NASTY),
    ];
    for (const { out, err } of said) {
      expect(out + err).not.toMatch(HIDDEN);
    }
    expect(said.map(({ code }) => code)).toEqual([2, 0, 2, 0, 0, 0, 0, 2, 2, 2, 2, 2]);
    expect(said[3]?.out).toContain("\\u001b[31mred");
  });

  it("is whole when it is piped, and fits when it is shown", async () => {
    const title = "x".repeat(300);
    bench.write("prompt.md", TWO_TASKS.replace("Write hello.txt", `Write ${title}`));
    await bench.create();
    const piped = await bench.run("status");
    expect(piped.out).toContain(title);
    for (const words of [["status"], ["list"], ["log"]]) {
      const { out } = await bench.runWith({ width: 80 }, ...words);
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
    expect((await bench.runWith({ width: 80 }, "status")).out).toContain("xxx…");
  });

  it("has colour only where it is wanted", async () => {
    bench.write("prompt.md");
    await bench.create();
    const escapes = "\u001b[";
    expect((await bench.run("status")).out).not.toContain(escapes);
    const coloured = await bench.runWith({ colours: true }, "status");
    expect(coloured.out).toContain(`${escapes}1mprompt${escapes}22m`);
    const error = await bench.runWith({ colours: true }, "status", "nope");
    expect(error.err).toContain(`${escapes}31mstint:`);
  });
});
