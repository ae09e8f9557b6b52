import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ENGLISH, LimitedRun, refuse } from "../../../test/support/limited-run.ts";
import { required } from "../../../test/support/project-fixture.ts";
import { parseAnswerId } from "../../core/ids.ts";
import { persist } from "../../engine/base/persist.ts";
import { type Files, realFiles } from "../../store/files.ts";
import { WatchFiles } from "../../store/watch-files.ts";
import { nowOf, type System } from "../system.ts";
import { tick } from "./tick.ts";
import { tickUntilQuiet } from "./watchdog.ts";

const TICK_MS = 300_000;
const GATED = `## Goal
Say hello.

## Steps
- [ ] english - Write hello.txt
  - approve: before
  - check: file hello.txt
`;

let world: LimitedRun;
/** Why each run was started that a tick wanted. */
let started: string[];

beforeEach(() => {
  world = new LimitedRun();
  started = [];
});
afterEach(() => world.close());

/** One tick, with what it said. */
async function ticked(system: System = world.system): Promise<string[]> {
  const { acts } = await tick(system, {
    recover(_system, _files, { why }) {
      started.push(why);
      return null;
    },
  });
  return acts.map(({ act }) => act);
}

/** The same system, with other files under the watchdog. */
function over(files: Files): System {
  const { host, stateHome } = world.system;
  return { ...world.system, watchFiles: async () => new WatchFiles(files, host, stateHome) };
}

function forgetAll(): void {
  rmSync(join(world.system.stateHome, "watchdog"), { recursive: true, force: true });
}

const agent = (): string => world.agent("agent", [ENGLISH, ENGLISH, ENGLISH]);

describe("a tick", () => {
  it("that is killed at any point is made up for by the next ones, and starts no run twice", async () => {
    await world.killed({ agent: agent() });
    class Killed extends Error {}
    let isAtItsEnd = false;
    let points = 0;
    for (let at = 1; !isAtItsEnd; at += 1) {
      forgetAll();
      started = [];
      let calls = 0;
      // oxlint-disable-next-line no-loop-func
      const dying = new Proxy(realFiles, {
        get: (files, name: keyof Files) =>
          function call(...words: never[]): unknown {
            calls += 1;
            if (calls === at) throw new Killed();
            return Reflect.apply(files[name], files, words);
          },
      });
      // oxlint-disable-next-line no-await-in-loop
      const said = await ticked(over(dying)).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      isAtItsEnd = said !== undefined;
      points = at;
      expect(started.length).toBeLessThanOrEqual(1);
      const before = started.length;
      // Before its process could be known it may be starting up: for a minute nobody starts another.
      // oxlint-disable-next-line no-await-in-loop
      await ticked();
      expect(started.length).toBeLessThanOrEqual(1);
      world.pass(TICK_MS);
      // oxlint-disable-next-line no-await-in-loop
      await ticked();
      expect(started.length).toBeGreaterThanOrEqual(1);
      expect(started.length).toBeLessThanOrEqual(before + 1 + (before === 0 ? 1 : 0));
    }
    expect(points).toBeGreaterThan(30);
  });

  it("starts one run where five tick at once", async () => {
    await world.killed({ agent: agent() });
    const said = await Promise.all(Array.from({ length: 5 }, async () => await ticked()));
    expect(said.flat()).toEqual(["resume"]);
    expect(started).toHaveLength(1);
  });

  it("starts none where another one remembered its recovery in between", async () => {
    await world.killed({ agent: agent() });
    const { host, stateHome } = world.system;
    const other = new WatchFiles(realFiles, host, stateHome);
    class Later extends WatchFiles {
      override beginRecovery(...recovery: Parameters<WatchFiles["beginRecovery"]>): boolean {
        expect(other.beginRecovery(...recovery)).toBe(true);
        return super.beginRecovery(...recovery);
      }
    }
    const later = async () => new Later(realFiles, host, stateHome);
    expect(await ticked({ ...world.system, watchFiles: later })).toEqual([]);
    expect(started).toEqual([]);
  });

  it("reads nothing of a project that it knows to be quiet, until something changes or its time comes", async () => {
    await world.run({ agent: agent(), sessions: 1 });
    const opened: string[] = [];
    const counting: Files = {
      ...realFiles,
      open(path, ...more) {
        opened.push(path);
        return realFiles.open(path, ...more);
      },
    };
    const shadow = join(world.system.stateHome, "shadows");
    const readOf = async () => {
      opened.length = 0;
      await ticked(over(counting));
      return opened.filter((path) => path.startsWith(shadow)).length;
    };
    expect(await readOf()).toBeGreaterThan(0);
    expect(await readOf()).toBe(0);
    const holder = world.system.store.acquire(world.project, {
      owner: "ada",
      run_id: "r-0000000000" as never,
    });
    holder.release();
    expect(await readOf()).toBeGreaterThan(0);
    expect(await readOf()).toBe(0);
  });

  it("S3-37 goes on with an answer that no run took up, and with nothing before", async () => {
    world.write("prompt.md", GATED);
    await world.run({ agent: agent(), wait: false });
    expect(await ticked()).toEqual([]);
    const [item] = world.snapshot.state.approval_items;
    const { id, subject_sha256 } = required(item);
    world.system.mailbox.drop(world.project, {
      id: required(parseAnswerId("n-0123456789")),
      answer: { verb: "approve", item: id, subject_sha256 },
      by: "ada",
      channel: "cli",
      at: nowOf(world.system),
    });
    expect(await ticked()).toEqual(["resume"]);
    expect(started).toEqual(["a person's answer waits to be applied"]);
    const [why = ""] = started;
    const target = world.project;
    const { status } = await world.run({ target, resumes: true, unattended: why, wait: false });
    expect(status.status).toBe("Done");
  });

  it("S3-36 says once what no run can help with", async () => {
    await world.killed({ agent: agent() });
    const leases = join(world.system.stateHome, "shadows", world.project, "lease");
    const { lease } = world.snapshot.lease;
    const path = join(leases, `${String(lease?.fence).padStart(12, "0")}.json`);
    writeFileSync(path, "{");
    expect(await ticked()).toEqual(["look"]);
    expect(await ticked()).toEqual([]);
    expect(started).toEqual([]);
  });

  it("S3-36 says once that the work tree is gone", async () => {
    await world.killed({ agent: agent() });
    rmSync(world.root, { recursive: true });
    expect(await ticked()).toEqual(["look"]);
    expect(await ticked()).toEqual([]);
  });
});

describe("the tick beside a run that was killed", () => {
  const HOUR_MS = 3_600_000;
  const { signal } = new AbortController();

  async function stay(): Promise<void> {
    await tickUntilQuiet(world.system, world.project, {
      signal,
      tell() {},
      recover(_system, _files, { why, runsWait }) {
        started.push(`${why}${runsWait ? ", and waits itself from then on" : ""}`);
        return null;
      },
    });
  }

  beforeEach(async () => {
    const limited = world.agent("limited", [refuse("usage-limit", world.in(5 * HOUR_MS))]);
    await world.run({ agent: limited, wait: false });
    world.slept.length = 0;
  });

  const slept = (): number => Math.round(world.slept.reduce((sum, each) => sum + each, 0) / 3600);

  it("waits for the limit that the run had waited for, then goes on, and ends", async () => {
    const until = world.snapshot.state.pause?.resume_at;
    await stay();
    expect(started).toEqual([`its pause was over at ${until}, and waits itself from then on`]);
    expect(slept()).toBe(5);
  });

  it("ends where a person stops the project meanwhile", async () => {
    world.whileAsleep = () => {
      world.whileAsleep = () => {};
      const holder = world.system.store.acquire(world.project, {
        owner: "ada",
        run_id: "r-0000000001" as never,
      });
      const fact = { at: nowOf(world.system), by: "ada" };
      persist({ holder }, { kind: "paused", ...fact, pause: { kind: "requested", reason: "no" } });
      holder.release();
    };
    await stay();
    expect([started, slept()]).toEqual([[], 0]);
  });
});

describe("a person", () => {
  const told = (): string[] => {
    const file = join(world.path, "told");
    return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  };

  beforeEach(() => {
    const script = join(world.path, "tell.sh");
    writeFileSync(script, `#!/bin/sh\ncat >>${join(world.path, "told")}\n`, { mode: 0o755 });
    world.write("stint.config.yaml", `isolation: off\nnotify: { command: [${script}] }\n`);
  });

  it("S3-36 is told once, by the notices that there are, after two recoveries of which nothing came", async () => {
    await world.killed({ agent: agent() });
    const all: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      // oxlint-disable-next-line no-await-in-loop
      all.push(...(await ticked()));
      world.pass(TICK_MS);
    }
    expect(all).toEqual(["resume", "resume", "escalate"]);
    expect(told().map((line) => JSON.parse(line) as object)).toMatchObject([
      { kind: "paused", next: `stint resume ${world.project}` },
    ]);
    expect(world.snapshot.state.pause).toMatchObject({ kind: "interruption" });
  });

  it("is told also where the tick was killed right after it had paused the project", async () => {
    await world.killed({ agent: agent() });
    // A run has been here before: what it has seen is kept.
    const files = await world.system.watchFiles();
    const why = "nothing came of it";
    files.beginEscalation(world.project, why);
    const holder = world.system.store.acquire(world.project, {
      owner: "ada",
      run_id: "r-0000000001" as never,
    });
    const fact = { at: nowOf(world.system), by: holder.state.owner_agent };
    persist({ holder }, { kind: "paused", ...fact, pause: { kind: "interruption", reason: why } });
    holder.release();
    expect(await ticked()).toEqual(["escalate"]);
    expect(told()).toHaveLength(1);
    expect(await ticked()).toEqual([]);
    expect(told()).toHaveLength(1);
  });
});
