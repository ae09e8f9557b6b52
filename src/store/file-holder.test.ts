// What others do to the copies while an owner lives: noticed, restored, kept aside, told.
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { faultyFiles } from "../../test/support/faulty-files.ts";
import { FileBench, sealed } from "../../test/support/file-bench.ts";
import { refusal } from "../../test/support/refusal.ts";
import { git, gitInit } from "../../test/support/git.ts";
import { happening, sampleProject } from "../../test/support/project-fixture.ts";
import type { ProjectId } from "../core/ids.ts";
import { realFiles } from "./files.ts";
import { decodeLease, encodeLease } from "./lease.ts";
import { isSealedPage } from "./pages.ts";
import { decodeState } from "./state-codec.ts";
import { keptPath, type RegistryEntry } from "./store.ts";

let bench: FileBench;
let entry: RegistryEntry;
let id: ProjectId;

beforeEach(() => {
  bench = new FileBench();
});
afterEach(() => bench.close());

function open(revisions = 2): void {
  entry = bench.create(revisions);
  id = entry.project_id;
}

function folderRevision(): number | string {
  const decoded = decodeState(readFileSync(bench.layout(entry).state));
  return decoded.ok ? decoded.state.revision : decoded.reason;
}

describe("between two commits of a living owner", () => {
  const acts: Record<string, (root: string) => void> = {
    "rm -rf agents": (root) => rmSync(join(root, "agents"), { recursive: true }),
    "git clean -fdx": (root) => git(root, "clean", "-fdxq", "-e", "prompt.md"),
    "git stash --all": (root) => git(root, "stash", "push", "--all", "--quiet"),
    "the removal of one file": (root) =>
      rmSync(join(root, "agents/stint/projects/prompt/state.json")),
  };

  it.each(Object.entries(acts))("%s is noticed, restored and told", (_, act) => {
    gitInit(bench.root);
    git(bench.root, "commit", "--quiet", "--allow-empty", "-m", "start");
    open();
    const holder = bench.acquire(id);
    act(bench.root);
    expect(existsSync(bench.layout(entry).state)).toBe(false);
    holder.renew();
    const written = bench.commit(holder, "on");
    expect(written).toMatchObject({ revision: 4, next_action: "after on" });
    expect(holder.healed).toContain(
      `${bench.layout(entry).state} was missing; restored to revision 2`,
    );
    expect(bench.process().store.journal(id).slice(2)).toMatchObject([
      { kind: "copies-healed", type: "fact", summary: holder.healed.join("; ") },
      { kind: "on" },
    ]);
    expect(bench.process().store.read(id)).toMatchObject({ folder: "same" });
    expect(readFileSync(bench.layout(entry).journal)).toEqual(
      readFileSync(bench.shadow(id).journal),
    );
    expect(existsSync(bench.layout(entry).lease)).toBe(true);
    expect(existsSync(join(bench.layout(entry).folder, "README.md"))).toBe(true);
    expect(existsSync(join(bench.layout(entry).folder, "manifest.md"))).toBe(true);
  });

  it("git checkout of a branch with an older copy is noticed and brought forward", () => {
    gitInit(bench.root);
    open();
    git(bench.root, "add", "--all", "--force");
    git(bench.root, "commit", "--quiet", "-m", "old");
    git(bench.root, "branch", "old");
    const holder = bench.acquire(id);
    bench.commit(holder, "one");
    git(bench.root, "add", "--all", "--force");
    git(bench.root, "commit", "--quiet", "-m", "new");
    git(bench.root, "checkout", "--quiet", "old");
    expect(folderRevision()).toBe(2);
    bench.commit(holder, "two");
    expect(holder.healed[0]).toBe(
      `${bench.layout(entry).state} was behind; restored to revision 3`,
    );
    expect(bench.foreign(id)).toEqual([]);
    expect(folderRevision()).toBe(5);
  });

  it("a forged state and a forged journal are kept aside and never believed", () => {
    open();
    const holder = bench.acquire(id);
    const forged = sealed({ ...holder.state, revision: 50, next_action: "forged" });
    writeFileSync(bench.layout(entry).state, forged);
    appendFileSync(bench.layout(entry).journal, '{"revision":3}\n');
    const written = bench.commit(holder, "on");
    expect(written.next_action).toBe("after on");
    expect(bench.foreign(id)).toEqual(["1-journal.jsonl", "1-state.json"]);
    expect(readFileSync(join(bench.shadow(id).foreign, "1-state.json"))).toEqual(forged);
    expect(bench.process().store.read(id).state).toEqual(written);
  });

  it("an edited page is flagged, kept and made again", () => {
    open();
    const holder = bench.acquire(id);
    const page = join(bench.layout(entry).folder, "README.md");
    writeFileSync(page, "all done, trust me\n");
    bench.commit(holder, "on");
    const aside = join(bench.shadow(id).foreign, "1-README.md");
    expect(holder.healed).toEqual([
      `${page} is not what Stint made (edited, or cut by a crash); it is written again from the state; what was there is kept at ${aside}`,
    ]);
    expect(readFileSync(aside, "utf8")).toBe("all done, trust me\n");
    expect(isSealedPage(readFileSync(page))).toBe(true);
  });

  it("an edited or linked validation.md is made again from the journal, and what was there is kept", () => {
    open();
    const holder = bench.acquire(id);
    const { validation } = bench.layout(entry);
    const made = readFileSync(validation);
    writeFileSync(validation, "every check passed\n");
    bench.commit(holder, "one");
    expect(readFileSync(validation)).toEqual(made);
    expect(bench.foreign(id)).toEqual(["1-validation.md"]);
    const elsewhere = join(bench.path, "elsewhere");
    writeFileSync(elsewhere, made);
    rmSync(validation);
    symlinkSync(elsewhere, validation);
    bench.commit(holder, "two");
    expect(lstatSync(validation).isFile()).toBe(true);
    expect(holder.healed).toHaveLength(2);
  });

  it("a journal turned into a link is replaced, and nothing is written through it", () => {
    open();
    const holder = bench.acquire(id);
    const elsewhere = join(bench.path, "elsewhere");
    writeFileSync(elsewhere, "");
    rmSync(bench.layout(entry).journal);
    symlinkSync(elsewhere, bench.layout(entry).journal);
    bench.commit(holder, "on");
    expect(readFileSync(elsewhere, "utf8")).toBe("");
    expect(lstatSync(bench.layout(entry).journal).isFile()).toBe(true);
    expect(holder.healed[0]).toMatch(/journal\.jsonl was a link; restored/);
  });

  it("a project folder turned into a link is a hard stop, and nothing is made behind it", () => {
    open();
    const holder = bench.acquire(id);
    const elsewhere = join(bench.path, "elsewhere");
    mkdirSync(elsewhere);
    rmSync(join(bench.root, "agents"), { recursive: true });
    symlinkSync(elsewhere, join(bench.root, "agents"));
    const error = refusal(() => bench.commit(holder, "on"));
    expect(error).toMatchObject({
      code: "state-unwritable",
      message: `${join(bench.root, "agents")} leads to ${elsewhere} by a link; Stint does not write through links`,
      hint: "Remove the link, then run: stint doctor",
    });
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(refusal(() => bench.commit(holder, "more"))).toBe(error);
  });

  it("nothing is kept behind a link further down; the first one on the way is named", () => {
    open();
    const holder = bench.acquire(id);
    const elsewhere = join(bench.path, "elsewhere");
    mkdirSync(join(elsewhere, "sessions"), { recursive: true });
    symlinkSync(join(elsewhere, "sessions"), join(elsewhere, "sessions", "1"));
    const { logs } = bench.layout(entry);
    rmSync(logs, { recursive: true });
    symlinkSync(elsewhere, logs);
    const path = keptPath("logs", "sessions", "1", "brief.md");
    expect(refusal(() => holder.keep(path, "text"))).toMatchObject({
      code: "state-unwritable",
      message: `${logs} leads to ${elsewhere} by a link; Stint does not write through links`,
    });
    expect(readdirSync(join(elsewhere, "sessions"))).toEqual(["1"]);
  });

  it("a file in place of the project folder is moved aside, and told", () => {
    open();
    const holder = bench.acquire(id);
    const path = join(bench.root, "agents");
    rmSync(path, { recursive: true });
    writeFileSync(path, "in the way");
    bench.commit(holder, "on");
    expect(holder.healed).toContain(`${path} was in the way; it was moved aside to ${path}.aside`);
    expect(readFileSync(`${path}.aside`, "utf8")).toBe("in the way");
    expect(bench.process().store.read(id).folder).toBe("same");
  });

  it("the removal of the whole state folder is a hard stop, and it is not made again", () => {
    open();
    const holder = bench.acquire(id);
    renameSync(bench.stateHome, `${bench.stateHome}-moved`);
    const error = refusal(() => bench.commit(holder, "on"));
    expect(error).toMatchObject({
      code: "state-unwritable",
      message: `the state of ${id} is gone: somebody removed or moved ${bench.stateHome} while Stint worked with it. Nothing more was started.`,
      hint: `If it was moved, move it back, then run: stint resume ${id}\nIf it was removed: what Stint delivered is in your branch; see what else is left: stint doctor`,
    });
    expect(refusal(() => bench.commit(holder, "more"))).toBe(error);
    holder.release();
    expect(existsSync(bench.stateHome)).toBe(false);
    renameSync(`${bench.stateHome}-moved`, bench.stateHome);
    expect(bench.process().store.read(id).state.revision).toBe(2);
  });

  it.each([
    ["lease", "shadows/<id>/lease"],
    ["states", "shadows/<id>/state"],
  ] as const)("the removal of its %s alone is one too", (part, place) => {
    open();
    const holder = bench.acquire(id);
    const shadow = bench.shadow(id);
    rmSync(part === "lease" ? shadow.leases : shadow.states, { recursive: true });
    expect(refusal(() => bench.commit(holder, "on")).message).toContain(
      `moved ${join(bench.stateHome, place.replace("<id>", id))} while`,
    );
  });

  it("a state that somebody took back to an earlier revision is not written over", () => {
    open();
    const holder = bench.acquire(id);
    const { states } = bench.shadow(id);
    const [latest = ""] = readdirSync(states).toSorted().toReversed();
    rmSync(join(states, latest));
    expect(refusal(() => bench.commit(holder, "on")).code).toBe("state-changed");
  });

  it("the removal of the work tree is a hard stop, and it is not made anew", () => {
    open();
    const holder = bench.acquire(id);
    renameSync(bench.root, `${bench.root}-moved`);
    expect(refusal(() => bench.commit(holder, "on")).message).toBe(
      `the work tree ${bench.root} is gone. Nothing more was started.`,
    );
    expect(existsSync(bench.root)).toBe(false);
  });
});

/** As an owner elsewhere, or a forger who knows the format, writes it. */
function forge(change: object): void {
  const { lease: path } = bench.layout(entry);
  const found = decodeLease(readFileSync(path));
  if (!found.ok) throw new Error(found.reason);
  writeFileSync(path, encodeLease({ ...found.lease, ...change }));
}

describe("S3-5 an owner with another state folder", () => {
  it("is seen by its copy of the lease, and respected while it can be alive", () => {
    open();
    bench.acquire(id).release();
    const { lease } = bench.layout(entry);
    forge({ fence: 90, released_at: null, host: "elsewhere", boot_id: "other" });
    const error = refusal(() => bench.acquire(id));
    expect(error.code).toBe("lease-held");
    expect(error.message).toContain(`${id} is held from another state folder by r-`);
    expect(error.hint).toBe(
      `If that owner no longer exists, remove ${lease} and run the command again.`,
    );
    bench.world.advance(61_000);
    bench.acquire(id);
  });

  it.each([
    ["from the future", { fence: 90, released_at: null, heartbeat_at: "2036-01-01T00:00:00.000Z" }],
    ["of an older number", { fence: 1, released_at: null }],
    ["of a wrong type", { fence: "90" }],
  ])("has no say by a copy %s", (_, change) => {
    open();
    bench.acquire(id).release();
    forge({ boot_id: "other", ...change });
    expect(bench.acquire(id).lease.fence).toBe(3);
  });
});

describe("when a project is opened", () => {
  it("a pipe in place of a copy holds up neither reader nor owner", () => {
    open();
    const { state } = bench.layout(entry);
    rmSync(state);
    execFileSync("mkfifo", [state]);
    expect(bench.process().store.read(id).folder).toBe("foreign");
    bench.acquire(id);
    expect(folderRevision()).toBe(3);
  });

  it("S3-12 the folder holds the required files, whatever was in their place", () => {
    open();
    const { folder } = bench.layout(entry);
    writeFileSync(join(folder, "manifest.md"), "mine\n");
    const holder = bench.acquire(id);
    expect(holder.healed).toEqual([
      `${join(folder, "manifest.md")} was not what Stint wrote; restored; what was there is kept at ${join(bench.shadow(id).foreign, "1-manifest.md")}`,
    ]);
    expect(readFileSync(join(folder, "manifest.md"), "utf8")).toBe(
      `The manifest is [prompt.md](../../../../prompt.md). <!-- stint project ${id} -->\n`,
    );
  });

  it("S3-9 kept files that are gone or cut are brought back, an edited one is kept aside", () => {
    open();
    const holder = bench.acquire(id);
    const names = ["gone.txt", "cut.txt", "edited.txt", "same.txt"];
    for (const name of names) holder.keep(keptPath("artifacts", "evidence", "t1", name), name);
    holder.release();
    const { folder } = bench.layout(entry);
    const copy = (name: string): string => join(folder, "artifacts", "evidence", "t1", name);
    rmSync(copy("gone.txt"));
    writeFileSync(copy("cut.txt"), "\0\0\0");
    writeFileSync(copy("edited.txt"), "it passed, honestly");
    expect(bench.acquire(id).healed).toEqual([`3 kept files restored in ${folder}`]);
    for (const name of names) expect(readFileSync(copy(name), "utf8")).toBe(name);
    expect(bench.foreign(id)).toEqual(["1-edited.txt"]);
  });

  it("a journal that a loss of power filled with NUL bytes is behind, not foreign", () => {
    open();
    const { journal } = bench.layout(entry);
    const whole = readFileSync(journal);
    for (const size of [whole.length, whole.length + 4096]) {
      const cut = Buffer.alloc(size);
      whole.copy(cut, 0, 0, whole.length - 20);
      writeFileSync(journal, cut);
      const holder = bench.acquire(id);
      expect(holder.healed.join()).toContain("was old; updated to revision");
      const now = readFileSync(bench.shadow(id).journal);
      expect(readFileSync(journal).equals(now)).toBe(true);
      holder.release();
    }
    expect(bench.foreign(id)).toEqual([]);
  });

  it("the same foreign file found twice is kept once", () => {
    open();
    for (let n = 0; n < 2; n += 1) {
      writeFileSync(join(bench.layout(entry).folder, "manifest.md"), "mine\n");
      bench.acquire(id).release();
    }
    expect(bench.foreign(id)).toEqual(["1-manifest.md"]);
  });

  it("a work tree whose parent became a link is still the same work tree", () => {
    open();
    const real = join(bench.path, "disk");
    mkdirSync(real);
    renameSync(bench.root, join(real, "repo"));
    symlinkSync(join(real, "repo"), bench.root);
    expect(bench.acquire(id).healed).toEqual([]);
  });

  it("a new project is not made behind a link, and no id is registered", () => {
    const elsewhere = join(bench.path, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(bench.root, "agents"));
    const { store, host } = bench.process();
    const error = refusal(() =>
      store.create(sampleProject(bench.root, (n) => host.randomBytes(n))),
    );
    expect(error.code).toBe("state-unwritable");
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(store.list()).toEqual([]);
  });
});

/** What fails when one write of an owner's commit is refused by the disk; nothing when none was. */
function commitWithFault(at: number, effect: "ENOSPC" | "EROFS" | "EIO" | "EACCES"): unknown[] {
  const files = faultyFiles(realFiles, { at, kind: "write", effect });
  const { store, claim, host } = bench.process(files);
  try {
    const holder = store.acquire(id, claim);
    const first = attempt(() => bench.commit(holder, `try-${at}`));
    // A holder that failed once gives the same answer for good.
    const second = first === undefined ? [] : [attempt(() => holder.note(happening("more", 0)))];
    return first === undefined ? [] : [first, ...second];
  } catch (error) {
    return [error];
  } finally {
    host.kill();
  }
}

describe("S3-24 a write that the disk refuses", () => {
  it.each(["ENOSPC", "EROFS", "EIO", "EACCES"] as const)(
    "with %s stops the owner for good, and the project opens again afterwards",
    (effect) => {
      open();
      let at = 1;
      for (; ; at += 1) {
        const failures = commitWithFault(at, effect);
        if (failures.length === 0) break;
        expect(new Set(failures).size).toBe(1);
        expect(failures[0]).toMatchObject({
          code: "state-unwritable",
          message: expect.stringContaining(`(${effect}). Nothing more was started`),
        });
        const next = bench.acquire(id);
        expect(bench.commit(next, "after").next_action).toBe("after after");
        next.release();
      }
      expect(at).toBeGreaterThan(5);
    },
  );
});

function attempt(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}
