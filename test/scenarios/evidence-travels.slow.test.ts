// Evidence that travels: a run signs and pushes what its commits were verified by, and a colleague's clone, which
// has no state folder, tells by the notes alone what holds, what was changed and whose word it is.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BranchVerifyView } from "../../src/core/schema/views.ts";
import { git } from "../support/git.ts";
import { english, german, Scenario, type Script } from "../support/scenario.ts";
import { withRemote } from "../support/shared-remote.ts";

const MANIFEST = `## Goal

Say hello in two languages.

## Steps

- [x] plan - Decide which
- [ ] english - Write hello.txt
  - check: file hello.txt exists
- [ ] german - Write hallo.txt
  - check: file hallo.txt exists
`;
const SCRIPT: Script = { english: [english], german: [german] };
const FETCH = ["fetch", "-q", "origin", "refs/notes/stint:refs/notes/stint"];

const hasKeys = spawnSync("ssh-keygen", ["-?"]).error === undefined;

function makeKey(s: Scenario, name: string): string {
  const key = join(s.path, name);
  spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]);
  return key;
}

function allow(s: Scenario, key: string): string {
  const file = `${key}-allowed`;
  writeFileSync(file, `ada@example.com ${readFileSync(`${key}.pub`, "utf8")}`);
  return file;
}

describe.skipIf(!hasKeys)("a colleague's clone", () => {
  let s: Scenario;
  let signers: string;
  let clones = 0;

  beforeAll(async () => {
    s = new Scenario({ manifest: MANIFEST });
    const key = makeKey(s, "key");
    signers = allow(s, key);
    s.git("config", "gpg.format", "ssh");
    s.git("config", "user.signingkey", key);
    withRemote(s, "work");
    const { code, out } = await s.play(SCRIPT);
    if (code !== 0 || !out.includes("pushed")) throw new Error(out);
    rmSync(join(s.path, "state"), { recursive: true });
  });
  afterAll(() => s.close());

  function cloned({ withNotes = true } = {}): string {
    const clone = join(s.path, `clone-${++clones}`);
    git(s.path, "clone", "-q", "-b", "work", join(s.path, "remote.git"), clone);
    git(clone, "config", "user.name", "Grace");
    git(clone, "config", "user.email", "grace@example.com");
    if (withNotes) git(clone, ...FETCH);
    return clone;
  }

  const elsewhere = () => ({ XDG_STATE_HOME: join(s.path, "nothing"), HOME: join(s.path, "other") });

  async function verify(clone: string, ...words: string[]) {
    const args = ["verify", "--branch", "work", "--json", ...words];
    const { code, out } = await s.sayIn({ cwd: clone, env: elsewhere() }, ...args);
    const view = JSON.parse(out) as BranchVerifyView;
    const tasks = view.tasks.map(({ task, status, signature }) => [task, status, signature.kind]);
    return { code, tasks, view };
  }

  it("tells what is verified, by which checks and whose signature, and what is a person's word", async () => {
    const clone = cloned();
    const { code, tasks, view } = await verify(clone, "--signers", signers);
    expect(tasks).toEqual([
      ["t1", "marked", "good"],
      ["t2", "verified", "good"],
      ["t3", "verified", "good"],
    ]);
    // A mark is nobody's verification.
    expect([code, view.passed]).toEqual([1, false]);
    expect(view.tasks.map(({ why }) => why)).toEqual([
      "marked by a person, not verified by Stint",
      "file hello.txt exists",
      "file hallo.txt exists",
    ]);
    const said = await s.sayIn({ cwd: clone, env: elsewhere() }, "verify", "--branch", "work", "--signers", signers);
    expect(said.out).toContain("signed by ada@example.com");
    expect(said.out).toContain("No: of 3 tasks, 2 verified, 1 marked by a person.");
    expect(said.out).not.toContain(s.path);
  });

  it("says what brings the notes where it has none", async () => {
    const { code, tasks, view } = await verify(cloned({ withNotes: false }));
    expect(tasks).toEqual([
      ["t2", "none", "none"],
      ["t3", "none", "none"],
    ]);
    expect([code, view.next]).toEqual([1, ["git fetch origin refs/notes/stint:refs/notes/stint"]]);
  });

  it("never says yes of a history that is cut, whatever is in the part that is there", async () => {
    const clone = join(s.path, `clone-${++clones}`);
    git(s.path, "clone", "-q", "-b", "work", "--depth", "1", `file://${join(s.path, "remote.git")}`, clone);
    git(clone, ...FETCH);
    const { code, tasks, view } = await verify(clone, "--signers", signers);
    expect(tasks).toEqual([["t3", "verified", "good"]]);
    expect([code, view.passed, view.cut, view.next]).toEqual([
      1,
      false,
      [view.commit],
      ["git fetch --unshallow origin"],
    ]);
    git(clone, "fetch", "-q", "--unshallow", "origin");
    expect((await verify(clone)).tasks).toHaveLength(3);
  });

  it("has no path of the other machine in messages and notes", () => {
    const clone = cloned();
    const told = git(clone, "log", "--notes=stint", "--format=%B%N");
    const payloads = [...told.matchAll(/"payload":"([^"]+)"/g)].map(([, text = ""]) =>
      Buffer.from(text, "base64").toString("utf8"),
    );
    // One of each task, and the proof of the whole.
    expect(payloads.length).toBe(3);
    for (const text of [told, ...payloads]) {
      expect(text).not.toMatch(/artifacts\/|agents\/stint|state\/stint/);
      expect(text).not.toContain(s.path);
    }
    expect(git(clone, "log", "-1", "--format=%b")).toContain(
      "Verified by Stint: file hallo.txt exists\nEvidence: refs/notes/stint\n",
    );
  });

  it("tells a changed note, a moved one, a squash and a foreign key apart", async () => {
    const note = (clone: string, commit: string): string =>
      git(clone, "notes", "--ref=stint", "show", commit);
    const put = (clone: string, commit: string, text: string): void => {
      git(clone, "notes", "--ref=stint", "add", "-f", "-m", text, commit);
    };
    const statuses = async (clone: string, file = signers) =>
      (await verify(clone, "--signers", file)).view.tasks
        .filter(({ task }) => task !== "t1")
        .map(({ task, status, why }) => [task, status, why]);

    const changed = cloned();
    const [own = "", ...others] = note(changed, "work").split("\n");
    const envelope = JSON.parse(own) as { payload: string };
    const better = Buffer.from(envelope.payload, "base64").toString().replace("hallo.txt exists", "hallo.txt changed");
    const line = JSON.stringify({ ...envelope, payload: Buffer.from(better).toString("base64") });
    put(changed, "work", [line, ...others].join("\n"));
    expect(await statuses(changed)).toContainEqual([
      "t3",
      "changed",
      "its note was changed: it does not match the text that it signs",
    ]);

    const moved = cloned();
    put(moved, "work~1", note(moved, "work"));
    git(moved, "notes", "--ref=stint", "remove", "work");
    const [one, two] = ["work~1", "work"].map((name) => git(moved, "rev-parse", name).slice(0, 10));
    expect(await statuses(moved)).toEqual([
      ["t2", "none", "there is no note about it"],
      ["t3", "changed", `its note is on ${one} instead`],
    ]);

    const squashed = cloned();
    git(squashed, "reset", "-q", "--soft", "work~2");
    writeFileSync(join(squashed, "hello.txt"), "Something else\n");
    git(squashed, "add", "-A");
    git(squashed, "commit", "-q", "-m", git(squashed, "log", "--format=%B", "ORIG_HEAD~2..ORIG_HEAD"));
    expect((await statuses(squashed)).toReversed()).toEqual([
      ["t2", "changed", `it was verified as ${one}, which has other files`],
      ["t3", "changed", `it was verified as ${two}, which has other files`],
    ]);

    const reworded = cloned();
    git(reworded, "commit", "-q", "--amend", "-m", `Reworded\n\n${git(reworded, "log", "-1", "--format=%B")}`);
    expect(await statuses(reworded)).toContainEqual([
      "t3",
      "verified",
      `file hallo.txt exists; verified as ${two}, with the same files`,
    ]);

    const other = allow(s, makeKey(s, "other"));
    expect((await statuses(cloned(), other)).map(([task, status]) => [task, status])).toEqual([
      ["t2", "untrusted"],
      ["t3", "untrusted"],
    ]);
    const free = await verify(cloned());
    expect(free.tasks).toEqual([
      ["t1", "marked", "unknown-key"],
      ["t2", "verified", "unknown-key"],
      ["t3", "verified", "unknown-key"],
    ]);
  });

  it("is told plainly where there is nothing to judge, or nothing to judge by", async () => {
    const clone = cloned();
    const ask = async (...words: string[]) =>
      await s.sayIn({ cwd: clone, env: elsewhere() }, "verify", ...words);
    const nothing = await ask("--branch", "main");
    expect([nothing.code, nothing.out]).toEqual([
      1,
      expect.stringContaining("No: the branch has no task of Stint."),
    ]);
    const gone = await ask("--branch", "gone");
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining("there is no branch gone")]);
    const nobody = await ask("--branch", "work", "--signers", "nobody");
    expect(nobody.err).toContain("the file of allowed signers does not exist:");
    expect(nobody.code).toBe(2);
  });
});

describe("evidence", () => {
  it("follows work that is replayed on a branch that moved", async () => {
    const s = new Scenario({ manifest: MANIFEST });
    try {
      s.write("hello.txt", "in the way\n");
      expect((await s.play(SCRIPT, "--sessions", "1")).out).toContain("the work waits");
      const first = s.git("rev-parse", "stint/prompt").trim();
      rmSync(join(s.root, "hello.txt"));
      s.write("one.txt", "another one\n");
      s.git("commit", "-q", "-m", "mine", "--", "one.txt");
      const { code, out } = await s.play(SCRIPT);
      expect([code, out]).toEqual([0, expect.stringContaining("replayed on")]);
      const again = s.git("rev-parse", "main~1").trim();
      const note = JSON.parse(s.git("notes", "--ref=stint", "show", again)) as { payload: string };
      const said = JSON.parse(Buffer.from(note.payload, "base64").toString()) as {
        subject: object[];
        predicate: { stint: object };
      };
      expect(said.subject[0]).toEqual({ name: "commit", digest: { gitCommit: again } });
      expect(said.predicate.stint).toMatchObject({ replayed: { from: first } });
      const told = await s.say("verify", "--branch", "main", "--json");
      const { tasks } = JSON.parse(told.out) as BranchVerifyView;
      expect(tasks.map(({ task, status }) => [task, status])).toEqual([
        ["t1", "marked"],
        ["t2", "verified"],
        ["t3", "verified"],
      ]);
    } finally {
      s.close();
    }
  });
});
