// A run whose session, check, hook, act or push takes longer than a lease lasts, with real processes and
// a clock that the test moves; and one that loses its lease meanwhile.
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Interrupted } from "../../src/core/stint-error.ts";
import { newRunId } from "../../src/core/ids.ts";
import { EXPIRY_MS, GIVE_UP_MS, HEARTBEAT_MS } from "../../src/core/lease-rules.ts";
import type { RunView } from "../../src/core/schema/views.ts";
import type { RunInput } from "../../src/operations/run/run-settings.ts";
import { FileStore } from "../../src/store/file-store.ts";
import { realFiles } from "../../src/store/files.ts";
import type { Host } from "../../src/store/host.ts";
import type { Holder, Store } from "../../src/store/store.ts";
import { git } from "../support/git.ts";
import { type HeldProgram, heldProgram } from "../support/held-program.ts";
import { LimitedRun } from "../support/limited-run.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { VirtualWorld } from "../support/virtual-host.ts";

const MINUTE_MS = 60_000;

/** Everything that may take its time in a run. */
const PLACES = ["check", "session", "act", "hook", "push"] as const;
type Place = (typeof PLACES)[number];

let folder: TemporaryFolder;
let world: VirtualWorld;
let held: HeldProgram;
let scene: LimitedRun;

beforeEach(async () => {
  folder = temporaryFolder();
  world = new VirtualWorld(1, Date.now());
  held = await heldProgram(join(folder.path, "held.cjs"));
});
afterEach(() => {
  held.close();
  scene.close();
  folder.remove();
});

/** A run that comes to the program and stays there. */
function startRun(
  place: Place,
  host: Host = world.machine("here").start(),
  input: Partial<RunInput> = {},
): Promise<RunView> {
  const check = place === "check" ? `test -e hello.txt && ${held.command}` : "test -e hello.txt";
  const act = place === "act" ? `\n  - run: \`touch hello.txt && ${held.command}\`` : "";
  scene = new LimitedRun(
    // A clone would come to the program once more.
    `---\nproof: never\n---\n\n## Goal\nSay hello.\n\n## Steps\n- [ ] Write hello.txt${act}\n  - check: \`${check}\`\n`,
    host,
  );
  if (place === "hook") addHook("pre-commit");
  if (place === "push") {
    const remote = join(folder.path, "remote.git");
    git(scene.root, "init", "-q", "--bare", remote);
    git(scene.root, "remote", "add", "origin", remote);
    git(scene.root, "commit", "-q", "--allow-empty", "-m", "Begin");
    git(scene.root, "push", "-q", "-u", "origin", "HEAD");
    addHook("pre-push");
  }
  const agent = join(folder.path, "agent.sh");
  const then = place === "session" ? held.command : ":";
  writeFileSync(agent, `touch hello.txt\n${then}\n`);
  return scene.run({ agent: `command:sh ${agent}`, deliver: "checkout", ...input });
}

function addHook(name: string): void {
  const file = join(scene.root, ".git", "hooks", name);
  writeFileSync(file, `#!/bin/sh\n${held.command}\n`);
  chmodSync(file, 0o755);
}

/** Sees no process of the run; `aheadMs`: its clock is not in step. */
function elsewhere(aheadMs = 0): Store {
  const there = aheadMs === 0 ? world : new VirtualWorld(2, world.nowMs + aheadMs);
  const host = there.machine("there").start();
  const { stateHome } = scene.system;
  return new FileStore({ files: realFiles, host, stateHome, pages: () => ({}) });
}

function take(store: Store): Holder {
  const run_id = newRunId((count) => world.dice.bytes(count));
  return store.acquire(scene.project, { owner: "somebody else", run_id });
}

const revision = (): number => scene.system.store.read(scene.project).state.revision;

describe.each(PLACES)("S3-5 a %s that lasts longer than a lease", (place) => {
  it("keeps it: nobody elsewhere can take it, and the work comes to its end", async () => {
    const running = startRun(place);
    await held.there;
    for (let seconds = 0; seconds < 300; seconds += 50) {
      world.advance(50_000);
      expect(() => take(elsewhere())).toThrow(/ is held by .* renewed it at /);
    }
    held.letGo();
    expect((await running).status.status).toBe("Done");
    expect(world.beating).toBe(0);
  });

  it("is ended when the lease is taken, and nothing is concluded from it", async () => {
    const running = startRun(place);
    await held.there;
    const other = take(elsewhere(EXPIRY_MS + 1));
    const before = revision();
    world.advance(HEARTBEAT_MS);
    await expect(running).rejects.toMatchObject({
      code: "lease-lost",
      message: expect.stringMatching(/was taken over under number \d+\. Nothing was written\.$/),
    });
    await held.gone;
    expect(revision()).toBe(before);
    expect(other.state.status).not.toBe("Done");
    other.renew();
  });

  it("is ended after a sleep of the machine, before anybody can have taken the lease", async () => {
    const running = startRun(place);
    await held.there;
    const before = revision();
    world.leap(GIVE_UP_MS);
    await expect(running).rejects.toMatchObject({
      code: "lease-lost",
      message: expect.stringContaining("was not renewed for 48 s"),
    });
    await held.gone;
    expect(revision()).toBe(before);
    expect(() => take(elsewhere())).toThrow("is held by");
    world.advance(EXPIRY_MS);
    expect(take(elsewhere()).state.status).not.toBe("Done");
  });
});

describe("a run of which nobody renews the lease while it checks", () => {
  it("would lose it: what the heartbeat prevents", async () => {
    const host = world.machine("here").start();
    const silent: Host = {
      nowMs: () => host.nowMs(),
      randomBytes: (count) => host.randomBytes(count),
      sleep: async (ms, signal) => await host.sleep(ms, signal),
      every: () => () => {},
      self: () => host.self(),
      processState: (pid, start) => host.processState(pid, start),
    };
    const running = startRun("check", silent);
    await held.there;
    world.advance(100_000);
    expect(take(elsewhere()).lease.fence).toBeGreaterThan(1);
    await expect(running).rejects.toMatchObject({ code: "lease-lost" });
  });
});

describe("a run that loses its lease before its first round", () => {
  it("says so, whatever else went wrong because of it", async () => {
    const tell = (): never => {
      world.leap(GIVE_UP_MS);
      throw new Interrupted("the setup was ended");
    };
    await expect(startRun("check", world.machine("here").start(), { tell })).rejects.toMatchObject({
      code: "lease-lost",
    });
    expect(world.beating).toBe(0);
  });
});

describe("S3-26 while something takes its time", () => {
  it.each([
    ["check", /^checking \S+ "Write hello.txt"$/],
    ["session", /^session 1 is at work$/],
    ["hook", /^still at work; next: /],
  ] as const)("in a %s, something is said at least every five minutes", async (place, words) => {
    const running = startRun(place);
    await held.there;
    const before = scene.news.length;
    world.advance(61 * MINUTE_MS);
    const said = scene.news.slice(before);
    expect(said).toHaveLength(12);
    for (const news of said) {
      expect(news).toMatchObject({ kind: "notice", text: expect.stringMatching(words) });
    }
    expect(scene.kinds.filter((kind) => kind === "status-update")).toHaveLength(12);
    held.letGo();
    expect((await running).status.status).toBe("Done");
    expect(existsSync(join(scene.root, "hello.txt"))).toBe(true);
  });
});
