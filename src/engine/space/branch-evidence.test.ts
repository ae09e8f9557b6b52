// What a clone has of a branch: the history as it was committed, and where a clone ends before its beginning.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../../test/support/git-repository.ts";
import { readBranchEvidence } from "./branch-evidence.ts";

const UNSHALLOW = "git fetch --unshallow origin";
const NOTES = "git fetch origin refs/notes/stint:refs/notes/stint";

const ROWS: readonly [
  what: string,
  words: readonly string[],
  change: (clone: TestRepository) => void,
  tasks: readonly string[],
  isCut: boolean,
][] = [
  ["whole", [], () => {}, ["t1", "t2"], false],
  ["the last commit alone", ["--depth", "1"], () => {}, ["t2"], true],
  ["all tasks, and not what was before them", ["--depth", "2"], () => {}, ["t1", "t2"], true],
  ["as many commits as there are", ["--depth", "3"], () => {}, ["t1", "t2"], false],
  ["without the content of files", ["--filter=blob:none"], () => {}, ["t1", "t2"], false],
  [
    "whole, with a commit that was grafted to be the first",
    [],
    (clone) => void clone.git("replace", "--graft", "main"),
    ["t1", "t2"],
    false,
  ],
  [
    "whole, with an old file of grafts",
    [],
    (clone) => writeFileSync(clone.path(".git/info/grafts"), `${clone.head()}\n`),
    ["t1", "t2"],
    false,
  ],
  [
    "whole again",
    ["--depth", "1"],
    (clone) => void clone.git("fetch", "-q", "--unshallow"),
    ["t1", "t2"],
    false,
  ],
];

describe("the history of a branch in a clone", () => {
  let repositories: TestRepositories;
  let origin: TestRepository;
  let clones = 0;

  beforeAll(() => {
    repositories = testRepositories();
    origin = repositories.make();
    origin.git("checkout", "-q", "-B", "main");
    origin.git("config", "uploadpack.allowFilter", "true");
    for (const task of ["", "t1", "t2"]) {
      origin.write("file", `${task}\n`);
      const trailers = `\n\nStint-Project: p-1\nStint-Task: ${task}\nStint-Attempt: 1`;
      origin.commitAll(`work${task === "" ? "" : trailers}`);
    }
  });
  afterAll(() => repositories.remove());

  it.each(ROWS)("%s", async (_, words, change, tasks, isCut) => {
    const root = repositories.folder(`clone-${++clones}`);
    origin.git("clone", "-q", "-b", "main", ...words, `file://${origin.root}`, root);
    const clone = repositories.at(root);
    const first = clone.git("rev-list", "main").trim().split("\n").at(-1);
    change(clone);
    const { commits, cut, fetch } = await readBranchEvidence(root, "main", null);
    expect(commits.flatMap(({ claims }) => claims.map(({ task }) => task))).toEqual(tasks);
    expect(cut).toEqual(isCut ? [first] : []);
    expect(fetch).toEqual({ history: isCut ? UNSHALLOW : null, notes: NOTES });
  });
});
