import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { faultyFiles } from "../../../test/support/faulty-files.ts";
import { FileBench } from "../../../test/support/file-bench.ts";
import { EPOCH, happening } from "../../../test/support/project-fixture.ts";
import { refusal } from "../../../test/support/refusal.ts";
import { type VirtualProcess, VirtualWorld } from "../../../test/support/virtual-host.ts";
import type { ProjectId } from "../../core/ids.ts";
import { EXPIRY_MS, GIVE_UP_MS, HEARTBEAT_MS } from "../../core/lease-rules.ts";
import { FileStore } from "../../store/file-store.ts";
import { type Files, realFiles } from "../../store/files.ts";
import type { Host } from "../../store/host.ts";
import type { Holder, Store } from "../../store/store.ts";
import { giveBack, keepLease, type KeptLease } from "./lease.ts";

const HOUR_MS = 3_600_000;

let bench: FileBench;
let id: ProjectId;
beforeEach(() => {
  bench = new FileBench();
  id = bench.create(1).project_id;
});
afterEach(() => bench.close());

interface Run {
  readonly host: VirtualProcess;
  readonly holder: Holder;
  readonly kept: KeptLease;
}

function startRun(files: Files = realFiles): Run {
  const { host, store, claim } = bench.process(files);
  const holder = store.acquire(id, claim);
  return { host, holder, kept: keepLease(host, holder) };
}

/** Sees no process of the run: only the heartbeat tells that it lives. */
function elsewhere(): Store {
  return storeOf(bench.machine.start("pid:[2]"));
}

function storeOf(host: Host): Store {
  return new FileStore({ files: realFiles, host, stateHome: bench.stateHome, pages: () => ({}) });
}

function suddenlyFull(): { readonly files: Files; isFull: boolean } {
  const full = faultyFiles(realFiles, { at: 1, lasting: true, effect: "ENOSPC" });
  const disk = {
    isFull: false,
    files: new Proxy(realFiles, {
      get: (_, name: keyof Files) => (disk.isFull ? full : realFiles)[name],
    }),
  };
  return disk;
}

function mayBeTaken(): boolean {
  return !elsewhere().read(id).lease.held;
}

describe("S3-5 a lease that is kept", () => {
  it("is renewed for as long as the run works, so that nobody elsewhere may take it", () => {
    const { kept } = startRun();
    for (let minutes = 0; minutes < 60; minutes += 1) {
      bench.world.advance(60_000);
      expect(mayBeTaken()).toBe(false);
    }
    expect(kept.stopWanted()).toBe(null);
  });

  it("would be taken after a minute if nobody renewed it", () => {
    bench.acquire(id);
    bench.world.advance(EXPIRY_MS);
    expect(mayBeTaken()).toBe(false);
    bench.world.advance(1);
    expect(mayBeTaken()).toBe(true);
  });

  it("is given back once, and not renewed after that", () => {
    const { holder, kept } = startRun();
    bench.world.advance(HOUR_MS);
    giveBack(holder, kept);
    const { lease } = elsewhere().read(id).lease;
    expect(lease?.released_at).not.toBe(null);
    expect(bench.world.beating).toBe(0);
  });

  it("is lost when its machine slept for 48 s: nothing is written or given back from then on", () => {
    const { holder, kept } = startRun();
    bench.world.leap(GIVE_UP_MS - 1);
    expect(kept.stopWanted()).toBe(null);
    bench.world.leap(1);
    expect(kept.stopWanted()).toMatchObject({ reason: "the lease was lost" });
    const loss = kept.loss();
    expect(loss).toMatchObject({
      code: "lease-lost",
      message: `${id}: the lease of ${holder.lease.run_id} was not renewed for 48 s (the machine slept, or the process was stopped); after 60 s another run may take it. Stint ended what was running and wrote nothing since.`,
      hint: `See where it stands: stint status ${id}; then continue: stint resume ${id}`,
    });
    expect(refusal(() => holder.note(happening("late", EPOCH)))).toBe(loss);
    expect(refusal(() => giveBack(holder, kept))).toBe(loss);
    bench.world.advance(HOUR_MS);
    expect(kept.loss()).toBe(loss);
    expect(elsewhere().read(id)).toMatchObject({
      state: { revision: 1 },
      lease: { held: false, lease: { ...holder.lease, released_at: null } },
    });
  });

  it("is lost once another took it, whose clock is not in step", () => {
    const { holder, kept } = startRun();
    const ahead = new VirtualWorld(8, bench.world.nowMs + EXPIRY_MS + 1);
    storeOf(ahead.machine("there").start()).acquire(id, bench.process().claim);
    expect(kept.stopWanted()).toBe(null);
    bench.world.advance(HEARTBEAT_MS);
    expect(kept.stopWanted()).not.toBe(null);
    expect(refusal(() => giveBack(holder, kept))).toMatchObject({
      code: "lease-lost",
      message: expect.stringContaining("was taken over under number 2") as string,
    });
  });

  it("is lost on a disk that takes nothing any more", () => {
    const disk = suddenlyFull();
    const { holder, kept } = startRun(disk.files);
    bench.world.advance(HEARTBEAT_MS);
    disk.isFull = true;
    expect(kept.loss()).toBe(null);
    bench.world.advance(HEARTBEAT_MS);
    expect(refusal(() => giveBack(holder, kept)).code).toBe("state-unwritable");
  });

  it("is lost with any write that failed, by the word of that", () => {
    const disk = suddenlyFull();
    const { holder, kept } = startRun(disk.files);
    disk.isFull = true;
    const why = refusal(() => holder.note(happening("lost", EPOCH)));
    disk.isFull = false;
    bench.world.advance(HEARTBEAT_MS);
    expect(kept.loss()).toBe(why);
  });

  it("is never still worked under where somebody elsewhere may take it", () => {
    const passing = fc.record({ ms: fc.nat(70_000), asleep: fc.boolean() });
    fc.assert(
      fc.property(fc.array(passing, { maxLength: 12 }), (times) => {
        const { host, kept } = startRun();
        for (const { ms, asleep } of times) {
          if (asleep) bench.world.leap(ms);
          else bench.world.advance(ms);
          const isWanted = kept.stopWanted() === null;
          expect(isWanted && mayBeTaken()).toBe(false);
        }
        host.kill();
      }),
      { seed: 1, numRuns: 30 },
    );
  });
});
