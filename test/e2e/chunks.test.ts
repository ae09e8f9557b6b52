// A task that becomes chunks, with the built executable: its child workflow is due, or it was more than one session
// can do. The page of a child lies where a person's tools look for it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { StatusView } from "../../src/core/schema/views.ts";
import { BuiltStint } from "../support/built-stint.ts";
import { git } from "../support/git.ts";

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
  git(stint.root, "config", "user.name", "Ada");
  git(stint.root, "config", "user.email", "ada@example.com");
  stint.write("prompt.md", MANIFEST);
});
afterEach(() => stint.close());

const MANIFEST = `## Goal
A house.

## Steps
- [ ] ground - Lay the ground
  - child: the-ground
  - inputs: the goal above
  - actions: Write a.js
  - actions: Write b.js
  - outputs: two files
  - check: \`test -f a.js -a -f b.js\`
  - check: file a.js changed
- [ ] walls - Raise the walls
  - check: \`test -f roof.js\`
`;

const write = (path: string) => ({ act: "write", path, text: `${path}\n` });
const WALLS = Array.from({ length: 9 }, (_, n) => write(`wall-${n + 1}.js`));

function page(child: string): string {
  const flows = ".udx/dev.kit/state/codex/workflows/repo/prompt";
  return readFileSync(join(stint.path, "home", flows, child, "index.md"), "utf8");
}

it("S2-13 S2-26 a child at its exact path, and a task of nine files that is split, end Done", () => {
  const script = join(stint.path, "script.json");
  const tasks = {
    "ground-1": [write("a.js")],
    "ground-2": [write("b.js")],
    walls: WALLS,
    "walls-1": [write("roof.js")],
  };
  writeFileSync(script, JSON.stringify({ manifest: "prompt.md", tasks }));
  const run = stint.run("run", "prompt.md", "--agent", `scripted:${script}`);
  expect([run.err, run.code]).toEqual(["", 0]);
  expect(run.out).toContain("split task t1");
  expect(run.out).toContain("9 files changed, the limit is 8; 9 new files, the limit is 3");

  const view = JSON.parse(stint.run("status", "--json", "--all").out) as StatusView;
  expect(view.status).toBe("Done");
  expect(view.budget.sessions.used).toBe(4);
  const seen = view.tasks.map(({ id, name, status, chunk_of }) => [id, name, status, chunk_of]);
  expect(seen).toEqual([
    ["t3", "ground-1", "done", "t1"],
    ["t4", "ground-2", "done", "t1"],
    ["t1", "ground", "done", undefined],
    ["t5", "walls-1", "done", "t2"],
    ["t2", "walls", "done", undefined],
  ]);
  expect(stint.run("status").out).toMatch(/^ {2}✓ {2} {2}t3 .*\n {2}✓ {2} {2}t4 .*\n {2}✓ {2}t1 /m);
  expect(stint.run("verify").code).toBe(0);

  const manifest = readFileSync(join(stint.root, "prompt.md"), "utf8");
  expect(manifest).toBe(MANIFEST.replaceAll("- [ ]", "- [x]"));
  expect(page("the-ground")).toContain("- [x] ground-2 - Write b.js\n  - inputs: the goal above\n");
  expect(page("walls")).toContain("- [x] walls-1 - Finish: Raise the walls\n");
  // What passed is one commit, excess or not.
  const commit = git(stint.root, "log", "--format=%H", "--grep=Stint-Task: t5", "-1").trim();
  const files = git(stint.root, "show", "--name-only", "--format=", commit).trim().split("\n");
  expect(files.filter((path) => path.endsWith(".js"))).toHaveLength(10);
});
