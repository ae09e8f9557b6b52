import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cutTo, FileBench, flipByte, refusal, sealed } from "../../test/support/file-bench.ts";
import { required } from "../../test/support/project-fixture.ts";
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Finding } from "./doctor.ts";
import { parseLines, readJournal } from "./journal-codec.ts";
import { sha256Of } from "./digest.ts";
import { decodeState } from "./state-codec.ts";
import type { RegistryEntry } from "./store.ts";

let bench: FileBench;
let entry: RegistryEntry;
let id: ProjectId;

beforeEach(() => {
  bench = new FileBench();
  entry = bench.create(4);
  id = entry.project_id;
});
afterEach(() => bench.close());

function findings(severity: Finding["severity"]): Finding[] {
  return bench
    .process()
    .doctor.examine(id)
    .findings.filter((finding) => finding.severity === severity);
}

function repair(rebuild: (entry: RegistryEntry) => ProjectState = bench.refuseRebuild) {
  const { doctor, claim } = bench.process();
  return doctor.repair(id, claim, rebuild);
}

function journal(path = bench.shadow(id).journal): string[] {
  return parseLines(readFileSync(path)).map((line) => line.kind);
}

function copyOfState(): ProjectState {
  const decoded = decodeState(readFileSync(bench.layout(entry).state));
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.state;
}

/** Opens, everything verified, the next commit works, and a second repair changes nothing. */
function expectSound(revision: number): void {
  expect(findings("problem")).toEqual([]);
  const { store } = bench.process();
  expect(store.read(id)).toMatchObject({ state: { revision }, folder: "same" });
  expect(store.journal(id)).toHaveLength(revision);
  const again = repair();
  expect(again).toEqual({ project_id: id, revision, inferred: [] });
  const holder = bench.acquire(id);
  expect(holder.healed).toEqual([]);
  expect(bench.commit(holder, "next").revision).toBe(revision + 1);
  holder.release();
  expect(readJournal(readFileSync(bench.shadow(id).journal))).toMatchObject({ ok: true, torn: 0 });
  expect(readFileSync(bench.layout(entry).journal)).toEqual(readFileSync(bench.shadow(id).journal));
}

describe("a healthy project", () => {
  it("has no findings but fine ones", () => {
    expect(findings("problem")).toEqual([]);
    expect(findings("notice")).toEqual([]);
    expect(findings("fine").map(({ what }) => what)).toEqual([
      "the work tree is there",
      "revision 4 is whole",
      "all lines verified, up to revision 4",
      expect.stringMatching(/^free: r-\w{10} \(pid 100 on here\) released it at 2026-01-01T/),
      "its state.json is the last revision",
    ]);
  });

  it("is left as it is by a repair", () => {
    const before = readFileSync(bench.revisionPath(id, 4));
    expect(repair()).toEqual({ project_id: id, revision: 4, inferred: [] });
    expect(readFileSync(bench.revisionPath(id, 4))).toEqual(before);
    expect(bench.foreign(id)).toEqual([]);
    expectSound(4);
  });

  it("is looked at without a change to any file", () => {
    const before = everyFile(bench.path);
    bench.process().doctor.examine(id);
    bench.process().doctor.adoptables(bench.root, "agents");
    expect(everyFile(bench.path)).toEqual(before);
  });
});

describe("a damaged state", () => {
  const damages: Record<string, (path: string) => void> = {
    "with one flipped bit": (path) => flipByte(path, 40),
    "with a flipped bit in its seal": (path) => flipByte(path, -10),
    "cut in the middle": (path) => cutTo(path, 200),
    "cut by its last byte": (path) => cutTo(path, -1),
    "that is empty": (path) => writeFileSync(path, ""),
  };

  it.each(Object.entries(damages))(
    "S1-18 S3-9 %s is found, and mended from the copy that the journal knows",
    (_, damage) => {
      const path = bench.revisionPath(id, 4);
      damage(path);
      const damaged = readFileSync(path);
      const error = refusal(() => bench.acquire(id));
      expect(error.code).toBe("state-corrupt");
      expect(error.hint).toBe(
        `See what can be saved: stint doctor ${id}; then: stint doctor ${id} --repair`,
      );
      expect(findings("problem")[0]).toMatchObject({
        where: bench.shadow(id).states,
        fix: `stint doctor ${id} --repair`,
      });
      const { revision, inferred } = repair();
      expect(revision).toBe(6);
      expect(inferred).toEqual([
        `revision 4 was taken from ${bench.layout(entry).state}, which is whole`,
        `${bench.layout(entry).state} was behind; restored to revision 5`,
        `${bench.layout(entry).journal} was behind; brought forward to revision 5`,
      ]);
      const { state } = bench.process().store.read(id);
      expect(state.next_action).toBe("after event-4");
      expect(state.last_event).toMatchObject({ kind: "copies-healed" });
      const lines = bench.process().store.journal(id);
      expect(lines[4]).toMatchObject({ kind: "state-repaired", data: { inferred: [inferred[0]] } });
      expect(bench.foreign(id)).toContain(
        `damaged-${sha256Of(damaged).slice(0, 12)}-000000000004.json`,
      );
      expectSound(6);
    },
  );

  it("S1-18 is taken from the revision before when no copy is left, and what is lost is said", () => {
    flipByte(bench.revisionPath(id, 4), 40);
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { revision, inferred } = repair();
    expect(inferred.slice(0, 2)).toEqual([
      `revision 3 was taken from ${bench.revisionPath(id, 3)}, which is whole`,
      "what revision 4 changed beyond revision 3 is lost",
    ]);
    expect(bench.process().store.read(id).state.next_action).toBe("after event-3");
    expect(journal().slice(0, 5)).toEqual([
      "project-created",
      "event-2",
      "event-3",
      "event-4",
      "state-repaired",
    ]);
    expectSound(revision);
  });

  it("whose every copy lost its seal is gone on with, and kept aside because it is not proven", () => {
    for (const path of [3, 4].map((n) => bench.revisionPath(id, n))) {
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace(/,\n"integrity":"[^"]*"/, ""));
    }
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { revision, inferred } = repair();
    expect(inferred[0]).toBe(
      `no whole copy of the state was found; its content was taken from ${bench.revisionPath(id, 4)}, which could not be verified`,
    );
    expect(bench.process().store.read(id).state.next_action).toBe("after event-4");
    expect(bench.foreign(id)).toContainEqual(
      expect.stringMatching(/^damaged-[0-9a-f]{12}-000000000004\.json$/),
    );
    expectSound(revision);
  });

  it("with a name of another revision is not trusted", () => {
    renameSync(bench.revisionPath(id, 4), bench.revisionPath(id, 9));
    expect(findings("problem")[0]?.what).toBe(
      `state: ${bench.revisionPath(id, 9)} cannot be trusted: its name and its revision differ. Nothing was changed and nothing is claimed.`,
    );
  });

  it("S3-4 is rebuilt from the manifest when nothing else is left, as the last resort", () => {
    rmSync(bench.shadow(id).folder, { recursive: true });
    rmSync(join(bench.root, "agents"), { recursive: true });
    expect(findings("problem")).toEqual([
      {
        severity: "problem",
        what: "the shadow holds no state",
        where: bench.shadow(id).states,
        fix: `in ${bench.root}: stint doctor --adopt`,
      },
    ]);
    const { revision, inferred } = repair(bench.rebuild);
    expect(inferred[0]).toBe(
      `no whole copy of the state was found; its content was taken from ${join(bench.root, "prompt.md")}, which could not be verified`,
    );
    const { state } = bench.process().store.read(id);
    expect(state).toMatchObject({ project_id: id, next_action: "rebuilt from the manifest" });
    expect(journal()[0]).toBe("state-repaired");
    expectSound(revision);
  });

  it("S1-18 keeps the journal of a project whose every state is gone", () => {
    rmSync(bench.shadow(id).states, { recursive: true });
    rmSync(bench.layout(entry).state);
    repair(bench.rebuild);
    expect(journal().slice(0, 5)).toEqual([
      "project-created",
      "event-2",
      "event-3",
      "event-4",
      "state-repaired",
    ]);
  });
});

describe("a state of a newer Stint", () => {
  const upgrade = "Use the Stint that wrote it, or a newer one: npm install --global stint@latest";

  beforeEach(() => {
    const newer = { ...copyOfState(), schema_version: 2 } as unknown as ProjectState;
    writeFileSync(bench.revisionPath(id, 4), sealed(newer));
  });

  it("is refused with the way to upgrade, by every act", () => {
    const message = `${bench.revisionPath(id, 4)} cannot be read: it has schema version 2; this Stint reads version 1`;
    for (const act of [
      () => bench.acquire(id),
      () => bench.process().store.read(id),
      () => repair(),
    ]) {
      expect(refusal(act)).toMatchObject({ code: "state-corrupt", message, hint: upgrade });
    }
    expect(findings("problem")[0]).toMatchObject({ what: `state: ${message}`, fix: upgrade });
  });

  it("is not repaired back to what this Stint can read, even from a whole older revision", () => {
    const before = everyFile(bench.stateHome);
    refusal(() => repair());
    expect(everyFile(bench.stateHome)).toEqual(before);
  });

  it("is not adopted", () => {
    const newer = { ...copyOfState(), schema_version: 2 } as unknown as ProjectState;
    writeFileSync(bench.layout(entry).state, sealed(newer));
    rmSync(bench.stateHome, { recursive: true });
    expect(bench.process().doctor.adoptables(bench.root, "agents")).toEqual([
      {
        folder: entry.folder,
        verdict: {
          kind: "refused",
          reason: `its state.json is of another version: it has schema version 2; this Stint reads version 1. ${upgrade}`,
        },
      },
    ]);
  });
});

describe("a damaged journal", () => {
  it("S1-18 with a changed word is mended word for word from the copy that the state proves", () => {
    const { journal: path } = bench.shadow(id);
    writeFileSync(path, readFileSync(path, "utf8").replace("event-2 happened", "event-2 happenec"));
    expect(findings("problem")).toMatchObject([
      {
        what: "a line before revision 4 is lost or changed",
        where: path,
        fix: `stint doctor ${id} --repair`,
      },
    ]);
    const { revision } = repair();
    expect(bench.process().store.journal(id)[1]).toMatchObject({ summary: "event-2 happened" });
    expect(bench.foreign(id)).toEqual([expect.stringMatching(/-journal\.jsonl$/)]);
    expectSound(revision);
  });

  it("S1-18 with a changed number keeps every line at its own place", () => {
    const { journal: path } = bench.shadow(id);
    const text = readFileSync(path, "utf8").replace('{"revision":2,', '{"revision":9,');
    writeFileSync(path, text);
    rmSync(bench.layout(entry).journal);
    const { revision, inferred } = repair();
    expect(inferred).toContain("the journal lines of revision 2 are lost; each is marked so");
    expect(journal().slice(0, 5)).toEqual([
      "project-created",
      "line-lost",
      "event-3",
      "event-4",
      "state-repaired",
    ]);
    expect(revision).toBe(6);
    expectSound(revision);
  });

  it("S1-18 with a lost line and no copy marks that line as lost and keeps the others", () => {
    const { journal: path } = bench.shadow(id);
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.filter((_, index) => index !== 1).join("\n"));
    rmSync(bench.layout(entry).journal);
    const { revision, inferred } = repair();
    expect(inferred).toContain("the journal lines of revision 2 are lost; each is marked so");
    expect(bench.process().store.journal(id)[1]).toMatchObject({
      kind: "line-lost",
      by: "stint doctor",
      summary: "the line of this revision was lost and could not be rebuilt",
    });
    expectSound(revision);
  });

  it.each([
    ["missing", (path: string) => writeFileSync(path, withoutLastLine(path))],
    ["cut", (path: string) => cutTo(path, -20)],
    ["cut by its newline", (path: string) => cutTo(path, -1)],
  ])("S4-3 whose last line is %s is a notice, and the next owner writes it again", (_, damage) => {
    const { journal: path } = bench.shadow(id);
    const whole = readFileSync(path);
    damage(path);
    expect(findings("problem")).toEqual([]);
    expect(findings("notice")).toMatchObject([
      { what: "its last line is missing or cut; the next owner writes it from the state" },
    ]);
    const holder = bench.acquire(id);
    expect(holder.healed).toEqual([
      `${path} missed the line of revision 4; wrote it from the state`,
    ]);
    expect(readFileSync(path).subarray(0, whole.length)).toEqual(whole);
    holder.release();
    expectSound(5);
  });

  it("S1-18 ahead of the last state is a problem; its lines are kept and its numbers not reused", () => {
    rmSync(bench.revisionPath(id, 4));
    rmSync(bench.layout(entry).state);
    expect(findings("problem")).toMatchObject([
      { what: "it goes on after revision 3, the last state" },
    ]);
    const { revision, inferred } = repair();
    expect(inferred).toContain("what revision 4 changed beyond revision 3 is lost");
    expect(journal().slice(3, 5)).toEqual(["event-4", "state-repaired"]);
    expectSound(revision);
  });

  it("S1-18 that is gone altogether comes back from its copy", () => {
    rmSync(bench.shadow(id).journal);
    const { revision } = repair();
    expect(journal().slice(0, 4)).toEqual(["project-created", "event-2", "event-3", "event-4"]);
    expectSound(revision);
  });

  it("S1-18 that is gone with its copy leaves the last line, and marks the others as lost", () => {
    rmSync(bench.shadow(id).journal);
    rmSync(bench.layout(entry).journal);
    const { revision, inferred } = repair();
    expect(inferred).toContain("the journal lines of revisions 1–3 are lost; each is marked so");
    expect(journal().slice(0, 4)).toEqual(["line-lost", "line-lost", "line-lost", "event-4"]);
    expectSound(revision);
  });
});

function leasePath(): string {
  return join(bench.shadow(id).leases, "000000000001.json");
}

describe("a damaged lease", () => {
  it.each([
    ["is not JSON", "{"],
    ["is null", "null"],
    ["has another number", '{"fence":7}'],
    ["is empty", ""],
  ])("that %s stops every owner, and the doctor sets it aside", (_, content) => {
    writeFileSync(leasePath(), content);
    const error = refusal(() => bench.acquire(id));
    expect(error).toMatchObject({
      code: "state-corrupt",
      message: `${leasePath()} is damaged: it is not the record of a lease`,
      hint: `Make sure that no run of ${id} is alive, then: stint doctor ${id} --repair`,
    });
    expect(findings("problem")).toMatchObject([{ where: bench.shadow(id).leases }]);
    expect(repair()).toMatchObject({
      inferred: ["the record of the last lease was damaged; it was set aside"],
    });
    expect(bench.foreign(id)).toEqual(["damaged-lease-000000000001.json"]);
    expect(bench.acquire(id).lease.fence).toBeGreaterThan(1);
  });

  it("S3-5 of a living owner makes a repair refuse", () => {
    const holder = bench.acquire(id);
    flipByte(bench.revisionPath(id, 4), 40);
    const error = refusal(() => repair());
    expect(error.code).toBe("lease-held");
    expect(error.message).toContain(`${id} is held by ${holder.lease.run_id}`);
    expect(bench.foreign(id)).toEqual([]);
  });
});

describe("a project folder", () => {
  it("that was wiped is a notice, and is restored by a repair", () => {
    rmSync(join(bench.root, "agents"), { recursive: true });
    expect(findings("problem")).toEqual([]);
    expect(findings("notice")).toMatchObject([
      { what: "its state.json is missing; the next owner restores it from the shadow" },
    ]);
    const { revision } = repair();
    expect(revision).toBe(5);
    expectSound(5);
  });

  it("S3-4 that is behind is a notice, and is brought forward", () => {
    const old = readFileSync(bench.revisionPath(id, 3));
    writeFileSync(bench.layout(entry).state, old);
    expect(findings("notice")).toMatchObject([
      { what: "its state.json is behind; the next owner restores it from the shadow" },
    ]);
    expect(repair().inferred).toEqual([
      `${bench.layout(entry).state} was behind; restored to revision 4`,
    ]);
    expectSound(5);
  });

  it.each([
    ["the same revision and other content", 4],
    ["a higher revision", 5],
    ["a much higher revision", 4_000_000_000],
  ])("S3-4 forged with a valid seal and %s is kept aside, never believed", (_, revision) => {
    const forged = sealed({ ...copyOfState(), revision, next_action: "forged" });
    writeFileSync(bench.layout(entry).state, forged);
    expect(findings("notice")).toMatchObject([
      { what: "its state.json is foreign; the next owner restores it from the shadow" },
    ]);
    const aside = join(bench.shadow(id).foreign, "1-state.json");
    expect(repair().inferred).toEqual([
      `${bench.layout(entry).state} was not what Stint wrote; restored to revision 4; what was there is kept at ${aside}`,
    ]);
    expect(readFileSync(aside)).toEqual(forged);
    expect(bench.process().store.read(id).state.next_action).toBe("after event-4");
    expectSound(5);
  });

  it("S3-4 forged with a higher revision is not believed even when the top of the shadow is damaged", () => {
    const forged = sealed({ ...copyOfState(), revision: 5, next_action: "forged" });
    writeFileSync(bench.layout(entry).state, forged);
    flipByte(bench.revisionPath(id, 4), 40);
    const { revision, inferred } = repair();
    expect(inferred[0]).toBe(
      `revision 3 was taken from ${bench.revisionPath(id, 3)}, which is whole`,
    );
    expect(bench.process().store.read(id).state.next_action).toBe("after event-3");
    expectSound(revision);
  });

  it("S3-4 forged at the damaged revision is believed only with the line that the journal holds", () => {
    const state = copyOfState();
    const line = { ...required(state.last_event ?? undefined), kind: "forged" };
    writeFileSync(
      bench.layout(entry).state,
      sealed({ ...state, next_action: "forged", last_event: line }),
    );
    flipByte(bench.revisionPath(id, 4), 40);
    repair();
    expect(bench.process().store.read(id).state.next_action).toBe("after event-3");
  });

  it.each([
    ["that is no JSON", "hello"],
    ["that is JSON of another kind", '{"revision":5}'],
  ])("S3-9 forged with a valid seal over content %s stops nobody", (_, content) => {
    const open = Buffer.from(content);
    const seal = `,\n"integrity":"sha256-${sha256Of(open)}"}\n`;
    writeFileSync(bench.layout(entry).state, Buffer.concat([open, Buffer.from(seal)]));
    expect(bench.process().store.read(id).folder).toBe("foreign");
    expect(findings("problem")).toEqual([]);
    repair();
    expectSound(5);
  });

  it("forged with wrong types is not what a repair goes on with, even without a shadow", () => {
    writeFileSync(
      bench.layout(entry).state,
      sealed({ ...copyOfState(), slug: 7 } as unknown as ProjectState),
    );
    rmSync(bench.shadow(id).folder, { recursive: true });
    expect(repair(bench.rebuild).inferred[0]).toContain("its content was taken from");
    expect(bench.process().store.read(id).state.next_action).toBe("rebuilt from the manifest");
  });

  it("S3-24 whose state.json is a folder is a problem that readers survive", () => {
    const { state: path } = bench.layout(entry);
    rmSync(path);
    mkdirSync(join(path, "inside"), { recursive: true });
    expect(bench.process().store.read(id).folder).toBe("unreadable");
    expect(findings("problem")).toEqual([
      {
        severity: "problem",
        what: "its state.json cannot be read",
        where: join(bench.root, entry.folder),
        fix: `mv ${path} ${path}.old; then: stint doctor ${id} --repair`,
      },
    ]);
    expect(refusal(() => repair())).toMatchObject({
      code: "state-unwritable",
      message: `could not write ${path}: a folder stands where a file belongs (EISDIR). Nothing more was started and nothing is claimed.`,
      hint: `Move it aside: mv ${path} ${path}.old Then run: stint doctor`,
    });
    bench.machine.reboot();
    bench.world.advance(61_000);
    renameSync(path, `${path}.old`);
    repair();
    expect(findings("problem")).toEqual([]);
  });
});

describe("a work tree that is gone", () => {
  it("is a problem with the way out, and is not made anew", () => {
    renameSync(bench.root, `${bench.root}-moved`);
    expect(findings("problem")).toEqual([
      {
        severity: "problem",
        what: "the work tree is gone",
        where: bench.root,
        fix: "go to where it is now and run: stint doctor --adopt",
      },
    ]);
    expect(refusal(() => repair())).toMatchObject({
      code: "state-unwritable",
      message: `the work tree ${bench.root} is gone. Nothing was written and nothing is claimed.`,
      hint: "If it was moved, go to where it is now and run: stint doctor --adopt",
    });
    expect(existsSync(bench.root)).toBe(false);
  });
});

describe("temp files of a crash", () => {
  it("are a notice, and the next owner removes them", () => {
    const { states, folder, answers } = bench.shadow(id);
    mkdirSync(answers);
    for (const each of [states, folder, answers]) {
      writeFileSync(join(each, ".stint-tmp-dead"), "half");
    }
    expect(findings("notice")).toEqual([
      {
        severity: "notice",
        what: "3 temp file(s) of writes that a crash cut short; harmless",
        where: folder,
        fix: null,
      },
    ]);
    bench.acquire(id).release();
    expect(findings("notice")).toEqual([]);
  });
});

const adoptables = (root = bench.root) => bench.process().doctor.adoptables(root, "agents");
const adopt = (root = bench.root) => {
  const { doctor, claim } = bench.process();
  return doctor.adopt(root, entry.folder, claim);
};
/** As on another machine, or in a fresh clone with a tracked project folder. */
const loseStateFolder = () => rmSync(bench.stateHome, { recursive: true });
const forge = (change: object) =>
  writeFileSync(bench.layout(entry).state, sealed({ ...copyOfState(), ...change }));

describe("adoption", () => {
  it("shows what it would trust, and changes nothing by showing it", () => {
    loseStateFolder();
    expect(adoptables()).toMatchObject([
      {
        folder: entry.folder,
        verdict: {
          kind: "adoptable",
          trusted: [
            `project ${id} at revision 4, Draft`,
            "0 of 3 tasks done, on the word of this file alone",
          ],
        },
      },
    ]);
    expect(existsSync(bench.stateHome)).toBe(false);
  });

  it("S1-8 S1-21 makes the shadow from the folder, under the same id and with its journal", () => {
    loseStateFolder();
    const { revision, inferred } = adopt();
    expect(inferred[0]).toBe(`state.json of ${entry.folder} at revision 4 was trusted`);
    expect(journal().slice(0, 5)).toEqual([
      "project-created",
      "event-2",
      "event-3",
      "event-4",
      "state-repaired",
    ]);
    const { state } = bench.process().store.read(id);
    expect(state).toMatchObject({ project_id: id, next_action: "after event-4" });
    expect(bench.process().store.manifestText(id, state.manifest.digest)).toBe(
      readFileSync(join(bench.root, "prompt.md"), "utf8"),
    );
    expect(adoptables()).toEqual([]);
    expectSound(revision);
  });

  it("marks the lines of a lost journal as lost", () => {
    loseStateFolder();
    rmSync(bench.layout(entry).logs, { recursive: true });
    const { inferred, revision } = adopt();
    expect(inferred).toContain("the journal lines of revisions 1–3 are lost; each is marked so");
    expectSound(revision);
  });

  it("says when the manifest differs from when the state was written", () => {
    loseStateFolder();
    writeFileSync(join(bench.root, "prompt.md"), "# Goal\n\nOther.\n");
    const { inferred } = adopt();
    expect(inferred[1]).toBe(
      "prompt.md differs from when the state was written; its text now is the last known",
    );
  });

  it("without the manifest is refused and leaves nothing behind", () => {
    loseStateFolder();
    rmSync(join(bench.root, "prompt.md"));
    expect(refusal(() => adopt())).toMatchObject({
      code: "bad-input",
      message: `${entry.folder} was not adopted: its manifest ${join(bench.root, "prompt.md")} is missing`,
      hint: "See what could be adopted here: stint doctor",
    });
    expect(bench.process().store.list()).toEqual([]);
  });

  it("S1-8 follows a work tree that was moved, with everything it knew", () => {
    const moved = `${bench.root}-moved`;
    renameSync(bench.root, moved);
    expect(adoptables(moved)).toMatchObject([{ verdict: { kind: "moved", from: bench.root } }]);
    const { inferred } = adopt(moved);
    expect(inferred[0]).toBe(`the work tree moved from ${bench.root} to ${moved}`);
    expect(bench.process().store.find(id)).toEqual({ ...entry, root: moved });
    expect(journal().at(-1)).toBe("project-moved");
    expect(adoptables(moved)).toEqual([]);
  });

  it("leaves the old place of a moved work tree free for a project of its own", () => {
    renameSync(bench.root, `${bench.root}-moved`);
    adopt(`${bench.root}-moved`);
    mkdirSync(bench.root);
    const other = bench.create(1);
    expect(other.project_id).not.toBe(id);
  });

  it("follows a moved work tree whose shadow is lost as well", () => {
    rmSync(bench.shadow(id).folder, { recursive: true });
    const moved = `${bench.root}-moved`;
    renameSync(bench.root, moved);
    adopt(moved);
    expect(bench.process().store.find(id)).toEqual({ ...entry, root: moved });
    expect(existsSync(bench.root)).toBe(false);
  });

  it("S1-17 refuses a copy of a work tree whose original exists", () => {
    const copy = join(bench.path, "copy");
    cpSync(bench.root, copy, { recursive: true });
    const reason = `project ${id} lives in ${join(bench.root, entry.folder)}; this is a copy of it. A project of its own: stint new prompt.md`;
    expect(adoptables(copy)).toEqual([
      { folder: entry.folder, verdict: { kind: "refused", reason } },
    ]);
    expect(refusal(() => adopt(copy)).message).toBe(`${entry.folder} was not adopted: ${reason}`);
  });

  it("S1-17 refuses a second project for a manifest that has one", () => {
    loseStateFolder();
    const other = bench.create(1);
    expect(adoptables()).toEqual([
      {
        folder: entry.folder,
        verdict: {
          kind: "refused",
          reason: `prompt.md already has a project: ${other.project_id}`,
        },
      },
    ]);
  });

  it("S3-4 believes the shadow, not the folder, when only the registration is lost", () => {
    unlinkSync(join(bench.stateHome, "registry", "projects", `${id}.json`));
    forge({ revision: 9, next_action: "forged" });
    expect(adoptables()).toMatchObject([
      {
        verdict: {
          kind: "adoptable",
          trusted: [`project ${id}: its shadow is here, its registration is not`],
        },
      },
    ]);
    adopt();
    expect(bench.process().store.read(id).state.next_action).toBe("after event-4");
    expect(bench.process().store.find(id)).toEqual(entry);
  });

  it("does not write for ever for an absurd revision, and leaves nothing behind", () => {
    forge({ revision: 9_007_199_254_740_991 });
    loseStateFolder();
    expect(refusal(() => adopt())).toMatchObject({
      code: "state-corrupt",
      message:
        "the state says it is at revision 9007199254740991, but only 5 journal lines are left; it is not repaired from so little",
    });
    expect(bench.process().store.list()).toEqual([]);
  });

  it.each([
    ["a manifest above the work tree", { manifest: { path: "../../secret.md" } }, /leaves the rep/],
    ["a manifest elsewhere", { manifest: { path: "/etc/hostname" } }, /the path is absolute/],
    ["a manifest by a detour", { manifest: { path: "a/../prompt.md" } }, /the path is not plain/],
    ["a slug that is a path", { slug: "../../x" }, /its state.json is not a state: slug:/],
    ["another slug", { slug: "other" }, /the folder of stint\/projects\/other under another name/],
    ["an owner that is a path", { owner_agent: "../x" }, /is not a state: owner_agent:/],
    ["another owner", { owner_agent: "night" }, /the folder of night\/projects\/prompt under/],
    ["an id that is a path", { project_id: "../../x" }, /is not a state: project_id:/],
    ["blockers of another type", { blockers: {} }, /is not a state: blockers:/],
    ["a revision of another type", { revision: "4" }, /is not a state: revision:/],
  ])("of a state with %s is refused", (_, change, reason) => {
    const { digest } = copyOfState().manifest;
    forge("manifest" in change ? { manifest: { ...change.manifest, digest } } : change);
    loseStateFolder();
    const [found] = adoptables();
    expect(found?.verdict).toMatchObject({
      kind: "refused",
      reason: expect.stringMatching(reason),
    });
    expect(refusal(() => adopt()).code).toBe("bad-input");
    expect(bench.process().store.list()).toEqual([]);
  });

  it("of a manifest that is a link out of the work tree is refused", () => {
    const secret = join(bench.path, "secret.md");
    writeFileSync(secret, "secret");
    rmSync(join(bench.root, "prompt.md"));
    symlinkSync(secret, join(bench.root, "prompt.md"));
    loseStateFolder();
    expect(refusal(() => adopt()).message).toBe(
      `${entry.folder} was not adopted: its manifest ${join(bench.root, "prompt.md")} leads out of the work tree by a link`,
    );
    expect(existsSync(bench.stateHome)).toBe(false);
  });

  it("of a damaged copy is refused with the reason", () => {
    flipByte(bench.layout(entry).state, 40);
    loseStateFolder();
    expect(adoptables()).toMatchObject([
      {
        verdict: {
          kind: "refused",
          reason:
            "its state.json cannot be trusted: its content does not match its integrity field",
        },
      },
    ]);
  });

  it("of a project in order is refused: there is nothing to trust", () => {
    expect(refusal(() => adopt()).message).toBe(
      `${entry.folder} was not adopted: it is in order and needs no adoption`,
    );
  });

  it("finds nothing where no project folder is", () => {
    expect(adoptables(bench.path)).toEqual([]);
  });
});

function withoutLastLine(path: string): string {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return `${lines.slice(0, -1).join("\n")}\n`;
}

function everyFile(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .map((path) => [path, readFileSync(path, "base64")]),
  );
}
