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

it("S2-9 S2-10 S2-11 S2-12 S2-13 S2-26 a child at its exact path, and a task of nine files that is split, end Done", () => {
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
  expect(run.out).toContain(
    "9 files changed, the limit is 8 (0 planned); 9 new files, the limit is 3 (0 planned)",
  );

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
  const bounds = view.tasks.find(({ id }) => id === "t2")?.bounds;
  expect(bounds).toMatchObject({
    session: 3,
    files: { limit: 8, planned: 0, used: 9, left: 0 },
    new_files: { limit: 3, planned: 0, used: 9, left: 0 },
    moves: { limit: 0, planned: 0, used: 0, left: 0 },
  });
  for (const tree of [stint.run("status").out, stint.run("plan", "prompt.md").out]) {
    const lines = tree.split("\n").map((line) => line.trim().replace(/ {2,}/g, " "));
    const ids = lines.flatMap((line) => /^(?:✓ )?((?:└ )?t\d) /.exec(line)?.[1] ?? []);
    expect(ids).toEqual(["t1", "└ t3", "└ t4", "t2", "└ t5"]);
    expect(lines).toContain("used 1/6 tasks, 9/8 files, 9/3 new, 0/0 moves");
    expect(lines).toContain("left 5, 7, 2, 0; planned 1, 1, 1, 0");
  }
  expect(stint.run("verify").code).toBe(0);

  const manifest = readFileSync(join(stint.root, "prompt.md"), "utf8");
  expect(manifest).toBe(MANIFEST.replaceAll("- [ ]", "- [x]"));
  expect(page("the-ground")).toContain("- [x] ground-2 - Write b.js\n  - inputs: the goal above\n");
  expect(page("walls")).toContain("- [x] walls-1 - Finish: Raise the walls\n");
  expect(page("walls")).toContain(
    "\n- The task was more than one session can do: 9 files changed, the limit is 8 (0 planned); 9 new files, the limit is 3 (0 planned)\n",
  );
  // What passed is one commit, excess or not.
  const commit = git(stint.root, "log", "--format=%H", "--grep=Stint-Task: t5", "-1").trim();
  const files = git(stint.root, "show", "--name-only", "--format=", commit).trim().split("\n");
  expect(files.filter((path) => path.endsWith(".js"))).toHaveLength(10);
});

it("S2-13 S2-21 a chunk may be documentation, and what its task resolves names the paths of all chunks", () => {
  stint.write("docs/_feedback.md", "# Review\n\n- DOC-1: Build it\n");
  stint.write(
    "prompt.md",
    `## Goal
A house.

## Steps
- [ ] first - Make x.js
- [ ] house - Build it
  - child: the-house
  - resolves: DOC-1
  - actions: Write a.js
  - actions: Describe it in docs/guide.md
`,
  );
  git(stint.root, "add", "-A");
  git(stint.root, "commit", "-q", "-m", "first");
  const script = join(stint.path, "script.json");
  const tasks = {
    first: [write("x.js")],
    "house-1": [write("a.js")],
    "house-2": [write("docs/guide.md")],
  };
  writeFileSync(script, JSON.stringify({ manifest: "prompt.md", tasks }));
  const run = stint.run("run", "prompt.md", "--agent", `scripted:${script}`);
  expect([run.err, run.code]).toEqual(["", 0]);
  const log = readFileSync(join(stint.root, "docs/_feedback.md"), "utf8");
  expect(log).toContain("\n- DOC-1: Build it (`a.js`, `docs/guide.md`)\n");
  const view = JSON.parse(stint.run("status", "--json").out) as StatusView;
  expect([view.status, view.budget.sessions.used]).toEqual(["Done", 3]);
});
