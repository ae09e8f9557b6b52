// Whatever a person and a session do to the same files: a commit takes only the session's, parking
// takes the session's back, and everything of the person stays as it was, byte for byte.
import { chmodSync } from "node:fs";
import { type Arbitrary, array, assert, asyncProperty, constantFrom, record } from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../test/support/git-repository.ts";
import { touchedPaths } from "./changed-paths.ts";
import { parkLeftovers } from "./park.ts";
import { parkRef } from "./stint-refs.ts";

let repositories: TestRepositories;
beforeEach(() => {
  repositories = testRepositories();
});
afterEach(() => repositories.remove());

const PATHS = ["a", "b", "dir/c", "dir/d e", "dir/sub/f", "-g", "ü\nh", "x.log", "keep/x.log"];
const edit = record({
  act: constantFrom("write", "write", "append", "delete", "stage", "unstage", "run", "folder"),
  path: constantFrom(...PATHS),
  text: constantFrom("one\n", "two\n", "three\r\n", ""),
});
type Edit = typeof edit extends Arbitrary<infer T> ? T : never;
const edits = array(edit, { maxLength: 8 });
const runs = { numRuns: 20 };

function apply(repository: TestRepository, { act, path, text }: Edit): void {
  const isFile = repository.exists(path) && path in repository.files();
  if (act === "write" && canHold(repository, path)) repository.write(path, text);
  else if (act === "append" && isFile) repository.write(path, repository.read(path) + text);
  else if (act === "run" && isFile) chmodSync(repository.path(path), 0o755);
  else if (act === "delete" && isFile) repository.remove(path);
  else if (act === "folder" && isFile) {
    repository.remove(path);
    repository.write(`${path}/inside`, text);
  } else if (act === "stage") tolerate(() => repository.git("add", "-A", "--", `./${path}`));
  else if (act === "unstage") tolerate(() => repository.git("reset", "-q", "--", `./${path}`));
}

/** Edits that do not apply at this moment are no edits. */
function tolerate(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!String(error).includes("did not match")) expect(String(error)).toMatch(/ignored|unknown/);
  }
}

function canHold(repository: TestRepository, path: string): boolean {
  const parts = path.split("/");
  const files = repository.files();
  const isBlocked = parts.some((_, at) => at > 0 && parts.slice(0, at).join("/") in files);
  return !isBlocked && (!repository.exists(path) || path in files);
}

function begin(before: readonly Edit[]): TestRepository {
  const repository = repositories.make();
  repository.write(".gitignore", "x.log\n");
  for (const path of ["a", "b", "dir/c"]) repository.write(path, "base\n");
  repository.commitAll();
  for (const one of before) apply(repository, one);
  return repository;
}

function entries(repository: TestRepository): Map<string, string> {
  return new Map(
    repository.staged().map((line) => [line.split("\t").slice(1).join("\t"), line] as const),
  );
}

it("parking gives back exactly the files and the index of the start", async () => {
  await assert(
    asyncProperty(edits, edits, async (before, during) => {
      const repository = begin(before);
      const files = repository.files();
      const staged = repository.staged();
      const from = await repository.snapshot();
      const ignored = Object.keys(files).filter((path) => path.endsWith("x.log"));
      for (const one of during) if (!one.path.endsWith(".log")) apply(repository, one);
      const session = repository.files();
      const end = await repository.snapshot();
      const ref = parkRef("p-1", "t1", 1);
      const result = await parkLeftovers(repository.root, { ref, from, exclude: [] });
      expect(repository.files()).toEqual(files);
      expect(repository.staged()).toEqual(staged);
      for (const path of ignored) expect(session[path]).toBe(files[path]);
      expect((await repository.snapshot()).tree).toBe(from.tree);
      const isParked = result.kind === "parked";
      const parked = isParked ? repository.git("rev-parse", `${ref}^{tree}`).trim() : from.tree;
      expect(parked).toBe(end.tree);
    }),
    runs,
  );
});

it("a commit holds the session's paths and leaves the person's files and index", async () => {
  await assert(
    asyncProperty(edits, edits, async (before, during) => {
      const repository = begin(before);
      const changes = during.filter(({ act }) => act !== "stage" && act !== "unstage");
      const session = await repository.session(() => {
        for (const one of changes) apply(repository, one);
      });
      const files = repository.files();
      const index = entries(repository);
      const old = repository.head();
      const result = await session.commit();
      expect(repository.files()).toEqual(files);
      const touched = new Set(touchedPaths(session.changes));
      const committed = repository
        .git("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, "HEAD")
        .split("\0")
        .filter((path) => path !== "");
      expect(committed.filter((path) => !touched.has(path))).toEqual([]);
      for (const path of touched) {
        expect(lsTree(repository, "HEAD", path)).toBe(lsTree(repository, session.end.tree, path));
      }
      const after = entries(repository);
      const others = [...index].filter(([path]) => !committed.includes(path));
      expect(others.map(([path]) => [path, after.get(path)])).toEqual(others);
      // Again: nothing more happens.
      const head = repository.head();
      expect((await session.commit()).kind).toBe(result.kind);
      expect([repository.head(), entries(repository)]).toEqual([head, after]);
    }),
    runs,
  );
});

function lsTree(repository: TestRepository, tree: string, path: string): string {
  return repository.git("--literal-pathspecs", "ls-tree", "-z", tree, "--", path);
}
