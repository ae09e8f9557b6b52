import { existsSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileBench, type FileProcess, flipByte } from "../../test/support/file-bench.ts";
import { refusal } from "../../test/support/refusal.ts";
import type { ProjectId } from "../core/ids.ts";
import { numberedName } from "./layout.ts";
import { type Holder, type KeptPath, keptPath } from "./store.ts";

const FIRST = keptPath("logs", "first.txt");
const SECOND = keptPath("logs", "second.txt");

let bench: FileBench;
let id: ProjectId;
let owner: FileProcess;
let holder: Holder;

beforeEach(() => {
  bench = new FileBench();
  id = bench.create(1).project_id;
  owner = bench.process();
  holder = owner.store.acquire(id, owner.claim);
});
afterEach(() => bench.close());

/** What a loss of power leaves where nothing was flushed but revisions, and what was settled. */
function losePower(): void {
  const { pending, journal } = bench.shadow(id);
  const firstLine = (path: string): number => readFileSync(path).indexOf("\n") + 1;
  const log = join(pending, numberedName(1));
  truncateSync(log, firstLine(log));
  truncateSync(journal, firstLine(journal));
}

function keptBy(path: KeptPath): string | undefined {
  return bench.process().store.kept(id, path)?.toString("utf8");
}

describe("S3 what is kept with the next revision", () => {
  it("is read at once, in its newest form, by other processes too", () => {
    holder.keepWithNext(FIRST, "one");
    expect(keptBy(FIRST)).toBe("one");
    bench.commit(holder, "event-2");
    holder.keepWithNext(FIRST, "two");
    expect(keptBy(FIRST)).toBe("two");
  });

  it("is gone with the power before that revision, and there after it", () => {
    holder.keepWithNext(FIRST, "one");
    bench.commit(holder, "event-2");
    holder.keepWithNext(SECOND, "two");
    losePower();
    expect([keptBy(FIRST), keptBy(SECOND)]).toEqual(["one", undefined]);
    expect(bench.process().store.journal(id)).toHaveLength(2);
  });

  it("stays when its owner is killed, and the next one gives it a file of its own", () => {
    holder.keepWithNext(FIRST, "one");
    bench.commit(holder, "event-2");
    holder.keepWithNext(SECOND, "two");
    owner.host.kill();
    bench.acquire(id).release();
    const { kept } = bench.shadow(id);
    expect(readFileSync(join(kept, FIRST), "utf8")).toBe("one");
    expect(readFileSync(join(kept, SECOND), "utf8")).toBe("two");
  });

  it("is not carried any longer once it is settled, nor does it come back over what is newer", () => {
    holder.keepWithNext(FIRST, "one");
    bench.commit(holder, "event-2");
    holder.keep(FIRST, "two");
    losePower();
    owner.host.kill();
    expect(keptBy(FIRST)).toBe("two");
    bench.acquire(id).release();
    expect(keptBy(FIRST)).toBe("two");
    const top = bench.process().store.read(id).state.revision;
    expect(readFileSync(bench.revisionPath(id, top), "latin1")).not.toContain("first.txt");
  });

  it("S4-3 brings back every journal line that was lost with the power", () => {
    for (const kind of ["event-2", "event-3", "event-4"]) bench.commit(holder, kind);
    losePower();
    owner.host.kill();
    const next = bench.acquire(id);
    expect(next.healed[0]).toMatch("lacked the line of revision 4; it was written from the state");
    const kinds = bench
      .process()
      .store.journal(id)
      .map(({ kind }) => kind);
    expect(kinds.slice(0, 4)).toEqual(["project-created", "event-2", "event-3", "event-4"]);
  });

  it("S3-9 damaged in the revision that carries it, is refused", () => {
    holder.keepWithNext(FIRST, "one");
    bench.commit(holder, "event-2");
    flipByte(bench.revisionPath(id, 2), 200);
    expect(refusal(() => bench.process().store.read(id)).code).toBe("state-corrupt");
  });

  it("is much: it gets its own file at once", () => {
    holder.keepWithNext(FIRST, Buffer.alloc(1024 * 1024, "x"));
    bench.commit(holder, "event-2");
    expect(existsSync(join(bench.shadow(id).kept, FIRST))).toBe(true);
  });
});

describe("S1-18 a log of kept files that is damaged", () => {
  it("is refused, and set aside by a repair", () => {
    holder.release();
    const log = join(bench.shadow(id).pending, numberedName(1));
    flipByte(log, 3);
    expect(refusal(() => bench.acquire(id)).code).toBe("state-corrupt");
    const { doctor, claim } = bench.process();
    const { inferred } = doctor.repair(id, claim, bench.refuseRebuild);
    expect(inferred).toContain("the log of kept files was damaged; it was set aside");
    rmSync(log, { force: true });
    bench.acquire(id).release();
  });
});
