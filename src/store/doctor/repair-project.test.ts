import { readdirSync, readFileSync, rmSync, writeFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DoctorBench, expectSound, everyFile } from "../../../test/support/doctor-bench.ts";
import { cutTo, flipByte, sealed } from "../../../test/support/file-bench.ts";
import { refusal } from "../../../test/support/refusal.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { sha256Of } from "../digest.ts";
import type { RegistryEntry } from "../store.ts";

let bench: DoctorBench;
let entry: RegistryEntry;
let id: ProjectId;

beforeEach(() => {
  bench = new DoctorBench();
  ({ entry, id } = bench);
});
afterEach(() => bench.close());

describe("a damaged state", () => {
  const damages: Record<string, (path: string) => void> = {
    "with one flipped bit": (path) => flipByte(path, 40),
    "with a flipped bit in its seal": (path) => flipByte(path, -10),
    "cut in the middle": (path) => cutTo(path, 200),
    "cut by its last byte": (path) => cutTo(path, -1),
    "that is empty": (path) => writeFileSync(path, ""),
  };

  it.each(Object.entries(damages))(
    "%s is found, and mended from the copy that the journal knows",
    (_, damage) => {
      const path = bench.revisionPath(id, 4);
      damage(path);
      const damaged = readFileSync(path);
      const error = refusal(() => bench.acquire(id));
      expect(error.code).toBe("state-corrupt");
      expect(error.hint).toBe(
        `See what can be saved: stint doctor ${id}; then: stint doctor ${id} --repair`,
      );
      expect(bench.findings("problem")[0]).toMatchObject({
        where: bench.shadow(id).states,
        fix: `stint doctor ${id} --repair`,
      });
      const { revision, inferred } = bench.repair();
      expect(revision).toBe(6);
      expect(inferred).toEqual([
        `revision 4 was taken from ${bench.layout(entry).state}, which is undamaged`,
        `${bench.layout(entry).state} was behind; restored to revision 5`,
        `${bench.layout(entry).journal} was old; updated to revision 5`,
      ]);
      const { state } = bench.process().store.read(id);
      expect(state.next_action).toBe("after event-4");
      expect(state.last_event).toMatchObject({ kind: "copies-healed" });
      const lines = bench.process().store.journal(id);
      expect(lines[4]).toMatchObject({ kind: "state-repaired", data: { inferred: [inferred[0]] } });
      expect(bench.foreign(id)).toContain(
        `damaged-${sha256Of(damaged).slice(0, 12)}-000000000004.json`,
      );
      expectSound(bench, 6);
    },
  );

  it("S1-18 is taken from the revision before when no copy is left, and what is lost is said", () => {
    flipByte(bench.revisionPath(id, 4), 40);
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { revision, inferred } = bench.repair();
    expect(inferred.slice(0, 2)).toEqual([
      `revision 3 was taken from ${bench.revisionPath(id, 3)}, which is undamaged`,
      "what revision 4 changed beyond revision 3 is lost",
    ]);
    expect(bench.process().store.read(id).state.next_action).toBe("after event-3");
    expect(bench.journalKinds().slice(0, 5)).toEqual([
      "project-created",
      "event-2",
      "event-3",
      "event-4",
      "state-repaired",
    ]);
    expectSound(bench, revision);
  });

  it("whose every copy lost its seal is gone on with, and kept aside because it is not proven", () => {
    for (const path of [3, 4].map((n) => bench.revisionPath(id, n))) {
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace(/,\n"integrity":"[^"]*"/, ""));
    }
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { revision, inferred } = bench.repair();
    expect(inferred[0]).toBe(
      `no undamaged copy of the state was found; its content was taken from ${bench.revisionPath(id, 4)}, which could not be verified`,
    );
    expect(bench.process().store.read(id).state.next_action).toBe("after event-4");
    expect(bench.foreign(id)).toContainEqual(
      expect.stringMatching(/^damaged-[0-9a-f]{12}-000000000004\.json$/),
    );
    expectSound(bench, revision);
  });

  it("with a name of another revision is not trusted", () => {
    renameSync(bench.revisionPath(id, 4), bench.revisionPath(id, 9));
    expect(bench.findings("problem")[0]?.what).toBe(
      `state: ${bench.revisionPath(id, 9)} cannot be trusted: its name and its revision differ. Nothing was changed.`,
    );
  });

  it("S3-4 is rebuilt from the manifest when nothing else is left, as the last resort", () => {
    rmSync(bench.shadow(id).folder, { recursive: true });
    rmSync(join(bench.root, "agents"), { recursive: true });
    expect(bench.findings("problem")).toEqual([
      {
        severity: "problem",
        what: "no copy of its state is left; only its manifest is",
        where: bench.shadow(id).states,
        fix: `stint doctor ${id} --repair`,
      },
    ]);
    // Every verb names the same way out.
    expect(() => bench.process().store.read(id)).toThrow(
      expect.objectContaining({ hint: `To make it again: stint doctor ${id} --repair` }),
    );
    const { revision, inferred } = bench.repair(bench.rebuild);
    expect(inferred[0]).toBe(
      `no undamaged copy of the state was found; its content was taken from ${join(bench.root, "prompt.md")}, which could not be verified`,
    );
    const { state } = bench.process().store.read(id);
    expect(state).toMatchObject({ project_id: id, next_action: "rebuilt from the manifest" });
    expect(bench.journalKinds()[0]).toBe("state-repaired");
    expectSound(bench, revision);
  });

  it("keeps the journal of a project whose every state is gone", () => {
    rmSync(bench.shadow(id).states, { recursive: true });
    rmSync(bench.layout(entry).state);
    bench.repair(bench.rebuild);
    expect(bench.journalKinds().slice(0, 5)).toEqual([
      "project-created",
      "event-2",
      "event-3",
      "event-4",
      "state-repaired",
    ]);
  });
});

describe("the last known text of the manifest", () => {
  const lost = "the text of prompt.md that was last known (sha256 ";

  function lose(): string {
    const [name = ""] = readdirSync(bench.shadow(id).manifests);
    const path = join(bench.shadow(id).manifests, name);
    const text = readFileSync(path, "utf8");
    rmSync(path);
    return text;
  }

  it("that is lost is taken from the manifest, where that still says the same", () => {
    writeFileSync(join(bench.root, "prompt.md"), lose());
    expect(bench.findings("problem")).toMatchObject([
      { what: expect.stringContaining(lost), fix: `stint doctor ${id} --repair` },
    ]);
    expect(bench.repair().inferred).toEqual([
      `the last known text of the manifest was lost; it was taken from ${join(bench.root, "prompt.md")}`,
    ]);
    expect(bench.findings("problem")).toEqual([]);
  });

  it("that is damaged is kept aside, and taken from there as well", () => {
    const text = lose();
    const { digest } = bench.copyOfState().manifest;
    writeFileSync(join(bench.shadow(id).manifests, `${digest}.md`), "# Something else\n");
    writeFileSync(join(bench.root, "prompt.md"), text);
    bench.repair();
    expect(bench.foreign(id)).toEqual([expect.stringMatching(/^damaged-.*\.md$/)]);
    expect(bench.findings("problem")).toEqual([]);
  });

  it("that stands nowhere any more is said to be missing, with the way to put it back", () => {
    lose();
    writeFileSync(join(bench.root, "prompt.md"), "# Goal\n\nAnother.\n");
    expect(bench.repair().inferred).toEqual([]);
    expect(bench.findings("problem")).toMatchObject([
      {
        what: expect.stringContaining(lost),
        fix: `put prompt.md back as it was then (git log -p -- prompt.md), then: stint doctor ${id} --repair`,
      },
    ]);
  });
});

describe("a state of a newer Stint", () => {
  const upgrade = "Use the Stint that wrote it, or a newer one: npm install --global stint@latest";

  beforeEach(() => {
    const newer = { ...bench.copyOfState(), schema_version: 2 } as unknown as ProjectState;
    writeFileSync(bench.revisionPath(id, 4), sealed(newer));
  });

  it("is refused with the way to upgrade, by every act", () => {
    const message = `${bench.revisionPath(id, 4)} cannot be read: it has schema version 2; this Stint reads version 1`;
    for (const act of [
      () => bench.acquire(id),
      () => bench.process().store.read(id),
      () => bench.repair(),
    ]) {
      expect(refusal(act)).toMatchObject({ code: "state-corrupt", message, hint: upgrade });
    }
    expect(bench.findings("problem")[0]).toMatchObject({ what: `state: ${message}`, fix: upgrade });
  });

  it("is not repaired back to what this Stint can read, even from a whole older revision", () => {
    const before = everyFile(bench.stateHome);
    refusal(() => bench.repair());
    expect(everyFile(bench.stateHome)).toEqual(before);
  });

  it("is not adopted", () => {
    const newer = { ...bench.copyOfState(), schema_version: 2 } as unknown as ProjectState;
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
  it("with a changed word is mended word for word from the copy that the state proves", () => {
    const { journal: path } = bench.shadow(id);
    writeFileSync(path, readFileSync(path, "utf8").replace("event-2 happened", "event-2 happenec"));
    expect(bench.findings("problem")).toMatchObject([
      {
        what: "a line before revision 4 is lost or changed",
        where: path,
        fix: `stint doctor ${id} --repair`,
      },
    ]);
    const { revision } = bench.repair();
    expect(bench.process().store.journal(id)[1]).toMatchObject({ summary: "event-2 happened" });
    expect(bench.foreign(id)).toEqual([expect.stringMatching(/-journal\.jsonl$/)]);
    expectSound(bench, revision);
  });

  it("with a changed number keeps every line at its own place", () => {
    const { journal: path } = bench.shadow(id);
    const text = readFileSync(path, "utf8").replace('{"revision":2,', '{"revision":9,');
    writeFileSync(path, text);
    rmSync(bench.layout(entry).journal);
    const { revision, inferred } = bench.repair();
    expect(inferred).toContain("the journal lines of revision 2 are lost; each is marked so");
    expect(bench.journalKinds().slice(0, 5)).toEqual([
      "project-created",
      "line-lost",
      "event-3",
      "event-4",
      "state-repaired",
    ]);
    expect(revision).toBe(6);
    expectSound(bench, revision);
  });

  it("with a lost line and no copy marks that line as lost and keeps the others", () => {
    const { journal: path } = bench.shadow(id);
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.filter((_, index) => index !== 1).join("\n"));
    rmSync(bench.layout(entry).journal);
    const { revision, inferred } = bench.repair();
    expect(inferred).toContain("the journal lines of revision 2 are lost; each is marked so");
    expect(bench.process().store.journal(id)[1]).toMatchObject({
      kind: "line-lost",
      by: "stint doctor",
      summary: "the line of this revision was lost and could not be rebuilt",
    });
    expectSound(bench, revision);
  });

  it.each([
    ["missing", (path: string) => writeFileSync(path, withoutLastLine(path))],
    ["cut", (path: string) => cutTo(path, -20)],
    ["cut by its newline", (path: string) => cutTo(path, -1)],
  ])("S4-3 whose last line is %s is a notice, and the next owner writes it again", (_, damage) => {
    const { journal: path } = bench.shadow(id);
    const whole = readFileSync(path);
    damage(path);
    expect(bench.findings("problem")).toEqual([]);
    expect(bench.findings("notice")).toMatchObject([
      { what: "its last line is missing or cut; the next run writes it from the state" },
    ]);
    const holder = bench.acquire(id);
    expect(holder.healed).toEqual([
      `${path} lacked the line of revision 4; it was written from the state`,
    ]);
    expect(readFileSync(path).subarray(0, whole.length)).toEqual(whole);
    holder.release();
    expectSound(bench, 5);
  });

  it("ahead of the last state is a problem; its lines are kept and its numbers not reused", () => {
    rmSync(bench.revisionPath(id, 4));
    rmSync(bench.layout(entry).state);
    expect(bench.findings("problem")).toMatchObject([
      { what: "it continues after revision 3, the last state" },
    ]);
    const { revision, inferred } = bench.repair();
    expect(inferred).toContain("what revision 4 changed beyond revision 3 is lost");
    expect(bench.journalKinds().slice(3, 5)).toEqual(["event-4", "state-repaired"]);
    expectSound(bench, revision);
  });

  it("that is gone altogether comes back from its copy", () => {
    rmSync(bench.shadow(id).journal);
    const { revision } = bench.repair();
    expect(bench.journalKinds().slice(0, 4)).toEqual([
      "project-created",
      "event-2",
      "event-3",
      "event-4",
    ]);
    expectSound(bench, revision);
  });

  it("that is gone with its copy leaves the last line, and marks the others as lost", () => {
    rmSync(bench.shadow(id).journal);
    rmSync(bench.layout(entry).journal);
    const { revision, inferred } = bench.repair();
    expect(inferred).toContain("the journal lines of revisions 1–3 are lost; each is marked so");
    expect(bench.journalKinds().slice(0, 4)).toEqual([
      "line-lost",
      "line-lost",
      "line-lost",
      "event-4",
    ]);
    expectSound(bench, revision);
  });
});

function withoutLastLine(path: string): string {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return `${lines.slice(0, -1).join("\n")}\n`;
}
