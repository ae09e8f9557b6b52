// "Proper cross-session persistence?" by the built executable: yes for what really happened, no for
// every kind of tampering.
import { decodeRevision, encodeRevision } from "../../src/store/revision-codec.ts";
import { cpSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProjectState } from "../../src/core/schema/project.ts";
import type { VerifyView } from "../../src/core/schema/views.ts";
import { StateEncoder } from "../../src/store/state-codec.ts";
import { git } from "../support/git.ts";
import { Migration } from "../support/migration.ts";

let migration: Migration;
let kept: string;

beforeAll(() => {
  migration = new Migration();
  migration.first();
  migration.resume();
  kept = join(migration.path, "kept");
  for (const name of ["repo", "state"]) {
    cpSync(join(migration.path, name), join(kept, name), { recursive: true });
  }
});
afterAll(() => migration.close());

/** The files as they were after the second session. */
function restore(): void {
  for (const name of ["repo", "state"]) {
    rmSync(join(migration.path, name), { recursive: true });
    cpSync(join(kept, name), join(migration.path, name), { recursive: true });
  }
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`nothing was changed in ${path}`);
  writeFileSync(path, after);
}

function folderFile(name: string): string {
  return join(migration.folder, name);
}

function topState(shadow: string): string {
  const names = readdirSync(join(shadow, "state")).toSorted();
  return join(shadow, "state", names.at(-1) ?? "");
}

/** A forger who knows how the state proves itself. */
function forge(change: (state: ProjectState) => ProjectState): void {
  const path = topState(migration.shadow);
  const decoded = decodeRevision(readFileSync(path));
  if (!decoded.ok) throw new Error("the state cannot be read");
  const bytes = new StateEncoder().encode(change(decoded.state));
  writeFileSync(path, encodeRevision(bytes, decoded.carried));
  writeFileSync(folderFile("state.json"), bytes);
}

function withTask(state: ProjectState, id: string, change: object): ProjectState {
  const tasks = state.tasks.map((task) => (task.id === id ? { ...task, ...change } : task));
  return { ...state, tasks };
}

function verify(id: string): { code: number | null; view: VerifyView } {
  const { code, out } = migration.stint("verify", id, "--json");
  return { code, view: JSON.parse(out) as VerifyView };
}

describe("stint verify", () => {
  it("S1-19 S1-20 says yes with what it found, criterion by criterion", () => {
    restore();
    const { code, out } = migration.stint("verify", "migration.md", "--sessions");
    const id = migration.id;
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toEqual([
      `Proper cross-session persistence? ${id} at revision ${migration.state().revision}`,
      `pass  TaskList ID continuity: registry, state, shadow and journal say ${id}; 3 task ids kept over 3 sessions of 2 runs`,
      "pass  Status preservation: 3 of 3 tasks done, each with its evidence, box and commit",
      `pass  Seamless continuation: ${migration.state().revision} revisions and 3 sessions of 2 runs without a gap, nothing executed twice`,
      "Yes: all three criteria hold.",
    ]);
  });

  it("says in plain words that it is intact, what is proven, and by which evidence", () => {
    restore();
    const { code, out } = migration.stint("verify", "migration.md");
    const { revision, proof } = migration.state();
    const commit = proof?.commit ?? "";
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n").slice(0, 3)).toEqual([
      `${migration.id} at revision ${revision}`,
      "Intact: the evidence, boxes and commits of what was done are still there",
      `  Proof: Proven in a fresh clone at ${commit.slice(0, 10)}: 3 checks passed (artifacts/proof/${commit}.json)`,
    ]);
  });

  it("S1-20 says yes while work remains, and no before it is true of anything", () => {
    const other = new Migration();
    other.first();
    expect(other.stint("verify").code).toBe(0);
    expect(other.stint("verify", "nothing").code).toBe(2);
    other.close();
  });

  const MORE = "- [ ] more - Buy a whole new database machine\n";
  it.each<[string, string, string, VerifyView["edit"]]>([
    [
      "a new task",
      "## References",
      `${MORE}\n## References`,
      { kind: "adopted", changes: ["t4 added: Buy a whole new database machine"] },
    ],
    [
      "an edit with errors",
      "## References",
      `${MORE}  - check: file\n\n## References`,
      { kind: "refused", errors: [expect.stringContaining("migration.md:") as string] },
    ],
  ])("takes a person's edit for what it is, not for damage: %s", (_, what, by, expected) => {
    restore();
    edit(join(migration.root, "migration.md"), (text) => text.replace(what, by));
    const { code, view } = verify(migration.id);
    expect([code, view.passed, view.edit]).toEqual([0, true, expected]);
  });

  it("of a project with work removed by a later commit names the commit, the tasks and the files", () => {
    restore();
    git(migration.root, "rm", "-q", "validated.json");
    git(migration.root, "commit", "-q", "-m", "Remove it");
    const tip = git(migration.root, "rev-parse", "HEAD").trim();
    const { code, view } = verify(migration.id);
    expect([code, view.later]).toEqual([
      0,
      {
        tip,
        commits: [{ commit: tip, subject: "Remove it" }],
        tasks: ["t3"],
        paths: ["validated.json"],
      },
    ]);
  });

  const ID = "id-continuity";
  const STATUS = "status-preservation";
  const SEAMLESS = "seamless-continuation";

  it.each<[string, string, RegExp, () => void]>([
    [
      "the status of a task in the folder's state.json",
      STATUS,
      /its state\.json is foreign/,
      () =>
        edit(folderFile("state.json"), (text) =>
          text
            .replace('"status":"done"', '"status":"pending"')
            .replace('"status": "done"', '"status": "pending"'),
        ),
    ],
    [
      "the id in the folder's state.json",
      ID,
      /state\.json says p-aaaaaaaaaa/,
      () => edit(folderFile("state.json"), (text) => text.replaceAll(migration.id, "p-aaaaaaaaaa")),
    ],
    [
      "the id that the project folder is marked with",
      ID,
      /manifest\.md does not name p-/,
      () =>
        edit(folderFile("manifest.md"), (text) => text.replace(/p-[0-9a-z]{10}/, "p-aaaaaaaaaa")),
    ],
    [
      "the id of the manifest in the registry",
      ID,
      /does not give migration\.md to p-/,
      () => {
        const folder = join(migration.registry, "manifests");
        const [name = ""] = readdirSync(folder);
        edit(join(folder, name), (text) => text.replace(/p-[0-9a-z]{10}/, "p-aaaaaaaaaa"));
      },
    ],
    [
      "the shadow's state, carelessly",
      STATUS,
      /cannot be trusted/,
      () =>
        edit(topState(migration.shadow), (text) =>
          text.replace("Migrate database", "Migrate Database"),
        ),
    ],
    [
      "the status of a done task, with every checksum right",
      STATUS,
      /t1 was done at revision \d+, but is pending/,
      () => forge((state) => withTask(state, "t1", { status: "pending" })),
    ],
    [
      "the task list, with every checksum right",
      ID,
      /the journal names task t2, which the state does not have/,
      () => forge((state) => ({ ...state, tasks: state.tasks.filter(({ id }) => id !== "t2") })),
    ],
    [
      "the count of sessions, with every checksum right",
      SEAMLESS,
      /the state counts 2 sessions, the journal 3/,
      () => forge((state) => ({ ...state, counters: { ...state.counters, sessions: 2 } })),
    ],
    [
      "the task list in the manifest",
      STATUS,
      /t2 "Migrate application code" is not in migration\.md/,
      () =>
        edit(join(migration.root, "migration.md"), (text) =>
          text.replace(/- \[x\] application-migration[^\n]*\n[^\n]*\n/, ""),
        ),
    ],
    [
      "a box",
      STATUS,
      /t2 is done, but its box is not checked/,
      () =>
        edit(join(migration.root, "migration.md"), (text) =>
          text.replace("- [x] application", "- [ ] application"),
        ),
    ],
    [
      "a record of evidence in the work tree",
      STATUS,
      /t1: the copy of artifacts\/evidence\/t1\S+ in the work tree is changed\. To fix it: cp /,
      () =>
        edit(migration.evidence("t1").copy, (text) =>
          text.replace('"exit_code": 0', '"exit_code": 1').concat(" "),
        ),
    ],
    [
      "a record of evidence in the work tree, by deleting it",
      STATUS,
      /t3: the copy of artifacts\/evidence\/t3\S+ in the work tree is missing/,
      () => rmSync(migration.evidence("t3").copy),
    ],
    [
      "a record of evidence in the shadow",
      STATUS,
      /t2: its record artifacts\/evidence\/t2\S+ is changed/,
      () => edit(migration.evidence("t2").kept, (text) => `${text} `),
    ],
    [
      "a word of the journal",
      SEAMLESS,
      /journal\.jsonl/,
      () =>
        edit(join(migration.shadow, "journal.jsonl"), (text) =>
          text.replace("work started", "work stopped"),
        ),
    ],
    [
      "the last line of the journal",
      SEAMLESS,
      /its last line is missing or cut/,
      () => edit(join(migration.shadow, "journal.jsonl"), (text) => text.replace(/[^\n]*\n$/, "")),
    ],
    [
      "the journal in the work tree",
      SEAMLESS,
      /logs\/journal\.jsonl is not what Stint wrote\. To fix it: stint doctor p-\w+ --repair/,
      () =>
        edit(folderFile("logs/journal.jsonl"), (text) =>
          text.replace("work started", "work stopped"),
        ),
    ],
    [
      "the history of git",
      STATUS,
      /t3: its commit [0-9a-f]{40} is not in the repository/,
      () => {
        git(migration.root, "update-ref", "refs/heads/main", "HEAD~1");
        const own = ["refs/stint", "refs/heads/stint"];
        const refs = git(migration.root, "for-each-ref", "--format=%(refname)", ...own);
        for (const ref of refs.trim().split("\n")) git(migration.root, "update-ref", "-d", ref);
        git(migration.root, "reflog", "expire", "--expire=now", "--all");
        git(migration.root, "gc", "--quiet", "--prune=now");
      },
    ],
    [
      "the record of the proof",
      STATUS,
      /the proof: the copy of artifacts\/proof\/[0-9a-f]+\.json in the work tree is changed/,
      () => {
        const { proof } = migration.state();
        const path = proof === undefined || proof.kind === "not-proven" ? "" : proof.path;
        edit(folderFile(path), (text) => text.replace("passed", "Passed"));
      },
    ],
  ])("S1-20 says no after tampering with %s", (_, criterion, why, tamper) => {
    restore();
    const { id } = migration;
    tamper();
    const { code, view } = verify(id);
    expect(code).toBe(5);
    expect(view.passed).toBe(false);
    const failed = view.criteria.find((each) => each.id === criterion);
    expect(failed?.passed).toBe(false);
    expect(failed?.problems.join("\n")).toMatch(why);
    const { out } = migration.stint("verify", id, "--sessions");
    expect(out).toContain(`FAIL  ${failed?.name}`);
    expect(out).toContain("criteria do not hold. See also: stint doctor");
    expect(migration.stint("verify", id).out).toMatch(
      /^Not intact: \d+ problems?\. See also: stint doctor/m,
    );
  });

  it("S1-16 says no when the id of the registration is another one", () => {
    restore();
    const { id } = migration;
    const path = join(migration.registry, "projects", `${id}.json`);
    edit(path, (text) => text.replace(id, "p-aaaaaaaaaa"));
    expect(verify(id)).toMatchObject({ code: 5, view: { passed: false, revision: null } });
  });

  it("says no, and no more, when the whole shadow is gone", () => {
    restore();
    const { id, shadow } = migration;
    renameSync(shadow, `${shadow}.gone`);
    const { code, view } = verify(id);
    expect(code).toBe(5);
    expect(view.criteria.map(({ passed }) => passed)).toEqual([false, false, false]);
  });

  it("mends a copy of evidence by the command it tells", () => {
    restore();
    const { copy } = migration.evidence("t1");
    rmSync(copy);
    const problem = verify(migration.id).view.criteria[1]?.problems[0] ?? "";
    const [, from = "", to = ""] = /cp (\S+) (\S+)$/.exec(problem) ?? [];
    cpSync(from, to);
    expect(verify(migration.id).code).toBe(0);
  });
});
