import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  cpSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DoctorBench, expectSound } from "../../../test/support/doctor-bench.ts";
import { flipByte, sealed } from "../../../test/support/file-bench.ts";
import { refusal } from "../../../test/support/refusal.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { RegistryEntry } from "../store.ts";

let bench: DoctorBench;
let entry: RegistryEntry;
let id: ProjectId;

beforeEach(() => {
  bench = new DoctorBench();
  ({ entry, id } = bench);
});
afterEach(() => bench.close());

const adoptables = (root = bench.root) => bench.process().doctor.adoptables(root, "agents");
const adopt = (root = bench.root) => {
  const { doctor, claim } = bench.process();
  return doctor.adopt(root, entry.folder, claim);
};
/** As on another machine, or in a fresh clone with a tracked project folder. */
const loseStateFolder = () => rmSync(bench.stateHome, { recursive: true });
const forge = (change: object) =>
  writeFileSync(bench.layout(entry).state, sealed({ ...bench.copyOfState(), ...change }));

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
            "0 of 3 tasks done, according to this file alone",
          ],
        },
      },
    ]);
    expect(existsSync(bench.stateHome)).toBe(false);
  });

  it("S1-8 makes the shadow from the folder, under the same id and with its journal", () => {
    loseStateFolder();
    const { revision, inferred } = adopt();
    expect(inferred[0]).toBe(`state.json of ${entry.folder} at revision 4 was trusted`);
    expect(bench.journalKinds().slice(0, 5)).toEqual([
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
    expectSound(bench, revision);
  });

  it("marks the lines of a lost journal as lost", () => {
    loseStateFolder();
    rmSync(bench.layout(entry).logs, { recursive: true });
    const { inferred, revision } = adopt();
    expect(inferred).toContain("the journal lines of revisions 1–3 are lost; each is marked so");
    expectSound(bench, revision);
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

  it("follows a work tree that was moved, with everything it knew", () => {
    const moved = `${bench.root}-moved`;
    renameSync(bench.root, moved);
    expect(adoptables(moved)).toMatchObject([{ verdict: { kind: "moved", from: bench.root } }]);
    const { inferred } = adopt(moved);
    expect(inferred[0]).toBe(`the work tree moved from ${bench.root} to ${moved}`);
    expect(bench.process().store.find(id)).toEqual({ ...entry, root: moved });
    expect(bench.journalKinds().at(-1)).toBe("project-moved");
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

  it("refuses a copy of a work tree whose original exists", () => {
    const copy = join(bench.path, "copy");
    cpSync(bench.root, copy, { recursive: true });
    const reason = `project ${id} is in ${join(bench.root, entry.folder)}; this is a copy of it. To make it a separate project: stint new prompt.md`;
    expect(adoptables(copy)).toEqual([
      { folder: entry.folder, verdict: { kind: "refused", reason } },
    ]);
    expect(refusal(() => adopt(copy)).message).toBe(`${entry.folder} was not adopted: ${reason}`);
  });

  it("refuses a second project for a manifest that has one", () => {
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
        "the state says it is at revision 9007199254740991, but only 5 journal lines are left; that is too little to repair it",
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
    const { digest } = bench.copyOfState().manifest;
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

  it("of a manifest outside of the work tree needs its own word that it is about it", () => {
    loseStateFolder();
    const path = join(bench.root, "../flow.md");
    const { manifest } = bench.copyOfState();
    forge({ manifest: { ...manifest, path: "../flow.md" } });
    const refused = {
      verdict: {
        kind: "refused",
        reason: 'its manifest is "../flow.md": the path leaves the repository',
      },
    };
    expect(adoptables()).toMatchObject([refused]);
    writeFileSync(path, "---\nrepository: /elsewhere\n---\n");
    expect(adoptables()).toMatchObject([refused]);
    writeFileSync(path, `---\nrepository: ${bench.root}\n---\n`);
    expect(adoptables()).toMatchObject([{ verdict: { kind: "adoptable" } }]);
    expect(adopt().inferred[0]).toContain("was trusted");
    rmSync(path);
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
      `${entry.folder} was not adopted: it is intact and needs no adoption`,
    );
  });

  it("finds nothing where no project folder is", () => {
    expect(adoptables(bench.path)).toEqual([]);
  });
});
