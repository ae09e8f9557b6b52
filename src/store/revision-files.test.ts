import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileBench, type FileProcess } from "../../test/support/file-bench.ts";
import type { ProjectId } from "../core/ids.ts";
import type { Holder } from "./store.ts";

let bench: FileBench;
let id: ProjectId;
let owner: FileProcess;
let holder: Holder;

beforeEach(() => {
  bench = new FileBench();
  id = bench.create(1).project_id;
  owner = bench.process();
  holder = owner.store.acquire(id, owner.claim);
  holder.settle();
});
afterEach(() => bench.close());

function spares(): string[] {
  return readdirSync(bench.shadow(id).states).filter((name) => name.startsWith("spare-"));
}

describe("S3 a revision that was written into a spare", () => {
  it("is there when its number was lost with the power, for readers and for the next owner", () => {
    bench.commit(holder, "event-2");
    bench.commit(holder, "event-3");
    for (const revision of [2, 3]) rmSync(bench.revisionPath(id, revision));
    owner.host.kill();
    expect(bench.process().store.read(id).state.revision).toBe(3);
    const next = bench.acquire(id);
    expect(next.state.revision).toBeGreaterThan(3);
    const kinds = bench
      .process()
      .store.journal(id)
      .map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(["project-created", "event-2", "event-3"]);
    expect(spares()).toEqual([]);
  });

  it("does not count where it was cut: nobody was told of it", () => {
    bench.commit(holder, "event-2");
    const [used = ""] = spares().filter(
      (name) => readFileSync(join(bench.shadow(id).states, name)).length > 0,
    );
    rmSync(bench.revisionPath(id, 2));
    truncateSync(join(bench.shadow(id).states, used), 100);
    writeFileSync(bench.shadow(id).journal, readFileSync(bench.shadow(id).journal).subarray(0, 0));
    expect(bench.process().store.read(id).state.revision).toBe(1);
  });

  it("loses against the same number of a later owner", () => {
    bench.commit(holder, "event-2");
    const name = spares()[0] ?? "";
    const mine = readFileSync(join(bench.shadow(id).states, name));
    owner.host.kill();
    rmSync(bench.revisionPath(id, 2));
    rmSync(join(bench.shadow(id).states, name));
    const journal = readFileSync(bench.shadow(id).journal);
    writeFileSync(bench.shadow(id).journal, journal.subarray(0, journal.indexOf("\n") + 1));
    const next = bench.acquire(id);
    writeFileSync(join(bench.shadow(id).states, name), mine);
    const { state } = bench.process().store.read(id);
    expect(state).toMatchObject({ revision: next.state.revision, fence: next.lease.fence });
  });

  it("leaves no spare behind when the lease is given back", () => {
    bench.commit(holder, "event-2");
    expect(spares().length).toBeGreaterThan(1);
    holder.release();
    expect(spares()).toEqual([]);
    expect(bench.process().store.read(id).state.revision).toBe(2);
  });
});
