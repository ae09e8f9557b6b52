// Evidence as notes, by the engine: what is said once is not said again, and nothing stands still for it.
import { describe, expect, it } from "vitest";
import { noteLine, readNote, withLine } from "../../core/evidence/note-lines.ts";
import { evidenceEnvelope, evidenceStatement } from "../../core/schema/evidence-note.ts";
import { StintError } from "../../core/stint-error.ts";
import type { DoneTask } from "../../core/project-state.ts";
import type { RunContext } from "../base/run-context.ts";
import type { EvidenceLine } from "../../workspace/workspace.ts";
import { evidenceFor, noteCommit, noteProof, noteReplayed, verifiedBy } from "./note-evidence.ts";

const SHA = "0".repeat(64);
const AT = "2026-01-01T00:00:00.000Z";

function done(id: string, more: object = {}): DoneTask {
  const path = `artifacts/evidence/${id}/1/1-command.json`;
  const evidence = [{ kind: "check", path, sha256: SHA }];
  const known = { id, name: id, title: `Do ${id}`, attempts: 1, done_at: AT, evidence, ...more };
  return { status: "done", ...known } as unknown as DoneTask;
}

/** Notes in memory; a record of the check of every task. */
function world(state: object = {}, isBroken = false) {
  const notes = new Map<string, string>();
  const told: string[] = [];
  const record = {
    result: "passed",
    check: { kind: "command", command: "curl https://ada:hunter2@example.com/ SECRET" },
  };
  const context = {
    holder: {
      state: { project_id: "p-0000000001", tasks: [], ...state },
      entry: { manifest: "../plans/prompt.md" },
    },
    store: { kept: () => Buffer.from(JSON.stringify(record)) },
    checks: { redact: (text: string) => text.replace("SECRET", "<hidden>") },
    tell: (news: { text: string }) => told.push(news.text),
    space: {
      notes: async () => notes,
      treesOf: async (commits: string[]) => new Map(commits.map((id) => [id, `tree of ${id}`])),
      note: async (lines: EvidenceLine[]) => {
        if (isBroken) throw new StintError("git-failed", "refs/notes/stint is locked", "wait");
        for (const { commit, payload } of lines) {
          notes.set(commit, withLine(notes.get(commit) ?? "", noteLine(payload, null)));
        }
        return [];
      },
    },
  } as unknown as RunContext;
  const said = (commit: string) =>
    readNote(notes.get(commit) ?? "", {
      envelope: evidenceEnvelope,
      statement: evidenceStatement,
    }).said.map(({ statement }) => statement);
  return { context, told, said };
}

describe("the note of a commit", () => {
  it("tells of each task once, however often it is asked for, and of one that stands on it too", async () => {
    const { context, said } = world();
    await noteCommit(context, [done("t1")], "c1");
    await noteCommit(context, [done("t1")], "c1");
    await noteCommit(context, [done("t1"), done("t2")], "c1");
    const tasks = said("c1").map(({ predicate }) => predicate.stint.tasks.map(({ id }) => id));
    expect(tasks).toEqual([["t1"], ["t2"]]);
    expect(said("c1")[0]?.subject[1]).toEqual({ name: "tree", digest: { gitTree: "tree of c1" } });
  });

  it("has no secret, no password and no path of the machine", () => {
    const { context } = world();
    const payload = evidenceFor(context, [done("t1")])({ commit: "c1", tree: "t" });
    expect(payload).toContain("`curl https://");
    expect(payload).toContain("<hidden>");
    expect(payload).not.toMatch(/hunter2|SECRET|artifacts|plans/);
    const labelled = done("t1", { labels: ["own-tests"] });
    expect(verifiedBy(context, labelled)).toMatch(/^`curl https:.* <hidden>` \(own-tests\)$/);
  });

  it("that cannot be written is said, and stops nothing", async () => {
    const { context, told } = world({}, true);
    await noteCommit(context, [done("t1")], "c1");
    expect(told).toEqual(["the evidence could not be noted: refs/notes/stint is locked"]);
  });

  it("goes with a commit that was made anew, and says from which; a person's marks go along", async () => {
    const marked = done("t0", { evidence: [{ kind: "person", who: "ada" }] });
    const { context, said } = world({ tasks: [marked] });
    await noteCommit(context, [done("t1")], "c1");
    await noteReplayed(context, new Map([["c2", { old: "c1", tasks: [done("t1")] }]]), "c3");
    expect(said("c2").map(({ predicate }) => predicate.stint)).toMatchObject([
      { replayed: { from: "c1", checked_at: "c3" }, marked: [{ id: "t0", by: "ada" }] },
    ]);
  });
});

describe("a proof", () => {
  const proven = { kind: "proven", commit: "c9", at: AT, checks: 4, path: "p", sha256: SHA };

  it("is a line of its own on the commit that was proven, once", async () => {
    const superseded = [{ task_id: "t1", check: "SECRET", by: null }];
    const { context, said } = world({ proof: { ...proven, superseded, elsewhere: [] } });
    await noteProof(context);
    await noteProof(context);
    expect(said("c9").map(({ predicate }) => predicate)).toMatchObject([
      {
        result: "PASSED",
        passedTests: ["4 checks in a fresh clone"],
        stint: {
          tasks: [],
          proof: { at: AT, checks: 4, superseded: [{ task_id: "t1", check: "<hidden>" }] },
        },
      },
    ]);
  });

  it("that is none is not noted", async () => {
    const failed = { ...proven, kind: "failed" };
    const unknown = { kind: "not-proven", commit: "c9", at: AT, why: "no setup", hint: "say it" };
    const worlds = [{}, { proof: failed }, { proof: unknown }].map((state) => world(state));
    await Promise.all(worlds.map(async ({ context }) => await noteProof(context)));
    expect(worlds.map(({ said }) => said("c9"))).toEqual([[], [], []]);
  });
});
