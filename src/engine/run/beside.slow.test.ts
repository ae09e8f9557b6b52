// Sessions beside each other: what they come to, in whatever order, and that a crash after any effect of any of them
// changes nothing of it.
import { afterAll, describe, expect, it } from "vitest";
import { type Behaviour, EngineWorld, type Scenario } from "../../../test/support/engine-world.ts";
import { crashPoints } from "../../../test/support/kill-window.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = temporaryFolder();

afterAll(() => folder.remove());

type Planned = Scenario["tasks"][number];

/** It waits for no other. */
const free = (behaviours: Behaviour | readonly Behaviour[], ...keys: string[]): Planned => ({
  kind: "session",
  behaviours: [behaviours].flat(),
  keys: ["after: none", ...keys],
});

const last: Planned = { kind: "act", succeeds: true, hasCheck: true };

const SCENARIOS: readonly [name: string, scenario: Omit<Scenario, "batch">][] = [
  [
    "two lanes and three tasks, whose boxes their sessions check",
    {
      tasks: [free("works-and-flips"), free("works"), free("works-flips-and-commits")],
      parallel: 2,
      isTracked: true,
    },
  ],
  [
    "three lanes, a task that fails first, and an act that waits for all",
    { tasks: [free("works"), free(["nothing", "works"]), free("works"), last], parallel: 3 },
  ],
  [
    "one that must be alone, between others",
    { tasks: [free("works"), free("works", "exclusive"), free("works")], parallel: 3 },
  ],
  [
    "two that leave what no commit can hold",
    {
      tasks: [free(["works-uncommittably", "works"]), free(["works-uncommittably", "works"])],
      parallel: 2,
    },
  ],
  [
    "three that write into the same file",
    { tasks: [free("signs"), free("signs"), free("signs")], parallel: 3 },
  ],
  [
    "a manifest that no commit holds, and notes of sessions in it",
    { tasks: [free("works-and-flips"), free("lies"), free("works-and-flips")], parallel: 3 },
  ],
  ["one that asks, beside one that works", { tasks: [free("asks"), free("works")], parallel: 2 }],
];

/** Whatever the order in which they end, and however often they were begun. */
function outcome(world: EngineWorld) {
  return {
    status: world.state.status,
    tasks: world.state.tasks.map(({ name, status }) => `${name} ${status}`),
    paths: Object.keys(world.files),
    signedTwice: world.files["names.js"]?.match(/(n\d) .*\1/u) ?? null,
    boxes: world.manifest.match(/\[.\]/gu),
    commits: world.commits.map(({ subject }) => subject).toSorted(),
    questions: world.state.questions.map(({ text }) => text),
    hasMarker: world.hasMarker,
    out: world.state.dispatches.filter(({ status }) => status === "sent"),
    violations: world.violations,
  };
}

/** No session starts where its output was verified, and none where it lies in its own lane. */
function redone(world: EngineWorld): string[] {
  return world.executed.filter(({ outputExisted }) => outputExisted).map(({ task }) => task);
}

describe("S4-3 S4-15 sessions beside each other", () => {
  it.each(SCENARIOS)("%s: a crash after any effect changes nothing", async (_, given) => {
    const scenario = { ...given, batch: 1 };
    const whole = new EngineWorld(scenario, folder.path);
    const effects = await whole.run();
    const wanted = outcome(whole);
    expect(wanted).toMatchObject({ violations: [], hasMarker: false, out: [] });
    expect(effects).toBeGreaterThan(10);
    const failures: string[] = [];
    for (const crashAt of crashPoints(effects)) {
      const world = new EngineWorld(scenario, folder.path);
      try {
        await world.run({ crashAt });
        await world.run();
        const isAsked = world.state.blockers.some(({ reason }) => reason.includes("is unknown"));
        if (isAsked) await world.run({ retry: true });
        expect(outcome(world)).toEqual(wanted);
        // What others changed as well is worked on again, although its own check passes.
        if (!("names.js" in world.files)) expect(redone(world)).toEqual([]);
      } catch (error) {
        failures.push(`crash ${crashAt}: ${String(error).slice(0, 400)}`);
      }
    }
    expect(failures.slice(0, 5)).toEqual([]);
  });

  it("that leave what no commit can hold take nothing back of what others committed meanwhile", async () => {
    const tasks = [free(["works-uncommittably", "works"]), free("works")];
    const world = new EngineWorld({ tasks, batch: 1, parallel: 2 }, folder.path);
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.files).toEqual({ "n1.js": "done", "n2.js": "done" });
  });

  it("that a kill left out are taken back by a run with one session after another", async () => {
    const scenario = { tasks: [free("works"), free("works")], batch: 1, parallel: 2 };
    const whole = new EngineWorld(scenario, folder.path);
    const effects = await whole.run();
    for (const crashAt of crashPoints(effects)) {
      const world = new EngineWorld(scenario, folder.path);
      await world.run({ crashAt });
      await world.run({ parallel: 1 });
      expect(outcome(world)).toEqual(outcome(whole));
    }
  });

  it.each([
    ["for six minutes is looked at", 6 * 60_000, "checkpoint-moved", 1],
    ["for longer than a day is given up, and tried again", 25 * 3_600_000, "dispatch-timed-out", 2],
  ])("of which one works %s", async (_, ms, kind, attempts) => {
    const world = new EngineWorld(
      { tasks: [free("works"), free("works")], batch: 1, parallel: 2 },
      folder.path,
    );
    world.whileWorking = (name) => {
      if (name === "n1") world.pass(ms);
      world.whileWorking = () => {};
    };
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.journal.map((line) => line.kind)).toContain(kind);
    expect(world.state.tasks[1]).toMatchObject({ attempts });
  });

  it("are at work at the same time", async () => {
    const world = new EngineWorld(
      { tasks: [free("works"), free("works"), free("works")], batch: 1, parallel: 3 },
      folder.path,
    );
    let most = 0;
    world.whileWorking = () => {
      const out = world.state.dispatches.filter(({ status }) => status === "sent");
      most = Math.max(most, out.length);
    };
    await world.run();
    expect([world.state.status, most]).toEqual(["Done", 3]);
    expect(world.state.counters).toMatchObject({ sessions: 3, attempts: 3, dispatches: 3 });
  });

  it("share what is left of the budgets: together they spend no more than one after another", async () => {
    const tasks = [free("works"), free("works"), free("works")];
    const settings = "budgets: { tokens: 1000, wall: 100h }";
    const scenario = { tasks, settings, batch: 1, parallel: 2 };
    const world = new EngineWorld(scenario, folder.path);
    await world.run();
    expect(world.state.status).toBe("Done");
    // Two begin with half of it each; the third, which is alone by then, has all that they left.
    expect(world.allowances.map(({ tokens }) => tokens)).toEqual([500, 500, 980]);
  });

  it("are as few as may be", async () => {
    const tasks = [free("works"), free("works"), free("works"), free("works")];
    const world = new EngineWorld({ tasks, batch: 1, parallel: 2 }, folder.path);
    let most = 0;
    world.whileWorking = () => {
      const out = world.state.dispatches.filter(({ status }) => status === "sent");
      most = Math.max(most, out.length);
    };
    await world.run();
    expect([world.state.status, most]).toEqual(["Done", 2]);
  });

  it("leave one alone that must be: nothing is out while it works, and nothing begins before it", async () => {
    const tasks = [free("works"), free("works", "exclusive"), free("works")];
    const world = new EngineWorld({ tasks, batch: 1, parallel: 3 }, folder.path);
    const begun: string[] = [];
    world.whileWorking = (task) => {
      begun.push(task);
      const out = world.state.dispatches.filter(({ status }) => status === "sent");
      if (task === "n2") expect(out).toEqual([]);
    };
    await world.run();
    expect([world.state.status, begun]).toEqual(["Done", ["n1", "n2", "n3"]]);
  });

  it("that change the same: the later one has its attempt given back, is told both sides, and puts them together", async () => {
    const world = new EngineWorld(
      { tasks: [free("signs"), free("signs"), free("works")], batch: 1, parallel: 3 },
      folder.path,
    );
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.files["names.js"]).toBe("n1 n2 ");
    expect(world.state.tasks).toMatchObject([
      { attempts: 1 },
      { attempts: 2, extra_attempts: 1, last_failure: { check: "the branch changed meanwhile" } },
      { attempts: 1 },
    ]);
    const told = world.briefs.at(-1);
    expect(told).toContain("A parallel session changed the same lines of names.js.");
    expect(told).toContain("Your task's version of them is kept; see: git show");
  });

  it("that are stopped are all ended and collected, and then the run is paused", async () => {
    const world = new EngineWorld(
      { tasks: [free("works"), free("works")], batch: 1, parallel: 2 },
      folder.path,
    );
    let isStopping = false;
    world.whileWorking = () => void (isStopping = true);
    await world.run({ stopWanted: () => isStopping });
    expect(world.state).toMatchObject({ status: "Paused", pause: { kind: "signal" } });
    expect(world.state.dispatches.map(({ status }) => status)).toEqual(["returned", "returned"]);
    await world.run();
    expect(world.state.status).toBe("Done");
  });

  it("finish what they are at before a pause, and nothing new begins", async () => {
    const tasks = [free("works"), free("works"), free("works")];
    const world = new EngineWorld({ tasks, batch: 1, parallel: 2 }, folder.path);
    let isPausing = false;
    world.whileWorking = () => void (isPausing = true);
    await world.run({ pauseWanted: () => isPausing });
    expect(world.state.status).toBe("Paused");
    expect(world.state.tasks.map(({ status }) => status)).toEqual(["done", "done", "pending"]);
  });
});
