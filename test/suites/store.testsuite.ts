// The promises of the store contract, run against every implementation.
import { describe, expect, it } from "vitest";
import { newRunId, type ProjectId } from "../../src/core/ids.ts";
import { StintError } from "../../src/core/stint-error.ts";
import { EPOCH, happening, MANIFEST_TEXT, sampleProject } from "../support/project-fixture.ts";
import { sha256Of } from "../../src/store/digest.ts";
import type { Host } from "../../src/store/host.ts";
import { type Holder, keptPath, type Store } from "../../src/store/store.ts";

/** One process with its own store over the disk that all processes of a bench share. */
export interface BenchProcess {
  readonly store: Store;
  readonly host: Host;
  /** The process is gone without giving anything back. */
  die(): void;
}

export interface Bench {
  readonly root: string;
  process(): BenchProcess;
  advance(ms: number): void;
  close(): void;
}

export function storeSuite(name: string, openBench: () => Bench): void {
  const withBench = (run: (bench: Bench) => void): void => {
    const bench = openBench();
    try {
      run(bench);
    } finally {
      bench.close();
    }
  };

  describe(`${name} keeps the store contract`, () => {
    it("S1-2 S1-21 creates a project that its id alone finds", () => {
      withBench((bench) => {
        const { store, host } = bench.process();
        const created = store.create(sampleProject(bench.root, (n) => host.randomBytes(n)));
        const id = created.entry.project_id;
        expect(bench.process().store.find(id)).toEqual(created.entry);
        expect(bench.process().store.list()).toEqual([created.entry]);
        expect(bench.process().store.wasCutShort(id)).toBe(false);
        expect(created.state).toMatchObject({ revision: 1, project_id: id, slug: "prompt" });
      });
    });

    it("S1-17 refuses to create the project of a manifest again", () => {
      withBench((bench) => {
        const id = create(bench);
        const error = refusal(() => create(bench));
        expect(error.code).toBe("bad-input");
        expect(error.message).toContain(`prompt.md already has a project: ${id}`);
        expect(bench.process().store.list()).toHaveLength(1);
      });
    });

    it("gives a second manifest of the same stem a slug of its own", () => {
      withBench((bench) => {
        create(bench);
        const { store, host } = bench.process();
        const other = store.create(
          sampleProject(bench.root, (n) => host.randomBytes(n), { manifest: "b/prompt.md" }),
        );
        expect(other.state.slug).toMatch(/^prompt-[0-9a-f]{4}$/);
      });
    });

    it("S3-23 commits a revision that every other process reads whole", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        const written = holder.commit(
          { ...holder.state, next_action: "b" },
          happening("one", EPOCH),
        );
        expect(written).toMatchObject({ revision: 2, next_action: "b", fence: 1 });
        expect(holder.state).toBe(written);
        expect(bench.process().store.read(id).state).toEqual(written);
      });
    });

    it("S4-3 keeps one journal line per revision, the last of them in the state", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        holder.commit(holder.state, happening("one", EPOCH + 1));
        holder.note(happening("two", EPOCH + 2, { why: "because" }));
        const { store } = bench.process();
        const lines = store.journal(id);
        expect(lines.map((line) => [line.revision, line.type, line.kind])).toEqual([
          [1, "event", "project-created"],
          [2, "event", "one"],
          [3, "fact", "two"],
        ]);
        expect(store.read(id).state.last_event).toEqual(lines[2]);
        expect(store.journal(id, 1)).toEqual([lines[2]]);
      });
    });

    it("keeps fields it does not know", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        const next = { ...holder.state, from_the_future: { kept: true } };
        holder.commit(next, happening("one", EPOCH));
        expect(bench.process().store.read(id).state).toMatchObject({
          from_the_future: { kept: true },
        });
      });
    });

    it("S3-5 gives the lease to one owner only, and says who has it", () => {
      withBench((bench) => {
        const id = create(bench);
        const first = acquire(bench.process(), id);
        const error = refusal(() => acquire(bench.process(), id));
        expect(error.code).toBe("lease-held");
        expect(error.message).toContain(`${id} is held by ${first.lease.run_id}`);
        expect(bench.process().store.read(id).lease).toMatchObject({ held: true });
      });
    });

    it("takes the lease with a higher fencing number each time", () => {
      withBench((bench) => {
        const id = create(bench);
        const fences = [1, 2, 3].map(() => {
          const holder = acquire(bench.process(), id);
          holder.release();
          return holder.lease.fence;
        });
        expect(fences).toEqual([1, 2, 3]);
        expect(bench.process().store.read(id).state.revision).toBe(1);
      });
    });

    it("takes over from a dead owner at once, and fences it off with a revision that says so", () => {
      withBench((bench) => {
        const id = create(bench);
        const victim = bench.process();
        const dead = acquire(victim, id);
        victim.die();
        const holder = acquire(bench.process(), id);
        expect(holder.lease.fence).toBe(2);
        expect(holder.state.last_event).toMatchObject({
          kind: "lease-taken-over",
          type: "fact",
          data: { predecessor: dead.lease.run_id },
        });
        expect(refusal(() => dead.commit(dead.state, happening("late", EPOCH))).code).toBe(
          "lease-lost",
        );
        expect(bench.process().store.read(id).state).toEqual(holder.state);
      });
    });

    it("never takes the lease from a living owner of this host, however late its heartbeat", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        bench.advance(30 * 24 * 3_600_000);
        expect(refusal(() => acquire(bench.process(), id)).code).toBe("lease-held");
        holder.commit(holder.state, happening("still-here", EPOCH));
      });
    });

    it("writes nothing more after the lease was given back", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        holder.release();
        holder.release();
        expect(refusal(() => holder.commit(holder.state, happening("late", EPOCH))).code).toBe(
          "lease-lost",
        );
        expect(refusal(() => holder.note(happening("late", EPOCH))).code).toBe("lease-lost");
        expect(bench.process().store.read(id).state.revision).toBe(1);
      });
    });

    it("writes and releases nothing once its holder has given up, and says why each time", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        const why = new StintError("lease-lost", "overdue", "stint status");
        holder.giveUp(why);
        holder.giveUp(new StintError("lease-lost", "later", "stint status"));
        const late = happening("late", EPOCH);
        const acts = [
          () => holder.commit(holder.state, late),
          () => holder.note(late),
          () => holder.keepManifest("late"),
          () => holder.keep(keptPath("late.json"), "late"),
          () => holder.renew(),
        ];
        for (const act of acts) expect(refusal(act)).toBe(why);
        holder.release();
        expect(bench.process().store.read(id)).toMatchObject({
          state: { revision: 1 },
          lease: { held: true, lease: { released_at: null } },
        });
      });
    });

    it("renews the heartbeat", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        const before = holder.lease.heartbeat_at;
        bench.advance(10_000);
        holder.renew();
        expect(Date.parse(holder.lease.heartbeat_at)).toBe(Date.parse(before) + 10_000);
        expect(bench.process().store.read(id).lease.lease).toEqual(holder.lease);
      });
    });

    it("keeps the manifest text of a project under its digest", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        const digest = holder.keepManifest("new text");
        expect(digest).toBe(sha256Of("new text"));
        const { store } = bench.process();
        expect(store.manifestText(id, digest)).toBe("new text");
        expect(store.manifestText(id, sha256Of(MANIFEST_TEXT))).toBe(MANIFEST_TEXT);
      });
    });

    it("keeps evidence under its path, and gives it back to every reader", () => {
      withBench((bench) => {
        const id = create(bench);
        const holder = acquire(bench.process(), id);
        const path = keptPath("artifacts", "evidence", "t1", 1, "1-command.json");
        holder.keep(path, "first");
        holder.keep(path, "second");
        const { store } = bench.process();
        expect(store.kept(id, path)?.toString("utf8")).toBe("second");
        expect(store.kept(id, keptPath("artifacts", "none.json"))).toBeUndefined();
        const picture = keptPath("artifacts", "evidence", "t1", 1, "1-browser.png");
        holder.keep(picture, Uint8Array.of(0x89, 0x50, 0xff, 0x00));
        expect(store.kept(id, picture)).toEqual(Buffer.from("8950ff00", "hex"));
      });
    });

    it("refuses a path for a kept file that could leave the project folder", () => {
      for (const names of [["..", "x"], ["/etc/passwd"], ["a//b"], [".hidden"], ["a", "b c"]]) {
        expect(() => keptPath(...names)).toThrow("is not a valid path for a kept file");
      }
    });

    it("forgets a project, after which nobody finds it", () => {
      withBench((bench) => {
        const id = create(bench);
        bench.process().store.forget(id);
        bench.process().store.forget(id);
        expect(bench.process().store.list()).toEqual([]);
        expect(bench.process().store.find(id)).toBeUndefined();
        expect(refusal(() => bench.process().store.read(id)).code).toBe("not-found");
      });
    });

    it("says that an unknown id is not there", () => {
      withBench((bench) => {
        const error = refusal(() => bench.process().store.read("p-0000000000" as ProjectId));
        expect(error).toMatchObject({
          code: "not-found",
          message: "there is no project p-0000000000",
          hint: "See all projects: stint list",
        });
      });
    });
  });
}

function create(bench: Bench): ProjectId {
  const { store, host } = bench.process();
  return store.create(sampleProject(bench.root, (n) => host.randomBytes(n))).entry.project_id;
}

function acquire(process: BenchProcess, id: ProjectId): Holder {
  const run_id = newRunId((n) => process.host.randomBytes(n));
  return process.store.acquire(id, { owner: "stint", run_id });
}

function refusal(act: () => unknown): StintError {
  try {
    act();
  } catch (error) {
    if (error instanceof StintError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}
