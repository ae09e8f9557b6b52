// Providers that refuse, with real sessions of the scripted agent and a clock that is slept away.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newRunId } from "../../src/core/ids.ts";
import { instantFromMs } from "../../src/core/instant.ts";
import { persist } from "../../src/engine/base/persist.ts";
import { ENGLISH, LimitedRun, refuse } from "../support/limited-run.ts";

const HOUR_MS = 3_600_000;

let scene: LimitedRun;

beforeEach(() => {
  scene = new LimitedRun();
});
afterEach(() => scene.close());

function acquire() {
  const { store, host } = scene.system;
  const run_id = newRunId((count) => host.randomBytes(count));
  return store.acquire(scene.project, { owner: "somebody else", run_id });
}

describe("S3-28 a usage limit with a reset time", () => {
  it("is waited for without a lease, costs no attempt, and the work goes on by itself", async () => {
    const reset = scene.in(2 * HOUR_MS);
    const half = [{ act: "write", path: "half.txt", text: "half\n" }];
    const attempts = [[...half, ...refuse("usage-limit", reset)], ENGLISH];
    const seen = new Set<string>();
    scene.whileAsleep = () => {
      const { state, lease } = scene.snapshot;
      seen.add(`${state.status} ${state.pause?.kind} held=${lease.held}`);
    };
    const view = await scene.run({ agent: scene.agent("a", attempts) });
    expect(view.status.status).toBe("Done");
    expect([...seen]).toEqual(["Paused usage-limit held=false"]);
    // In steps, so that a machine that slept or a clock that was set is noticed.
    expect(Math.max(...scene.slept)).toBe(30);
    const until = instantFromMs(Date.parse(reset) + 60_000);
    expect(scene.told("waiting")).toMatchObject([
      { until, reason: expect.stringMatching(/^scripted:.*: usage-limit met$/) as string },
    ]);
    expect(scene.told("woken")).toHaveLength(1);
    expect(scene.snapshot.state.tasks[0]).toMatchObject({
      status: "done",
      attempts: 2,
      extra_attempts: 1,
    });
    expect(scene.snapshot.state.agent_limits).toEqual([]);
    expect(view.run.sessions).toBe(2);
    expect(view.status.budget.sessions.used).toBe(1);
  });

  it("and a signal while it waits ends at once, still Paused with its time", async () => {
    const agent = scene.agent("a", [refuse("usage-limit", scene.in(HOUR_MS))]);
    scene.whileAsleep = () => scene.stop();
    const view = await scene.run({ agent });
    expect(scene.slept).toHaveLength(1);
    expect(view.why).toMatch(/^SIGINT was received while it waited \(scripted:/);
    expect(view.status).toMatchObject({ status: "Paused", pause: { kind: "usage-limit" } });
    expect(view.next[0]).toMatch(/^stint resume /);
  });

  it("is left to a run that went on with it meanwhile", async () => {
    const agent = scene.agent("a", [refuse("usage-limit", scene.in(HOUR_MS))]);
    let isTaken = false;
    scene.whileAsleep = () => {
      // Held for longer than an answer takes.
      if (!isTaken) acquire();
      isTaken = true;
    };
    await expect(scene.run({ agent })).rejects.toMatchObject({
      code: "lease-held",
      message: expect.stringMatching(
        /^another run continued p-\w+ while this one waited: /,
      ) as string,
    });
  });

  it("goes on waiting when somebody only answered something meanwhile", async () => {
    const agent = scene.agent("a", [refuse("usage-limit", scene.in(HOUR_MS))]);
    let isAnswered = false;
    scene.whileAsleep = () => {
      if (isAnswered) return;
      isAnswered = true;
      const holder = acquire();
      const fact = { at: instantFromMs(scene.system.host.nowMs()), by: "ada" };
      const task_id = holder.state.tasks.at(-1)?.id ?? ("t9" as never);
      persist({ holder }, { kind: "task-skipped", ...fact, task_id, reason: "not needed" });
      holder.release();
    };
    const view = await scene.run({ agent });
    expect(view.why).not.toContain("somebody else changed the project");
    expect(scene.slept.length).toBeGreaterThan(1);
  });

  it("and is not waited for once the project was changed otherwise", async () => {
    const agent = scene.agent("a", [refuse("usage-limit", scene.in(HOUR_MS))]);
    scene.whileAsleep = () => {
      const holder = acquire();
      const fact = { at: instantFromMs(scene.system.host.nowMs()), by: "ada" };
      persist({ holder }, { kind: "abandoned", ...fact, reason: "no longer needed" });
      holder.release();
    };
    const view = await scene.run({ agent });
    expect(view.why).toBe(
      "somebody else changed the project while this run waited (ada: ada abandoned the project: no longer needed); it is Abandoned now",
    );
    expect(scene.slept).toHaveLength(1);
  });
});

describe("a run of a project that is limited", () => {
  const limited = async (): Promise<string> => {
    const attempts = [refuse("usage-limit", scene.in(HOUR_MS)), ENGLISH];
    const agent = scene.agent("a", attempts);
    const view = await scene.run({ agent, wait: false });
    expect(view.status).toMatchObject({ status: "Paused", pause: { kind: "usage-limit" } });
    expect(scene.slept).toEqual([]);
    return agent;
  };

  it("waits for the rest, and starts nothing before", async () => {
    const agent = await limited();
    scene.whileAsleep = () => expect(scene.snapshot.state.counters.sessions).toBe(1);
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Done");
    expect(scene.slept.reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThan(3600);
  });

  it("tries at once with --now", async () => {
    const agent = await limited();
    const view = await scene.run({ agent, now: true });
    expect([view.status.status, scene.slept]).toEqual(["Done", []]);
    expect(scene.kinds).toContain("limits-lifted");
  });

  it("never waits with --no-wait, nor where the settings say so", async () => {
    const agent = await limited();
    expect((await scene.run({ agent, wait: false })).status.status).toBe("Paused");
    scene.write("stint.config.yaml", "wait: false\n");
    expect((await scene.run({ agent })).status.status).toBe("Paused");
    expect([scene.slept, scene.snapshot.state.counters.sessions]).toEqual([[], 1]);
  });

  it("goes on at once with another agent", async () => {
    await limited();
    const view = await scene.run({ agent: scene.agent("b", [ENGLISH]) });
    expect([view.status.status, scene.slept]).toEqual(["Done", []]);
  });
});

describe("a provider that is overloaded", () => {
  it("is asked again ever later, at most forty times, then a person is; no attempt is lost", async () => {
    const agent = scene.agent("a", [refuse("overloaded")]);
    const view = await scene.run({ agent });
    const waits = scene.told("waiting").map(({ until, now }) => {
      // Some of it is over by the time that it is told.
      return Math.round((Date.parse(until) - Date.parse(now)) / 30_000) * 30;
    });
    expect(waits.slice(0, 6)).toEqual([30, 60, 120, 240, 480, 900]);
    expect(waits.slice(6)).toEqual(Array.from({ length: 34 }, () => 900));
    expect(view.status).toMatchObject({
      status: "Blocked",
      blockers: [
        {
          kind: "provider",
          reason: expect.stringMatching(/^refused 41 times in a row: scripted:/) as string,
          unblock: "stint resume",
        },
      ],
      budget: { sessions: { used: 0 } },
    });
    // A person starts it again: the wait is new.
    const again = await scene.run({ agent: scene.agent("a", [ENGLISH]) });
    expect(again.status.status).toBe("Done");
  });
});

it("an agent that is not logged in blocks with its login command, and goes on once a person was there", async () => {
  const agent = scene.agent("a", [refuse("auth"), ENGLISH]);
  const view = await scene.run({ agent });
  expect(view.status).toMatchObject({
    status: "Blocked",
    blockers: [{ kind: "missing-access", unblock: "change the script: it plays this refusal, then: stint resume" }],
  });
  expect(view.next[0]).toBe("change the script: it plays this refusal");
  expect(scene.slept).toEqual([]);
  expect((await scene.run({ agent })).status.status).toBe("Done");
});

it("S3-19 a session that ran out of context is an attempt, and the next one is told to take smaller pieces", async () => {
  const words = [{ act: "say", text: "I was about to write hello.txt" }];
  const attempts = [[...words, ...refuse("context")], ENGLISH];
  const view = await scene.run({ agent: scene.agent("a", attempts) });
  expect(view.status.status).toBe("Done");
  const [task] = scene.snapshot.state.tasks;
  expect([task?.attempts, task?.extra_attempts]).toEqual([2, undefined]);
  const folder = join(scene.root, view.status.project.folder, "logs/sessions/2/brief.md");
  const brief = readFileSync(folder, "utf8");
  expect(brief).toContain("Session 1 ran out of context");
  expect(brief).toContain("Work in smaller pieces");
  expect(brief).toContain("I was about to write hello.txt");
});
