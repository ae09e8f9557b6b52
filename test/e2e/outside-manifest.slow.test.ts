// A manifest that lies outside of its repository, with the built executable: the repository never holds anything of
// it, no session writes it, and Stint sets its boxes.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ListView, StatusView } from "../../src/core/schema/views.ts";
import { availableKinds } from "../support/available-kinds.ts";
import { BuiltStint, type Ended } from "../support/built-stint.ts";
import { git } from "../support/git.ts";

let stint: BuiltStint;
let flow: string;

beforeEach(() => {
  stint = new BuiltStint();
  git(stint.root, "config", "user.name", "Ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  stint.write("README.md", "# Shop\n");
  git(stint.root, "add", "-A");
  git(stint.root, "commit", "-q", "-m", "first");
  const folder = join(stint.path, "home/flows/big-change");
  mkdirSync(folder, { recursive: true });
  flow = join(folder, "workflow.md");
  writeFileSync(flow, manifest());
});
afterEach(() => stint.close());

function manifest(repository = stint.root, also = ""): string {
  return `---
iteration: big-change
repository: ${repository}
${also}---

## Goal
Say hello in two languages.

## Steps
- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
- [ ] german - Write hallo.txt
  - check: file hallo.txt matches /Hallo/
`;
}

const GERMAN = [{ act: "write", path: "hallo.txt", text: "Hallo\n" }];
const FRENCH = [{ act: "write", path: "salut.txt", text: "Salut\n" }];
/** What it finds of the manifest, in its folder and at the path that it is given. */
const LOOK = [
  'test "$(dirname "$STINT_MANIFEST")" != "$(pwd)"',
  'grep -q "iteration: big-change" "$STINT_MANIFEST"',
  "! find . -name workflow.md -not -path './.git/*' | grep -q .",
  "echo Hello > hello.txt",
].join(" && ");
const ENGLISH = [{ act: "run", command: LOOK }];

/** Whether this machine can show a file that is not to be written. */
const CAN_SHOW = availableKinds().some((kind) => kind !== "group");

function agent(tasks: Record<string, readonly object[]>): string[] {
  const file = join(stint.path, "script.json");
  writeFileSync(file, JSON.stringify({ tasks }));
  return ["--agent", `scripted:${file}`];
}

function status(): StatusView {
  return JSON.parse(stint.run("status", "--json").out) as StatusView;
}

function boxes(): string[] {
  return readFileSync(flow, "utf8").match(/\[[ x]\] \w+/g) ?? [];
}

/** Nothing that git or a workspace holds, and no file of the repository, has a name or a line of it. */
function expectNothingInside(): void {
  const { root, stateHome } = stint;
  expect(git(root, "log", "--all", "--name-only", "--format=")).not.toContain("workflow");
  expect(git(root, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(root, ".git/info/exclude"), "utf8")).not.toContain("workflow");
  const inside = [
    ...readdirSync(root, { recursive: true, encoding: "utf8" }),
    ...readdirSync(join(stateHome, "stint/workspaces"), { recursive: true, encoding: "utf8" }),
  ];
  expect(inside.filter((path) => path.endsWith("workflow.md"))).toEqual([]);
}

async function killedWhile(words: readonly string[], line: string): Promise<string> {
  const child = stint.start(...words);
  let out = "";
  return await new Promise((resolve) => {
    child.stdout?.on("data", (text: Buffer) => {
      out += text.toString("utf8");
      if (out.includes(line)) child.kill("SIGKILL");
    });
    child.on("close", () => resolve(out));
  });
}

function expectDone({ code, out, err }: Ended): void {
  expect([code, err, out]).toEqual([0, "", expect.stringContaining("every task is done")]);
}

describe("a manifest outside of its repository", () => {
  it("is run to Done, through kill -9 and an edit, and stays outside", async () => {
    const hanging = agent({ "*": [{ act: "say", text: "waiting" }, { act: "hang" }] });
    await killedWhile(["run", flow, ...hanging], "agent: waiting");
    expect(boxes()).toEqual(["[ ] english", "[ ] german"]);
    const { project } = status();
    expect(project).toMatchObject({ slug: "big-change", root: stint.root });
    expect(project.manifest).toBe("../home/flows/big-change/workflow.md");
    const asking = [{ act: "marker", keys: { question: "in which words?" } }];
    const answering = agent({ english: ENGLISH, german: asking });
    const asked = stint.runWith({ cwd: stint.path }, "resume", project.id, ...answering);
    expect([asked.code, asked.err]).toEqual([3, ""]);
    expect(boxes()).toEqual(["[x] english", "[ ] german"]);
    // A person's edit while the run waits for an answer.
    const edited = `${readFileSync(flow, "utf8")}- [ ] french - Write salut.txt\n  - check: file salut.txt matches /Salut/\n`;
    writeFileSync(flow, edited);
    expect(stint.run("answer", "q1", "short ones", project.id).code).toBe(0);
    expectDone(
      stint.run("run", flow, "--approve-plan", ...agent({ german: GERMAN, french: FRENCH })),
    );
    expect(boxes()).toEqual(["[x] english", "[x] german", "[x] french"]);
    expect(readFileSync(flow, "utf8").replaceAll("[x]", "[ ]")).toBe(
      edited.replaceAll("[x]", "[ ]"),
    );
    expectNothingInside();
    const list = JSON.parse(stint.run("list", "--json").out) as ListView;
    expect(list.projects).toMatchObject([{ id: project.id, state: { status: "Done" } }]);
    expect(stint.run("verify").code).toBe(0);
  });

  it.skipIf(!CAN_SHOW)("S2-20 counts nothing that a session would write into it", () => {
    const own = "sed -i 's/Say hello/Say nothing/; s/\\[ \\]/[x]/' \"$STINT_MANIFEST\"";
    const plain =
      'if echo x >> "$STINT_MANIFEST"; then echo written; else echo refused; fi > told.txt';
    const hostile = [
      { act: "run", command: own, mayFail: true },
      { act: "run", command: plain },
      ...ENGLISH,
    ];
    expectDone(stint.run("run", flow, ...agent({ english: hostile, german: GERMAN })));
    expect(readFileSync(flow, "utf8")).toBe(manifest().replaceAll("[ ]", "[x]"));
    expect(git(stint.root, "show", "HEAD:told.txt")).toBe("refused\n");
    expect(readdirSync(join(stint.root, status().project.folder, "artifacts"))).not.toContain(
      "proposals",
    );
  });

  it("works in place, and its file is not taken for the session's", () => {
    const words = ["--in-place", ...agent({ english: ENGLISH, german: GERMAN })];
    expectDone(stint.run("run", flow, ...words));
    expect(boxes()).toEqual(["[x] english", "[x] german"]);
    expect(git(stint.root, "status", "--porcelain")).not.toContain("workflow");
  });

  it("refuses a repository that is not there or is not the root of a work tree", () => {
    const said = (repository: string): [number | null, string] => {
      writeFileSync(flow, manifest(repository));
      const { code, err } = stint.run("new", flow);
      return [code, err.replaceAll(flow, "<flow>").replaceAll(stint.path, "<path>")];
    };
    mkdirSync(join(stint.root, "src"));
    expect(said(join(stint.path, "gone"))).toEqual([
      2,
      "stint: <flow> says that it is about the repository <path>/gone, and there is no such folder\n  Write the root of a work tree, as git rev-parse --show-toplevel prints it there: repository: /home/ada/shop\n",
    ]);
    expect(said(join(stint.root, "src"))).toEqual([
      2,
      "stint: <flow> says that it is about the repository <path>/repo/src, and that is not the root of its work tree\n  Write the root of a work tree, as git rev-parse --show-toplevel prints it there: repository: <path>/repo\n",
    ]);
    expect(said(join(stint.path, "home"))[1]).toContain("that is not a git repository");
  });

  it("sends whoever names the page of a child to its parent", () => {
    const page = join(stint.path, "home/flows/index.md");
    writeFileSync(page, manifest(stint.root, `parent: ${flow}\n`));
    for (const verb of ["run", "new", "plan", "lint"]) {
      const { code, out, err } = stint.run(verb, page);
      expect([code, out, err]).toEqual([
        2,
        "",
        `stint: ${page} is the page of a child workflow: it belongs to ${flow} and cannot be run alone\n  Run the workflow that it belongs to: stint run ${flow}\n`,
      ]);
    }
  });
});
