// Delivery into every kind of checkout that a person may have: what plain git does there, what Stint does,
// and that every byte, index entry, ref, stash, setting and hook of theirs is as before, but for what comes.
// A sample by default; all rows with npm run test:all.
import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  DELIVERY_ROWS,
  type Plain,
  type Row,
  usualWork,
} from "../../../test/support/delivery-rows.ts";
import { removeWhole } from "../../../test/support/lived-in.ts";
import {
  describeDifferences,
  type PersonState,
  recordPerson,
} from "../../../test/support/person-state.ts";
import {
  Files,
  ordinary,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../../test/support/workspace-scene.ts";

const scenes = scenesOfFile();

const isRoot = process.getuid?.() === 0;
const rows = DELIVERY_ROWS.filter(({ needs }) => needs === undefined || !isRoot);
const STEP = process.env["STINT_TESTS"] === "all" ? 1 : 4;
const BOXES = [{ path: "PROMPT.md", content: Buffer.from("- [x] one\n") }];
const HINT = /(?:git merge|stint deliver)/;

describe("what a person has, and what comes", () => {
  it.each(rows.filter((_, at) => at % STEP === 0))("$name", async (row) => {
    const scene = await verified(row);
    const { person } = scene;
    let begun = row.has?.(person);
    const end = (): void => {
      begun?.();
      begun = undefined;
    };
    try {
      expect(plainly(row, person)).toBe(row.plain);
      await arrives(row, scene, end);
    } finally {
      end();
    }
  });
});

/** One verified commit, not delivered yet. */
async function verified({ start = ordinary, comes, entries }: Row): Promise<Scene> {
  const scene = scenes.make(start);
  const { workspace, files, person, home } = scene;
  await workspace.open();
  (comes ?? usualWork)(files, person);
  const tree = treeOf(await workspace.capture());
  const whole = entries === undefined ? tree : withEntries(home, tree, entries(person));
  const made = await workspace.commit(request(whole, "t1", { own: BOXES }));
  expect(made).toMatchObject({ kind: "committed" });
  return scene;
}

function withEntries(home: string, tree: string, entries: readonly string[]): string {
  const env = { ...process.env, GIT_INDEX_FILE: join(home, "index-of-test") };
  const git = (words: readonly string[], input = ""): string =>
    execFileSync("git", [`--git-dir=${join(home, "git")}`, ...words], {
      env,
      input,
      encoding: "utf8",
    });
  git(["read-tree", tree]);
  git(["update-index", "--index-info"], entries.map((entry) => `${entry}\n`).join(""));
  const made = git(["write-tree"]).trim();
  rmSync(env.GIT_INDEX_FILE);
  return made;
}

/** What git does without us, in a copy of everything that lies at the same path meanwhile. */
function plainly(row: Row, person: Files): Plain {
  const folder = dirname(person.root);
  renameSync(folder, `${folder}.real`);
  try {
    execFileSync("cp", ["-a", `${folder}.real`, folder]);
    return mergedBy(row, person);
  } finally {
    removeWhole(folder);
    renameSync(`${folder}.real`, folder);
  }
}

function mergedBy({ theirs = [] }: Row, person: Files): Plain {
  const before = filesIn(recordPerson(person.root));
  const isMerged = succeeds(() => person.git("merge", "--ff-only", "-q", "stint/work"));
  const after = filesIn(recordPerson(person.root));
  const isKept = theirs.every((path) => kindOf(before, path) === kindOf(after, path));
  if (isMerged && person.id("HEAD") !== person.id("stint/work")) return "otherwise";
  if (!isKept) return "overwrites";
  if (isMerged) return "brings";
  return describeDifferences(before, after).length === 0 ? "refuses" : "half";
}

function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** The files of the checkout alone. */
function filesIn(state: PersonState): PersonState {
  return new Map(
    [...state].filter(([what]) => /^(?:file|link|special file) (?!\.git\/)/.test(what)),
  );
}

function kindOf(state: PersonState, path: string): string | undefined {
  return ["file", "link", "special file"]
    .map((kind) => [kind, state.get(`${kind} ${path}`)] as const)
    .filter(([, value]) => value !== undefined)
    .join();
}

async function arrives(row: Row, scene: Scene, end: () => void): Promise<void> {
  const { workspace, person } = scene;
  const outside = [
    join(person.root, "../elsewhere/x.txt"),
    join(person.root, "../elsewhere/y.txt"),
    join(person.root, "../hooked"),
  ];
  const record = (): PersonState => recordPerson(person.root, outside);
  if (row.stint !== "delivered") {
    const before = record();
    const waiting = await workspace.deliver();
    expect(waiting).toEqual({
      kind: "waiting",
      branch: "stint/work",
      held_by: "obstacle",
      why: expect.stringMatching(row.stint),
      hint: expect.stringMatching(HINT),
    });
    expect(describeDifferences(before, record())).toEqual([]);
    end();
    row.freed?.(person);
  }
  const before = record();
  const again = row.stint === "delivered" ? workspace : scene.reopen();
  if (again !== workspace) await again.open();
  const from = tipOf(person);
  expect(await again.deliver()).toMatchObject({ kind: "delivered" });
  const tip = person.id("stint/work");
  const branch = { ref: person.git("symbolic-ref", "HEAD").trim(), commit: tip };
  expect(person.id("HEAD")).toBe(tip);
  const paths = pathsOf(person, "diff-tree", "-r", from, tip);
  const after = record();
  const differences = describeDifferences(before, after, { slug: "work", paths, branch });
  expect(differences.filter((line) => row.also?.test(line) !== true)).toEqual([]);
  const theirs = row.stint === "delivered" ? (row.theirs ?? []) : [];
  for (const path of theirs) expect(kindOf(after, path)).toBe(kindOf(before, path));
  const others = pathsOf(person, "diff", "--ignore-submodules=all", tip).filter((path) =>
    paths.includes(path),
  );
  expect(others).toEqual(theirs.filter((path) => others.includes(path)));
}

function tipOf(person: Files): string {
  return succeeds(() => person.id("HEAD"))
    ? person.id("HEAD")
    : person.git("hash-object", "-t", "tree", "/dev/null").trim();
}

function pathsOf(person: Files, verb: string, ...words: string[]): string[] {
  const said = execFileSync("git", [verb, "-z", "--name-only", "--no-renames", ...words], {
    cwd: person.root,
    encoding: "latin1",
  });
  return said.split("\0").filter((path) => path !== "");
}
