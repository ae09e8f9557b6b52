// The iteration contract held at its front door, with the built executable: what is executed and when, what is asked
// first, what a session can claim, and a request that becomes a tree of small steps, at the paths of the contract.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LogView, StatusView } from "../../src/core/schema/views.ts";
import { availableKinds } from "../support/available-kinds.ts";
import { BuiltStint } from "../support/built-stint.ts";
import { git } from "../support/git.ts";

/** Whether this machine can show a file that is not to be written. */
const CAN_SHOW = availableKinds().some((kind) => kind !== "group");

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
  git(stint.root, "config", "user.name", "Ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  stint.write("README.md", "# Shop\n");
  stint.write("fixtures/old.json", "{}\n");
  commit("first");
});
afterEach(() => stint.close());

function commit(message: string): void {
  git(stint.root, "add", "-A");
  git(stint.root, "commit", "-q", "-m", message);
}

function agent(tasks: Readonly<Record<string, readonly object[]>>): string[] {
  const file = join(stint.path, "script.json");
  writeFileSync(file, JSON.stringify({ tasks }));
  return ["--agent", `scripted:${file}`];
}

const write = (path: string, text = "made\n") => ({ act: "write", path, text });

function flow(...parts: string[]): string {
  return join(stint.path, "home/.udx/dev.kit/state/codex/workflows/repo", ...parts);
}

function status(project: string): StatusView {
  return JSON.parse(stint.run("status", project, "--json", "--all").out) as StatusView;
}

function sessions(project: string): number {
  return status(project).budget.sessions.used;
}

function journal(project: string): LogView["lines"] {
  return (JSON.parse(stint.run("log", project, "--json").out) as LogView).lines;
}

const SEVERAL = "add tests, migrate the config and update the docs";
const TREE = {
  "add-tests": [write("shop.test.js")],
  "migrate-the-config": [write("config.js")],
  "update-the-docs": [write("docs/guide.md")],
};
const CHILDREN = Object.keys(TREE);

describe("a request for three deliverables", () => {
  const request = ["iterate", SEVERAL, "--task-id", "tidy"];

  it("S2-19 generates the same bytes twice, from nothing but the same input", () => {
    expect(stint.run(...request, ...agent(TREE)).code).toBe(3);
    const first = readFileSync(flow("tidy/workflow.md"));
    for (const gone of [flow("tidy"), stint.stateHome, join(stint.root, "agents")]) {
      rmSync(gone, { recursive: true });
    }
    expect(stint.run(...request, ...agent(TREE)).code).toBe(3);
    expect(readFileSync(flow("tidy/workflow.md")).equals(first)).toBe(true);
  });

  it("S2-23 is held by its preview, whichever verb is used, and killed or not", async () => {
    const child = stint.start(...request, ...agent(TREE));
    await new Promise((resolve) => {
      child.stdout?.once("data", () => child.kill("SIGKILL"));
      child.on("close", resolve);
    });
    const asked = [
      stint.run(...request, ...agent(TREE)),
      stint.run("resume", "tidy", ...agent(TREE)),
      stint.run("run", flow("tidy/workflow.md"), ...agent(TREE)),
    ];
    for (const { code, out } of asked) {
      expect([code, out]).toEqual([3, expect.stringContaining("stint approve plan")]);
    }
    expect([status("tidy").status, sessions("tidy")]).toEqual(["Draft", 0]);
    expect(CHILDREN.map((name) => existsSync(flow("tidy", name)))).toEqual([false, false, false]);
    expect(git(stint.root, "log", "--format=%s", "--all")).toBe("first\n");
  });

  it("S2-17 S2-18 S2-22 S2-26 S2-27 becomes three children in three sessions, each where and when it is due, and ends Done", () => {
    expect(stint.run(...request, ...agent(TREE)).code).toBe(3);
    expect(stint.run("approve", "plan", "tidy").code).toBe(0);
    for (const [index] of CHILDREN.entries()) {
      expect(stint.run("resume", "tidy", "--sessions", "1", ...agent(TREE)).code).toBe(1);
      const there = CHILDREN.map((name) => existsSync(flow("tidy", name, "index.md")));
      expect(there).toEqual(CHILDREN.map((_, n) => n <= index));
    }
    expect(stint.run("resume", "tidy", ...agent(TREE)).code).toBe(0);
    const view = status("tidy");
    expect([view.status, sessions("tidy")]).toEqual(["Done", 3]);
    expect(view.tasks.map((task) => [task.name, task.status, task.attempts])).toEqual(
      CHILDREN.flatMap((name) => [
        [`${name}-1`, "done", 1],
        [name, "done", 0],
      ]),
    );
    for (const name of CHILDREN) {
      const page = readFileSync(flow("tidy", name, "index.md"), "utf8");
      expect(page).toContain(`parent: ${JSON.stringify(flow("tidy/workflow.md"))}`);
      expect(page).toMatch(
        new RegExp(
          `- \\[x\\] ${name}-1 - .*\\n {2}- inputs: .*\\n {2}- actions: .*\\n {2}- outputs: .*`,
        ),
      );
      expect(page).toContain("  - status: done\n");
      expect(page).not.toContain("[ ]");
    }
    const workflow = readFileSync(flow("tidy/workflow.md"), "utf8");
    expect(workflow.match(/^- \[x\] /gm)).toHaveLength(3);
    for (const name of CHILDREN) {
      expect(workflow).toContain(`  - outputs: ${flow("tidy", name, "index.md")}\n`);
    }
    expect(workflow.match(/ {2}- outputs: tasks\/tidy\/feedback\.md\n/g)).toHaveLength(3);
    expect(git(stint.root, "show", "HEAD:tasks/tidy/feedback.md")).toBe(
      [
        "## Resolution Log",
        "",
        "- add-tests-1: Add tests (`shop.test.js`)",
        "- migrate-the-config-1: Migrate the config (`config.js`)",
        "- update-the-docs-1: Update the docs (`docs/guide.md`)",
        "",
      ].join("\n"),
    );
    expect(stint.run("verify", "tidy").code).toBe(0);
  });
});

describe("S2-14 something is executed", () => {
  it("only in a stage that needs it, or where somebody asks for it", () => {
    const ledger = join(stint.path, "ledger");
    writeFileSync(ledger, "");
    const executed = (): string => readFileSync(ledger, "utf8");
    const words = agent({
      "*": [
        { act: "append", path: ledger, text: "session\n", hostile: true },
        { act: "append", path: "made.js", text: "made\n" },
      ],
    });
    const scripted = [...words, "--isolation", "off"];
    const check = `echo check >>${ledger}; test -f made.js`;
    const request = ["iterate", "add tests and migrate the config", "--task-id", "tidy"];
    const looking = (): void => {
      const before = executed();
      const manifest = flow("tidy/workflow.md");
      for (const verb of ["status", "plan", "log", "diff"]) stint.run(verb, "tidy");
      for (const verb of ["list", "config"]) stint.run(verb);
      stint.run("lint", manifest);
      expect(executed()).toBe(before);
    };
    // Parsed and shown.
    expect(stint.run(...request, "--check", check, ...scripted).code).toBe(3);
    looking();
    // Approved, which is a word and no work.
    expect(stint.run("approve", "plan", "tidy").code).toBe(0);
    looking();
    expect(executed()).toBe("");
    // Executed and checked.
    expect(stint.run("resume", "tidy", ...scripted).code).toBe(0);
    expect(executed()).toMatch(/^(?:check\n)*session\n(?:check\n)+/);
    looking();
    const lines = journal("tidy");
    const first = (kind: string): number => lines.findIndex((line) => line.kind === kind);
    const validated = lines.findIndex(({ data }) => data?.["stage"] === 2);
    expect(validated).toBeGreaterThan(first("plan-approved"));
    expect(first("attempt-started")).toBeGreaterThan(validated);
    // Done is done: the same request executes nothing again.
    const before = executed();
    expect(stint.run(...request, "--check", check, ...scripted).code).toBe(0);
    expect(executed()).toBe(before);
  });
});

describe("S2-15 something that would be gone", () => {
  const remove = { act: "delete", path: "fixtures/old.json" };
  const isThere = (): boolean => existsSync(join(stint.root, "fixtures/old.json"));
  const request = ["iterate", "delete the old fixtures", "--check", "test ! -e fixtures/old.json"];

  it("is asked about before it is begun, and done after the yes", () => {
    const scripted = agent({ "*": [remove] });
    for (let time = 0; time < 2; time++) {
      const { code, out } = stint.run(...request, ...scripted);
      expect([code, out]).toEqual([3, expect.stringContaining("needs your yes before it starts")]);
    }
    const [project] = ["delete-the-old-fixtures"];
    expect([status(project).status, sessions(project), isThere()]).toEqual([
      "AwaitingApproval",
      0,
      true,
    ]);
    expect(stint.run("approve", "a1", project).code).toBe(0);
    expect(stint.run(...request, ...scripted).code).toBe(0);
    expect([status(project).status, sessions(project), isThere()]).toEqual(["Done", 1, false]);
  });

  it("stays where a person says no", () => {
    const scripted = agent({ "*": [remove] });
    stint.run(...request, ...scripted);
    expect(stint.run("deny", "a1", "--reason", "they are in use").code).toBe(0);
    expect(stint.run(...request, ...scripted).code).toBe(4);
    expect([sessions("delete-the-old-fixtures"), isThere()]).toEqual([0, true]);
  });

  it.each([
    ["overwrite the lock file", 3],
    ["reset the database of the shop", 3],
    ["uninstall the old plugin", 3],
    ["fix the seed and then wipe build", 3],
    ["add a delete button", 0],
  ])("in %j: exit code %i", (words, wanted) => {
    const { code } = stint.run("iterate", words, ...agent({ "*": [write("made.js")] }));
    expect(code).toBe(wanted);
    expect(existsSync(join(stint.root, "made.js"))).toBe(wanted === 0);
  });

  it("is asked about at its turn in a workflow, beside the yes to the whole, before its child is made", () => {
    const scripted = agent({ "add-tests": [write("shop.test.js")], "*": [remove] });
    stint.run("iterate", "add tests and delete the old fixtures", "--task-id", "tidy", ...scripted);
    expect(stint.run("approve", "plan", "tidy").code).toBe(0);
    expect(stint.run("resume", "tidy", ...scripted).code).toBe(3);
    expect([sessions("tidy"), isThere()]).toEqual([1, true]);
    expect(existsSync(flow("tidy/add-tests/index.md"))).toBe(true);
    expect(existsSync(flow("tidy/delete-the-old-fixtures"))).toBe(false);
    const [asked] = status("tidy").waiting_for_a_person;
    expect(stint.run("approve", asked?.id ?? "", "tidy").code).toBe(0);
    expect(stint.run("resume", "tidy", ...scripted).code).toBe(0);
    expect([sessions("tidy"), isThere()]).toEqual([2, false]);
  });

  it("in an item of the review log is asked about too", () => {
    stint.write("docs/_feedback.md", "- DOC-1: Delete the old fixtures\n");
    commit("reviewed");
    expect(stint.run("iterate", "iteration", ...agent({ "*": [remove] })).code).toBe(3);
    expect(isThere()).toBe(true);
  });
});

describe("S2-28 the contract", () => {
  const LOG = "# Review\n\n- DOC-1: Write the guide\n";
  const request = ["iterate", "iteration", "--check", "grep -q Guide guide.js"];
  const inLog = (): string => git(stint.root, "show", "HEAD:docs/_feedback.md");

  it("is enforced: what a session says, marks and writes of it counts for nothing", () => {
    stint.write("docs/_feedback.md", LOG);
    commit("reviewed");
    const mark = 'chmod u+w "$STINT_MANIFEST"; sed -i "s/\\[ \\]/[x]/" "$STINT_MANIFEST"';
    const claims = agent({
      "*": [
        { act: "append", path: "docs/_feedback.md", text: "\n## Resolution Log\n\n- DOC-1: ok\n" },
        write("tasks/iteration/feedback.md", "- doc-1: done\n"),
        // Where nothing hides it, the file is as writable for a session as for the person whose it is.
        ...(CAN_SHOW ? [{ act: "run", command: mark, mayFail: true }] : []),
        { act: "marker", keys: { remaining_steps: false } },
        { act: "say", text: "Everything is done and resolved." },
        write("notes.js"),
      ],
    });
    const { code, out } = stint.run(...request, ...claims);
    expect(code).toBe(4);
    expect(out).not.toContain("every task is done");
    expect(status("iteration").tasks.map((task) => task.status)).toEqual(["blocked"]);
    expect([inLog(), git(stint.root, "status", "--porcelain", "docs")]).toEqual([LOG, ""]);
    expect(readFileSync(flow("iteration/iteration.md"), "utf8")).toContain("- [ ] doc-1");
    const kinds = journal("iteration").map(({ kind }) => kind);
    expect([kinds.includes("stage"), kinds.includes("completed")]).toEqual([true, false]);

    // The work is what counts, and Stint writes what it came to.
    const works = agent({ "*": [write("guide.js", "Guide\n")] });
    expect(stint.run("resume", "iteration", "--retry", ...works).code).toBe(0);
    expect(status("iteration").status).toBe("Done");
    expect(inLog()).toMatch(
      /^# Review\n\n- DOC-1: Write the guide\n\n## Resolution Log\n\n- DOC-1: Write the guide \(.*`guide\.js`.*\)\n$/,
    );
  });
});
