// Every way in which a note and a commit may fit or not, told apart.
import { describe, expect, it } from "vitest";
import type { Instant } from "../instant.ts";
import type { ProjectId, TaskId } from "../ids.ts";
import type { Sha256 } from "../schema/scalar.ts";
import type { NotedTask } from "../schema/evidence-note.ts";
import { evidenceStatement, type StatementFacts } from "./evidence-statement.ts";
import {
  type BranchCommit,
  claimsIn,
  judgeBranch,
  type SaidOn,
  type SignatureFound,
} from "./judge-branch.ts";

const PROJECT = "p-0000000001" as ProjectId;
const AT = "2026-01-01T00:00:00.000Z" as Instant;

const task = (id: string, more: Partial<NotedTask> = {}): NotedTask => ({
  id: id as TaskId,
  name: id,
  title: `Do ${id}`,
  attempt: 1,
  done_at: AT,
  labels: [],
  checks: [
    {
      text: "`npm test`",
      kind: "command",
      result: "passed",
      evidence_sha256: "0".repeat(64) as Sha256,
    },
  ],
  ...more,
});

const commit = (id: string, tree: string, ...tasks: string[]): BranchCommit => ({
  id,
  tree,
  claims: tasks.map((each) => ({ project: PROJECT, task: each, attempt: 1 })),
  isUnreadable: false,
});

const GOOD: SignatureFound = { kind: "good", by: "ada@example.com", key: "SHA256:a" };

function said(
  on: string,
  about: { commit: string; tree: string },
  facts: Partial<StatementFacts> = {},
  signature: SignatureFound = { kind: "none" },
): SaidOn {
  const whole = { project: PROJECT, manifest: "prompt.md", tasks: [task("t1")], ...facts };
  return { on, statement: evidenceStatement(about, whole), signature };
}

const HERE = { commit: "c1", tree: "one" };

const ROWS: readonly [
  what: string,
  commit: BranchCommit,
  notes: readonly SaidOn[],
  status: string,
  why: string,
][] = [
  ["its note is about it", commit("c1", "one", "t1"), [said("c1", HERE)], "verified", "`npm test`"],
  [
    "its commit was made anew on a branch that had moved",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { replayed: { from: "c0", checked_at: "c1" } })],
    "verified",
    "`npm test`; replayed from c0",
  ],
  ["no note", commit("c1", "one", "t1"), [], "none", "there is no note about it"],
  [
    "a note that nobody can read",
    { ...commit("c1", "one", "t1"), isUnreadable: true },
    [],
    "none",
    "the note on it cannot be read",
  ],
  [
    "a note of another task",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { tasks: [task("t9")] })],
    "none",
    "there is no note about it",
  ],
  [
    "a note of another attempt",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { tasks: [task("t1", { attempt: 2 })] })],
    "none",
    "there is no note about it",
  ],
  [
    "a note of another project",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { project: "p-0000000002" as ProjectId })],
    "none",
    "there is no note about it",
  ],
  [
    "the note of another commit on it",
    commit("c1", "one", "t1"),
    [said("c1", { commit: "c2", tree: "two" })],
    "changed",
    "the note on it is about c2, which has other files",
  ],
  [
    "its note on another commit",
    commit("c1", "one", "t1"),
    [said("c2", HERE)],
    "changed",
    "its note is on c2 instead",
  ],
  [
    "amended or squashed: other files than those that were verified",
    commit("c7", "seven", "t1"),
    [said("c1", HERE)],
    "changed",
    "it was verified as c1, which has other files",
  ],
  [
    "rebased or reworded: exactly the files that were verified",
    commit("c7", "one", "t1"),
    [said("c1", HERE)],
    "verified",
    "`npm test`; verified as c1, with the same files",
  ],
  [
    "the right commit with a tree that is not its own",
    commit("c1", "one", "t1"),
    [said("c1", { commit: "c1", tree: "two" })],
    "changed",
    "the note on it is about c1, which has other files",
  ],
  [
    "labels",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { tasks: [task("t1", { labels: ["own-tests"] })] })],
    "weakly",
    "`npm test` (own-tests)",
  ],
  [
    "only that something changed",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { tasks: [task("t1", { checks: [], changed_tree: "one" })] })],
    "weakly",
    "files changed",
  ],
  [
    "only a person's word",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { tasks: [task("t1", { checks: [], said_by: ["ada"] })] })],
    "marked",
    "ada said yes",
  ],
  [
    "chunks with evidence of their own",
    commit("c1", "one", "t1"),
    [said("c1", HERE, { tasks: [task("t1", { checks: [], chunks: ["t1-a" as TaskId] })] })],
    "verified",
    "its parts t1-a",
  ],
  [
    "a note that was changed after it was signed",
    commit("c1", "one", "t1"),
    [said("c1", HERE, {}, { kind: "bad", why: "it does not match the text that it signs" })],
    "changed",
    "its note was changed: it does not match the text that it signs",
  ],
  [
    "a line that somebody added beside the signed one",
    commit("c1", "one", "t1"),
    [said("c1", HERE, {}, { kind: "bad", why: "wrong" }), said("c1", HERE, {}, GOOD)],
    "verified",
    "`npm test`",
  ],
];

describe("a task on a branch", () => {
  it.each(ROWS)("%s", (_, on, notes, status, why) => {
    const [first] = judgeBranch([on], notes, { mustBeSigned: false }).tasks;
    expect([first?.task, first?.status, first?.why]).toEqual(["t1", status, why]);
  });

  const SIGNED: readonly [signature: SignatureFound, free: string, strict: string][] = [
    [GOOD, "verified", "verified"],
    [{ kind: "none" }, "verified", "untrusted"],
    [{ kind: "unknown-key", key: "SHA256:b", why: "not allowed" }, "verified", "untrusted"],
    [{ kind: "unchecked", why: "no ssh-keygen" }, "verified", "untrusted"],
    [{ kind: "bad", why: "wrong" }, "changed", "changed"],
  ];

  it.each(SIGNED)("signed %o is %s, and %s where signers are named", (signature, free, strict) => {
    const judged = [false, true].map((mustBeSigned) => {
      const notes = [said("c1", HERE, {}, signature)];
      return judgeBranch([commit("c1", "one", "t1")], notes, { mustBeSigned }).tasks[0]?.status;
    });
    expect(judged).toEqual([free, strict]);
  });

  it("of which a squash tells is verified only where its files are the last ones", () => {
    const notes = [
      said("c1", HERE),
      said("c2", { commit: "c2", tree: "two" }, { tasks: [task("t2")] }),
    ];
    const { tasks } = judgeBranch([commit("s", "two", "t1", "t2")], notes, { mustBeSigned: false });
    expect(tasks.map((each) => [each.task, each.status])).toEqual([
      ["t1", "changed"],
      ["t2", "verified"],
    ]);
  });

  it("that changed nothing is told of by the note on what it stands on; one that a person marked, once", () => {
    const marked = [{ id: "t0" as TaskId, name: "t0", title: "Zero", by: "ada", at: AT }];
    const notes = [said("c1", HERE, { marked }), said("c1", HERE, { tasks: [task("t2")], marked })];
    const { tasks } = judgeBranch([commit("c1", "one", "t1")], notes.slice(0, 1), {
      mustBeSigned: false,
    });
    expect(tasks.map((each) => [each.task, each.commit, each.status, each.why])).toEqual([
      ["t0", null, "marked", "marked by ada, not verified by Stint"],
      ["t1", "c1", "verified", "`npm test`"],
    ]);
    const more = judgeBranch([commit("c1", "one", "t1")], notes.slice(1), { mustBeSigned: false });
    expect(more.tasks.map((each) => [each.task, each.status])).toEqual([
      ["t0", "marked"],
      ["t1", "none"],
      ["t2", "verified"],
    ]);
  });
});

describe("the proof of a branch", () => {
  it("is that of its youngest proven commit, and of no note that lies elsewhere", () => {
    const proof = { at: AT, checks: 3, evidence_sha256: "0".repeat(64) as Sha256 };
    const notes = [
      said("c1", HERE, { tasks: [], proof }),
      said("c2", { commit: "c2", tree: "two" }, { tasks: [], proof }),
      said("c3", { commit: "c9", tree: "nine" }, { tasks: [], proof }),
    ];
    const commits = [commit("c1", "one"), commit("c2", "two"), commit("c3", "three")];
    const judged = judgeBranch(commits, notes, { mustBeSigned: false });
    expect(judged.proof).toEqual({ ...proof, commit: "c2" });
    expect(judgeBranch(commits.slice(2), notes, { mustBeSigned: false }).proof).toBeNull();
  });
});

describe("the trailers of a commit", () => {
  it("are read as they are, and where a squash or a merge has put them", () => {
    const one = "one: One\n\nStint-Project: p-1\nStint-Task: t1\nStint-Attempt: 2\n";
    expect(claimsIn(one)).toEqual([{ project: "p-1", task: "t1", attempt: 2 }]);
    const squash = `Squashed\n\n    ${one.replaceAll("\n", "\n    ")}\n* two\n\nStint-Project: p-2\nStint-Task: t2\nStint-Task: t3\nStint-Attempt: 1\n`;
    expect(claimsIn(squash)).toEqual([
      { project: "p-1", task: "t1", attempt: 2 },
      { project: "p-2", task: "t2", attempt: null },
      { project: "p-2", task: "t3", attempt: 1 },
    ]);
    expect(claimsIn("Talks of Stint-Task: t1 in a sentence")).toEqual([]);
  });
});
