// The engine crashed after its effects, in memory: after every single one where everything is asked for (npm run
// test:all), else after an even sample. Random manifests, agents and crashes shrink to the smallest that breaks a promise.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  type Behaviour,
  EngineWorld,
  type PlannedTask,
  type Scenario,
} from "../../../test/support/engine-world.ts";
import { crashPoints } from "../../../test/support/kill-window.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = temporaryFolder();

afterAll(() => folder.remove());

const isWhole = process.env["STINT_ALL_KILL_POINTS"] !== undefined;

type SessionTask = Extract<PlannedTask, { kind: "session" }>;
const session = (...behaviours: Behaviour[]): SessionTask => ({ kind: "session", behaviours });
const act = (succeeds = true, hasCheck = true): PlannedTask => ({
  kind: "act",
  succeeds,
  hasCheck,
});

/** Everything of a project that no crash may change. */
function outcome(world: EngineWorld) {
  return {
    status: world.state.status,
    tasks: world.state.tasks.map(({ name, status, labels }) =>
      [name, status, ...(labels ?? [])].join(" "),
    ),
    files: world.files,
    manifest: world.manifest,
    commits: world.commits.map(({ subject, tasks, files }) => ({ subject, tasks, files })),
    questions: world.state.questions.map(({ text }) => text),
    approvals: world.state.approval_items.map(({ subject }) => subject),
    givenUp: world.state.blockers
      .map(({ reason }) => reason)
      .filter((reason) => /^the session says|more than 5 questions/i.test(reason)),
    spent: world.state.spent,
    hasMarker: world.hasMarker,
    violations: world.violations,
  };
}

/** What is done is committed, unless a hook broke it. */
function doneInVain(world: EngineWorld): string[] {
  return world.state.tasks
    .filter(({ name, status }) => status === "done" && world.files[`${name}.js`] === undefined)
    .map(({ name }) => `${name} is done, and its output is in no commit`);
}

/** What is committed has its evidence, once. */
function unnoted(world: EngineWorld): string[] {
  return world.state.tasks.flatMap((task) => {
    if (task.status !== "done" || !world.commits.some(({ id }) => id === task.commit)) return [];
    const lines = world.noted[task.commit ?? ""] ?? [];
    const told = lines.filter((line) => line.split(",").includes(task.id)).length;
    return told === 1 ? [] : [`${task.name} is told of ${told} times on ${task.commit}`];
  });
}

/** Acts happen once; sessions do not start where the output is already there. */
function doneTwice(world: EngineWorld, scenario: Scenario): string[] {
  return scenario.tasks.flatMap((task, index) => {
    const name = `n${index + 1}`;
    const times = world.executed.filter((each) => each.task === name);
    if (task.kind === "act") return times.length > 1 ? [`${name} acted ${times.length} times`] : [];
    return times.some((each) => each.outputExisted)
      ? [`${name} ran though its output existed`]
      : [];
  });
}

/** What somebody else does meanwhile; once, whatever is killed. */
type Meanwhile = (world: EngineWorld) => void;

const person: Meanwhile = (world) => {
  world.whileWorking = () => {
    world.whileWorking = () => {};
    world.manifest = `${world.manifest.replace("Make things", "Make more")}\n# Notes\n\nmine\n`;
  };
};

const SCENARIOS: readonly [name: string, scenario: Scenario, meanwhile?: Meanwhile][] = [
  [
    "one task in a session",
    {
      tasks: [session("works-flips-and-commits"), session("works"), act()],
      batch: 1,
    },
  ],
  [
    "a batch",
    { tasks: [session("works"), session("works-and-flips"), session("works"), act()], batch: 3 },
  ],
  [
    "a batch whose second task fails first",
    { tasks: [session("works"), session("nothing", "works"), session("works")], batch: 3 },
  ],
  [
    "a first attempt that lies and a second that strays",
    { tasks: [session("lies", "strays", "works"), session("works-and-flips")], batch: 1 },
  ],
  ["a task that never works", { tasks: [session("works"), session("nothing")], batch: 1 }],
  [
    "a batch whose second task never works",
    { tasks: [session("works"), session("nothing")], batch: 2 },
  ],
  [
    "tasks that bring their own tests: asked, and labelled or not",
    {
      tasks: [
        session("works-with-tests"),
        { ...session("works-with-tests"), check: "prove" },
        { ...session("works-with-tests"), check: "claim" },
      ],
      batch: 1,
    },
  ],
  [
    "a batch of tasks that bring their own tests",
    {
      tasks: [
        { ...session("works-with-tests"), check: "prove" },
        { ...session("works-with-tests"), check: "claim" },
      ],
      batch: 2,
    },
  ],
  ["an act that fails", { tasks: [act(false, false), session("works")], batch: 1 }],
  ["an act without a check comes first", { tasks: [act(true, false), session("works")], batch: 1 }],
  ["a session that asks", { tasks: [session("works"), session("asks", "works")], batch: 1 }],
  [
    "a session that asks three things",
    { tasks: [session("asks-three-things", "works")], batch: 1 },
  ],
  [
    "a session that asks more than it may",
    { tasks: [session("works"), session("asks-too-much", "works")], batch: 1 },
  ],
  ["a session that wants approval", { tasks: [session("wants-approval", "works")], batch: 1 }],
  ["a session that gives up", { tasks: [session("gives-up", "works")], batch: 1 }],
  [
    "a hook that breaks what was verified",
    { tasks: [session("works"), session("works"), act()], batch: 1, hookBreaks: "n2" },
  ],
  [
    "a marker that lay there before",
    { tasks: [session("works")], batch: 1, staleMarker: "question: whose is this?\n" },
  ],
  [
    "something that no commit can hold",
    { tasks: [session("works-uncommittably", "works"), session("works")], batch: 1 },
  ],
  [
    "something that no commit can hold, in a batch",
    { tasks: [session("works-uncommittably", "works"), session("works")], batch: 2 },
  ],
  [
    "a hook that rewrites what was verified",
    { tasks: [session("works"), session("works")], batch: 1, hookRewrites: "n1" },
  ],
  [
    "a manifest that commits hold",
    { tasks: [session("works-and-flips"), session("works"), act()], batch: 1, isTracked: true },
  ],
  [
    "a manifest that a person edits while a session works",
    { tasks: [session("works-and-flips"), session("works")], batch: 1 },
    person,
  ],
  [
    "a manifest that commits hold and a person edits while a session works",
    { tasks: [session("works-and-flips"), session("works")], batch: 1, isTracked: true },
    person,
  ],
  [
    "sessions that write into the person's own manifest, for they work in place",
    {
      tasks: [session("works-and-flips"), session("lies", "works-and-flips"), act()],
      batch: 1,
      isInPlace: true,
    },
  ],
  [
    "a task with a child workflow of two actions",
    {
      tasks: [
        {
          ...session("works"),
          keys: [
            "child: the-first",
            "inputs: the goal",
            "actions: Lay it",
            "actions: Paint it",
            "outputs: a thing",
          ],
        },
        session("works"),
      ],
      batch: 1,
    },
  ],
  [
    "a task whose first attempt changes nine files and fails",
    { tasks: [session("overreaches"), session("works")], batch: 1 },
  ],
  [
    "a task whose first attempt changes nine files and fails, in a batch, with a chunk that does too",
    {
      tasks: [{ ...session("overreaches"), chunks: { "n1-1": "overreaches" } }, session("works")],
      batch: 3,
      isTracked: true,
    },
  ],
  [
    "a task that is split in the person's own folder, by its sessions' size",
    { tasks: [session("overreaches"), session("works-and-flips")], batch: 1, isInPlace: true },
  ],
  [
    "a delivery that waits",
    { tasks: [session("works"), session("works")], batch: 1, isTracked: true },
    (world) => world.blockDelivery(true),
  ],
];

describe("S3 a crash after every effect of the engine", () => {
  it.each(SCENARIOS)("%s: resumed, it comes out the same", async (_, scenario, meanwhile) => {
    const begun = (): EngineWorld => {
      const world = new EngineWorld(scenario, folder.path);
      meanwhile?.(world);
      return world;
    };
    const whole = begun();
    const effects = await whole.run();
    const wanted = outcome(whole);
    expect(wanted).toMatchObject({ violations: [], hasMarker: false });
    expect([doneTwice(whole, scenario), doneInVain(whole), unnoted(whole)]).toEqual([[], [], []]);
    expect(effects).toBeGreaterThan(10);
    const failures: string[] = [];
    for (const crashAt of crashPoints(effects)) {
      const world = begun();
      try {
        await world.run({ crashAt });
        const { wasSessionCut } = world;
        await world.run();
        expect(doneTwice(world, scenario)).toEqual([]);
        // An act whose result is unknown waits for a person, who looks and says "again".
        const isAsked = world.state.blockers.some(({ reason }) => reason.includes("is unknown"));
        if (isAsked && wanted.status !== "Blocked") await world.run({ retry: true });
        expect([committedTwice(world), doneInVain(world), unnoted(world)]).toEqual([[], [], []]);
        expect(world.violations).toEqual([]);
        expect(comparable(outcome(world), wasSessionCut)).toEqual(
          comparable(wanted, wasSessionCut),
        );
      } catch (error) {
        failures.push(`crash ${crashAt}: ${described(error)}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("tasks that bring their own tests", () => {
  const labelled = async (batch: number, ...checks: ("check" | "prove" | "claim")[]) => {
    const tasks = checks.map((check) => ({ ...session("works-with-tests"), check }));
    const world = new EngineWorld({ tasks, batch }, folder.path);
    await world.run();
    return world.state.tasks.map(({ status, labels = [] }) => [status, ...labels].join(" "));
  };

  it("have the label that their checks deserve", async () => {
    const ends = ["done", "done own-tests", "done self-judged"];
    expect(await labelled(1, "check", "prove", "claim")).toEqual(ends);
  });

  it("have it also where the first of a session has committed the tests of the others", async () => {
    expect(await labelled(2, "prove", "claim")).toEqual(["done own-tests", "done self-judged"]);
  });
});

describe("an agent without a run, a crash after every effect of its verbs", () => {
  const cases: readonly [name: string, scenario: Scenario][] = [
    [
      "works, tries again, and an act follows",
      { tasks: [session("works"), session("nothing", "works"), act()], batch: 1, isInPlace: true },
    ],
    [
      "sets boxes, lies at first, and commits hold the manifest",
      {
        tasks: [session("works-and-flips"), session("lies", "works-and-flips")],
        batch: 1,
        isInPlace: true,
        isTracked: true,
      },
    ],
    [
      "finds a marker of somebody before it, and asks",
      {
        tasks: [session("works"), session("asks")],
        batch: 1,
        isInPlace: true,
        staleMarker: "question: whose is this?\n",
      },
    ],
    [
      "never comes to its end",
      { tasks: [session("works"), session("nothing")], batch: 1, isInPlace: true },
    ],
  ];

  /** Brief, work, done, in this order, until nothing is handed out; the crash comes in one of the verbs. */
  async function follow(
    world: EngineWorld,
    crash: { readonly verb: number; readonly at: number } | null,
  ): Promise<number[]> {
    const effects: number[] = [];
    const say = async (byHand: "brief" | "done"): Promise<void> => {
      const crashAt = crash?.verb === effects.length ? crash.at : undefined;
      effects.push(await world.run({ byHand, ...(crashAt !== undefined && { crashAt }) }));
    };
    for (let turns = 0; turns < 12; turns += 1) {
      const before = effects.length;
      await say("brief");
      if (world.workByHand()) await say("done");
      else if (crash === null || crash.verb !== before) return effects;
    }
    throw new Error("it goes on for ever");
  }

  it.each(cases)("%s: whoever says the verb again comes out the same", async (_, scenario) => {
    const whole = new EngineWorld(scenario, folder.path);
    const effects = await follow(whole, null);
    const wanted = outcome(whole);
    expect(wanted).toMatchObject({ violations: [], hasMarker: false });
    expect([wanted.commits.length > 0, doneInVain(whole)]).toEqual([true, []]);
    const failures: string[] = [];
    for (const [verb, most] of effects.entries()) {
      for (const at of crashPoints(most)) {
        const world = new EngineWorld(scenario, folder.path);
        try {
          await follow(world, { verb, at });
          // An act whose result is unknown waits for a person, who looks and says "again".
          const isAsked = world.state.blockers.some(({ reason }) => reason.includes("is unknown"));
          if (isAsked) await world.run({ byHand: "brief", retry: true });
          expect([committedTwice(world), doneInVain(world)]).toEqual([[], []]);
          expect(outcome(world)).toEqual(wanted);
        } catch (error) {
          failures.push(`verb ${verb}, crash ${at}: ${described(error)}`);
        }
      }
    }
    expect(failures).toEqual([]);
  });

  it("a run that finds a session in hand checks what it left, and goes on", async () => {
    const scenario: Scenario = {
      tasks: [session("works"), session("works")],
      batch: 1,
      isInPlace: true,
    };
    const world = new EngineWorld(scenario, folder.path);
    await world.run({ byHand: "brief" });
    world.workByHand();
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.executed.map(({ task }) => task)).toEqual(["n2"]);
    expect(world.journal.map(({ summary }) => summary)).toContainEqual(
      expect.stringContaining("session 1 was left without a word about its end"),
    );
  });
});

describe("S4-14 S4-15 work that a session gave to somebody outside, a crash after every effect", () => {
  const scenario: Scenario = {
    tasks: [session("works-and-delegates"), session("works")],
    batch: 1,
  };
  const kinds = (world: EngineWorld): string[] => world.journal.map(({ kind }) => kind);
  const count = (world: EngineWorld, kind: string): number =>
    kinds(world).filter((each) => each === kind).length;
  const begun = (): EngineWorld => {
    const world = new EngineWorld(scenario, folder.path);
    rmSync(join(folder.path, "seen.txt"), { force: true });
    return world;
  };
  /** What was waited for is there, and whoever comes next finds it. */
  const toTheEnd = async (world: EngineWorld): Promise<void> => {
    writeFileSync(join(folder.path, "seen.txt"), "");
    for (let runs = 0; runs < 3 && world.state.status !== "Done"; runs += 1) {
      await world.run();
    }
  };

  it("while it is sent: it is sent once, and taken back once", async () => {
    const whole = begun();
    const effects = await whole.run();
    expect(whole.state.status).toBe("AwaitingResult");
    await toTheEnd(whole);
    const wanted = outcome(whole);
    expect(wanted).toMatchObject({ status: "Done", violations: [] });
    expect([count(whole, "dispatch-sent"), count(whole, "result-consumed")]).toEqual([1, 1]);
    for (const crashAt of crashPoints(effects)) {
      const world = begun();
      await world.run({ crashAt });
      const { wasSessionCut } = world;
      await toTheEnd(world);
      expect(comparable(outcome(world), wasSessionCut)).toEqual(comparable(wanted, wasSessionCut));
      const sent = count(world, "dispatch-sent");
      // A session whose end nobody heard is judged by what it made.
      expect(sent).toBe(wasSessionCut ? sent : 1);
      expect(sent).toBeLessThan(2);
      expect(count(world, "result-consumed")).toBe(sent);
      expect(doneTwice(world, scenario)).toEqual([]);
    }
  });

  it("while it is taken back: it is taken once, and nothing is done again", async () => {
    const whole = begun();
    await whole.run();
    writeFileSync(join(folder.path, "seen.txt"), "");
    const effects = await whole.run();
    const wanted = outcome(whole);
    expect(wanted).toMatchObject({ status: "Done", violations: [] });
    for (const crashAt of crashPoints(effects)) {
      const world = begun();
      await world.run();
      writeFileSync(join(folder.path, "seen.txt"), "");
      await world.run({ crashAt });
      const { wasSessionCut } = world;
      await toTheEnd(world);
      expect(comparable(outcome(world), wasSessionCut)).toEqual(comparable(wanted, wasSessionCut));
      expect([count(world, "dispatch-sent"), count(world, "result-consumed")]).toEqual([1, 1]);
      expect(doneTwice(world, scenario)).toEqual([]);
    }
  });
});

describe("S2-13 S3-19 chunks", () => {
  const CHILD: SessionTask = {
    ...session("nothing"),
    keys: ["child: the-first", "actions: Lay it", "actions: Paint it"],
  };
  const seen = ({ state }: EngineWorld) =>
    state.tasks.map(
      ({ id, name, title, status, chunk_of }) =>
        `${id} ${name} "${title}" ${status}${chunk_of === undefined ? "" : ` of ${chunk_of}`}`,
    );

  it("of a child workflow are its actions, each with a session, and complete it by evidence", async () => {
    const world = new EngineWorld({ tasks: [CHILD], batch: 1 }, folder.path);
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(seen(world)).toEqual([
      't2 n1-1 "Lay it" done of t1',
      't3 n1-2 "Paint it" done of t1',
      't1 n1 "Make the thing number 1" done',
    ]);
    expect(world.executed.map(({ task }) => task)).toEqual(["n1-1", "n1-2"]);
    expect(world.state.tasks[2]).toMatchObject({
      attempts: 0,
      evidence: [{ kind: "check" }, { kind: "chunks", tasks: ["t2", "t3"] }],
    });
    expect(world.commits.map(({ tasks }) => tasks.join())).toEqual(["t2", "t3"]);
    expect(world.manifest).toContain("- [x] n1 - Make the thing number 1");
    expect(world.briefs[1]).toContain("It is chunk 2 of 2 of t1.");
  });

  it("of what was too large begin with what its session left, and it is done without another one", async () => {
    const world = new EngineWorld({ tasks: [session("overreaches")], batch: 1 }, folder.path);
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(seen(world)).toEqual([
      't2 n1-1 "Finish: Make the thing number 1" done of t1',
      't1 n1 "Make the thing number 1" done',
    ]);
    expect(world.executed.map(({ task }) => task)).toEqual(["n1", "n1-1"]);
    expect(Object.keys(world.files)).toHaveLength(11);
    expect(world.commits.map(({ tasks }) => tasks.join())).toEqual(["t2"]);
    expect(world.briefs[1]).toContain("What earlier sessions on t1 left is in the work tree");
  });

  const TWO_STEPS = ["the first half", "the second half"];
  const TOO_LARGE: readonly [Behaviour, string, keys?: readonly string[]][] = [
    [
      "overreaches",
      "into 1: 9 files changed, the limit is 8 (0 planned); 9 new files, the limit is 3 (0 planned)",
    ],
    ["runs-out-of-context", "into 2: its context ran out, the limit is one", TWO_STEPS],
    ["is-denied", "into 2: a command of 3 acts was refused, the limit is 1", TWO_STEPS],
  ];

  it("S3-19 are not made of one piece that broke no bound: it is attempted again", async () => {
    const tasks = [session("runs-out-of-context", "works")];
    const world = new EngineWorld({ tasks, batch: 1 }, folder.path);
    await world.run();
    expect(seen(world)).toEqual(['t1 n1 "Make the thing number 1" done']);
    expect(world.executed).toHaveLength(2);
  });

  it.each(TOO_LARGE)(
    "are made where a session that fails %s, and say why",
    async (how, why, keys = []) => {
      const world = new EngineWorld({ tasks: [{ ...session(how), keys }], batch: 1 }, folder.path);
      const told: string[] = [];
      await world.run({
        tell: (news) => void (news.kind === "persisted" && told.push(news.summary)),
      });
      expect(told).toContain(`split task t1 "Make the thing number 1" ${why}`);
      expect(world.state.status).toBe("Done");
    },
  );

  it("S2-9 S2-10 S2-11 S2-12 say what was planned before the session, and what it came to after it", async () => {
    const world = new EngineWorld({ tasks: [session("overreaches")], batch: 1 }, folder.path);
    await world.run();
    const line = (kind: string) => world.journal.find((each) => each.kind === kind);
    expect(line("attempt-started")?.data?.["planned"]).toEqual({
      tasks: 1,
      files: 0,
      new_files: 0,
      moves: 0,
    });
    expect(line("session-ended")?.data?.["actual"]).toEqual({
      tasks: 1,
      files: 9,
      new_files: 9,
      moves: 0,
    });
    expect(line("session-ended")?.summary).toContain(
      "; beyond its limits: 9 files changed, the limit is 8 (0 planned); 9 new files, the limit is 3 (0 planned)",
    );
  });

  const AT_THE_LIMIT: readonly [string, limit: string, split: boolean][] = [
    ["nine files where nine are allowed", "files 9, new 9", false],
    ["nine files where eight are", "files 8, new 9", true],
    ["nine new files where eight are", "files 9, new 8", true],
  ];

  it.each(AT_THE_LIMIT)("S2-10 S2-11 of %s", async (_, limit, isSplit) => {
    const one = { ...session("overreaches", "works"), keys: [`limit: ${limit}`] };
    const world = new EngineWorld({ tasks: [one], batch: 1 }, folder.path);
    await world.run();
    expect([world.state.status, world.state.tasks.length]).toEqual(["Done", isSplit ? 2 : 1]);
  });

  it("are not made of work that passes its checks, whatever its size: it is committed whole", async () => {
    const world = new EngineWorld({ tasks: [session("works-too-much")], batch: 1 }, folder.path);
    await world.run();
    expect(seen(world)).toEqual(['t1 n1 "Make the thing number 1" done']);
    expect([world.commits.length, Object.keys(world.files).length]).toEqual([1, 10]);
  });

  it("are not made where limits.extract is false: the same task is tried again", async () => {
    const world = new EngineWorld(
      { tasks: [session("overreaches", "works")], batch: 1, extract: false },
      folder.path,
    );
    await world.run();
    expect(seen(world)).toEqual(['t1 n1 "Make the thing number 1" done']);
    expect(world.executed.map(({ task }) => task)).toEqual(["n1", "n1"]);
  });

  it("of chunks end at the third level; what is too large there is tried as before", async () => {
    const world = new EngineWorld(
      {
        tasks: [
          {
            ...session("overreaches"),
            chunks: { "n1-1": "overreaches", "n1-1-1": "overreaches" },
          },
        ],
        batch: 1,
      },
      folder.path,
    );
    await world.run();
    expect(world.state.status).toBe("Blocked");
    expect(world.state.tasks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "n1-1-1 blocked",
      "n1-1 pending",
      "n1 pending",
    ]);
    expect(world.executed.filter(({ task }) => task === "n1-1-1")).toHaveLength(3);
  });

  it("that pass and a task whose own check fails: it has a session as usual", async () => {
    const world = new EngineWorld(
      { tasks: [{ ...CHILD, behaviours: ["works-anew"] }], batch: 1 },
      folder.path,
    );
    // Once both chunks are committed, what they made is broken.
    world.whileChecking = () => {
      if (world.commits.length === 2) world.failing.add("n1");
    };
    world.whileWorking = (name) => {
      if (name !== "n1") return;
      world.whileChecking = () => {};
      world.failing.clear();
    };
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.executed.map(({ task }) => task)).toEqual(["n1-1", "n1-2", "n1"]);
    expect(world.state.tasks[2]).toMatchObject({ attempts: 1, evidence: [{ kind: "check" }] });
  });

  it("leave the yes to the output of their task to a person", async () => {
    const tasks = [{ ...CHILD, keys: [...(CHILD.keys ?? []), "approve: after"] }];
    const world = new EngineWorld({ tasks, batch: 1 }, folder.path);
    await world.run();
    expect(world.state.status).toBe("AwaitingApproval");
    expect(world.state.tasks.map(({ status }) => status)).toEqual([
      "done",
      "done",
      "awaiting_approval",
    ]);
    expect(world.state.approval_items[0]?.subject).toBe(
      'the output of t1 "Make the thing number 1"\n  t2 "Lay it" is committed as c1\n  t3 "Paint it" is committed as c2',
    );
    world.approve("a1");
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.executed).toHaveLength(2);
  });

  it("that a person says no to are followed by a session on the task, with their reason", async () => {
    const keys = [...(CHILD.keys ?? []), "approve: after"];
    const tasks = [{ ...session("works-anew"), keys }];
    const world = new EngineWorld({ tasks, batch: 1 }, folder.path);
    await world.run();
    world.deny("a1");
    await world.run({ retry: true });
    expect(world.executed.map(({ task }) => task)).toEqual(["n1-1", "n1-2", "n1"]);
    expect(world.briefs[2]).toContain("did not approve");
    expect(world.state.status).toBe("AwaitingApproval");
    world.approve("a2");
    await world.run();
    expect(world.state.status).toBe("Done");
  });

  it("stay with their task when a person edits the manifest, and are named in none", async () => {
    const world = new EngineWorld({ tasks: [CHILD, session("works")], batch: 1 }, folder.path);
    world.whileWorking = () => {
      world.whileWorking = () => {};
      world.manifest = world.manifest.replace("number 1", "number one").replace("Lay it", "Put it");
    };
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(seen(world)).toEqual([
      't3 n1-1 "Lay it" done of t1',
      't4 n1-2 "Paint it" done of t1',
      't1 n1 "Make the thing number one" done',
      't2 n2 "Make the thing number 2" done',
    ]);
  });
});

describe("a crash after every effect around a provider that refuses", () => {
  const scenario = { tasks: [session("refused", "refused", "works"), session("works")], batch: 1 };
  const inARow = (world: EngineWorld) =>
    world.state.agent_limits?.map(({ in_a_row }) => in_a_row.provider);

  it("forgets no refusal that was kept, waits no less, and loses no attempt", async () => {
    const whole = new EngineWorld(scenario, folder.path);
    const first = await whole.run();
    expect([whole.state.status, inARow(whole)]).toEqual(["Paused", [1]]);
    const failures: string[] = [];
    for (const crashAt of crashPoints(first)) {
      const world = new EngineWorld(scenario, folder.path);
      try {
        await world.run({ crashAt });
        const wasRefused = world.kept("logs/sessions/1/result.json") !== undefined;
        await world.run();
        // One that was cut before its end was kept is not known, and the next one says it again.
        expect([world.state.status, inARow(world)]).toEqual(["Paused", [1]]);
        expect(world.state.counters.refused_sessions).toBe(1);
        if (wasRefused) expect(world.executed).toHaveLength(1);
        const { resume_at } = world.state.pause ?? {};
        await world.run();
        expect([world.state.pause?.resume_at, inARow(world)]).toEqual([resume_at, [1]]);
        for (let n = 0; n < 2; n += 1) {
          world.pass(120_000);
          await world.run();
        }
        expect(world.state.status).toBe("Done");
        expect(world.state.agent_limits).toEqual([]);
        expect(world.violations).toEqual([]);
      } catch (error) {
        failures.push(`crash ${crashAt}: ${described(error)}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("a crash after every effect around a session that asks three things", () => {
  const scenario = { tasks: [session("asks-three-things", "works")], batch: 1 };
  const open = (world: EngineWorld) =>
    world.state.questions.filter(({ status }) => status === "open").map(({ id }) => id);

  it("none is lost or doubled, the task waits for all of them, and its brief has every answer", async () => {
    const effects = await new EngineWorld(scenario, folder.path).run();
    const failures: string[] = [];
    for (const crashAt of crashPoints(effects)) {
      const world = new EngineWorld(scenario, folder.path);
      try {
        await world.run({ crashAt });
        // Somebody may answer what is already asked before the rest of it is.
        const [early] = open(world);
        if (early !== undefined) world.answerQuestion(early, "word for word, early");
        await world.run();
        expect(world.state.counters.questions).toBe(3);
        const sessions = world.executed.length;
        for (const [n, id] of open(world).entries()) {
          await world.run();
          expect([world.state.status, world.executed.length]).toEqual([
            "AwaitingApproval",
            sessions,
          ]);
          world.answerQuestion(id, `word for word, ${n}`);
        }
        await world.run();
        expect([world.state.status, world.violations]).toEqual(["Done", []]);
        const last = world.state.counters.sessions;
        const brief = world.kept(`logs/sessions/${last}/brief.md`) ?? "";
        expect(brief.match(/^word for word, /gm)).toHaveLength(3);
      } catch (error) {
        failures.push(`crash ${crashAt}: ${described(error)}`);
      }
    }
    expect(failures).toEqual([]);
  });

  it("the sixth blocks the task, and those before it stay to be answered", async () => {
    const world = new EngineWorld(
      { tasks: [session("asks-too-much", "works")], batch: 1 },
      folder.path,
    );
    await world.run();
    expect(open(world)).toEqual(["q1", "q2", "q3", "q4", "q5"]);
    expect(world.state.tasks[0]).toMatchObject({ status: "blocked" });
    expect(world.state.blockers).toMatchObject([
      { kind: "question-limit", reason: expect.stringContaining("n1, what about 6?") },
    ]);
    for (const id of open(world)) world.answerQuestion(id, "yes");
    await world.run();
    expect(world.state.status).toBe("Blocked");
    await world.run({ retry: true });
    expect(world.state.status).toBe("Done");
  });
});

describe("a crash after every effect while work follows the person's branch", () => {
  const scenario = { tasks: [session("works"), session("asks", "works")], batch: 1 };

  interface Lived {
    readonly killed: "second" | "third" | "neither";
    readonly crashAt?: number;
    /** What the person commits while the first task waits. */
    readonly path: string;
    readonly answer?: string;
  }

  async function live({ killed, crashAt = 0, path, answer }: Lived) {
    const world = new EngineWorld(scenario, folder.path);
    world.blockDelivery(true);
    await world.run();
    world.blockDelivery(false);
    world.moveBranch(path, "theirs");
    world.answerQuestion("q1", "blue");
    let wasSessionCut = false;
    const killedRun = async (): Promise<void> => {
      await world.run({ crashAt });
      ({ wasSessionCut } = world);
    };
    if (killed === "second") await killedRun();
    const second = await world.run();
    if (answer !== undefined) world.answerQuestion("q2", answer);
    if (killed === "third") await killedRun();
    const third = await world.run();
    const { status, tasks, questions } = world.state;
    return {
      effects: { second, third },
      wasSessionCut,
      outcome: {
        status,
        files: world.files,
        commits: world.commits.map(({ id, tasks: made }) => `${id} ${made.join()}`),
        tasks: tasks.map(
          (task) => `${task.id} ${task.status === "done" ? task.commit : task.status}`,
        ),
        questions: questions.map(({ about }) => about?.split(" ")[1] ?? "of a session"),
        sessions: world.executed.map(({ task }) => task),
        violations: world.violations,
      },
    };
  }

  const followed = (files: object, more: object) => ({
    status: "Done",
    files,
    violations: [],
    ...more,
  });

  it.each<[string, Omit<Lived, "killed">, object]>([
    [
      "it is replayed once, under one id",
      { path: "theirs.js" },
      followed(
        { "n1.js": "done", "n2.js": "done", "theirs.js": "theirs" },
        {
          commits: ["c1' t1", "c2 t2"],
          tasks: ["t1 c1'", "t2 c2"],
          questions: ["of a session"],
          sessions: ["n1", "n2", "n2"],
        },
      ),
    ],
    [
      "a conflict is asked once, and its task done again",
      { path: "n1.js", answer: "session" },
      followed(
        { "n1.js": "done", "n2.js": "done" },
        {
          commits: ["c2' t2", "c2 t1"],
          tasks: ["t1 c2", "t2 c2'"],
          questions: ["of a session", "conflict"],
          sessions: ["n1", "n2", "n2", "n1"],
        },
      ),
    ],
  ])("%s", async (_, how, wanted) => {
    const { effects, outcome: whole } = await live({ ...how, killed: "neither" });
    expect(whole).toEqual(wanted);
    const failures: string[] = [];
    for (const killed of ["second", "third"] as const) {
      for (const crashAt of crashPoints(effects[killed])) {
        try {
          const { outcome: found, wasSessionCut } = await live({ ...how, killed, crashAt });
          expect(found).toMatchObject({ status: "Done", violations: [] });
          // One that was cut short is judged by what is there, and here anything will do.
          if (wasSessionCut && how.answer !== undefined) continue;
          expect(found.sessions.filter((task) => task === "n1").length).toBe(
            whole.sessions.filter((task) => task === "n1").length,
          );
          expect({ ...found, sessions: [] }).toEqual({ ...whole, sessions: [] });
        } catch (error) {
          failures.push(`crash ${crashAt} of the ${killed} run: ${described(error)}`);
        }
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("S3-6 a crash after every effect around a task that another one overtakes", () => {
  const independent: PlannedTask = { ...session("works"), keys: ["after: none"] };
  const scenario = { tasks: [session("works-and-asks", "works"), independent], batch: 1 };

  /** Both runs of it, the one or the other killed, and what lay in the work tree between them. */
  async function live(killed: "first" | "second" | "neither", crashAt = 0) {
    const world = new EngineWorld(scenario, folder.path);
    if (killed === "first") await world.run({ crashAt });
    const first = await world.run();
    const between = Object.keys(world.files);
    // Killed before it asked, its work was found done.
    const hasAsked = world.state.questions.length > 0;
    if (hasAsked) world.answerQuestion("q1", "blue");
    if (killed === "second") await world.run({ crashAt });
    const second = await world.run();
    const commits = world.commits.map(({ tasks, paths }) => `${tasks.join()}: ${paths.join()}`);
    const { status } = world.state;
    return { effects: { first, second }, hasAsked, outcome: { status, between, commits } };
  }

  it("what it left is out of the way meanwhile, comes back, and is committed with it alone", async () => {
    const { effects, outcome: wanted } = await live("neither");
    const [t1, t2] = ["t1: n1.js", "t2: n2.js"];
    expect(wanted).toEqual({ status: "Done", between: ["n2.js"], commits: [t2, t1] });
    const unasked = { status: "Done", between: ["n1.js", "n2.js"], commits: [t1, t2] };
    const failures: string[] = [];
    for (const killed of ["first", "second"] as const) {
      for (const crashAt of crashPoints(effects[killed])) {
        try {
          const { hasAsked, outcome: found } = await live(killed, crashAt);
          expect(found).toEqual(hasAsked ? wanted : unasked);
        } catch (error) {
          failures.push(`crash ${crashAt} of the ${killed} run: ${described(error)}`);
        }
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("a crash after every effect around a person who saves while a check runs", () => {
  const scenario = { tasks: [session("nothing", "works-and-flips")], batch: 1 };

  /** Saves another Goal while the check of that number runs, in whichever run it is. */
  function worldWithEdit(number: number): EngineWorld {
    const world = new EngineWorld(scenario, folder.path);
    let checks = 0;
    world.whileChecking = () => {
      checks += 1;
      if (checks === number) world.manifest = world.manifest.replace("Make things", "Make more");
    };
    return world;
  }

  it.each([1, 2, 3])("at check %i: it is adopted, and never taken for the session's", async (n) => {
    const whole = worldWithEdit(n);
    const effects = await whole.run();
    const failures: string[] = [];
    for (const crashAt of [0, ...crashPoints(effects)]) {
      const world = worldWithEdit(n);
      try {
        if (crashAt > 0) await world.run({ crashAt });
        await world.run();
        expect([world.state.status, world.state.goal]).toEqual(["Done", "Make more."]);
        expect([world.manifest.includes("Make more."), world.state.approval_items]).toEqual([
          true,
          [],
        ]);
        expect([world.violations, doneTwice(world, scenario)]).toEqual([[], []]);
      } catch (error) {
        failures.push(`crash ${crashAt}: ${described(error)}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("a crash after every effect around a person who commits the file that a session works on", () => {
  function begun(): EngineWorld {
    const world = new EngineWorld({ tasks: [session("works")], batch: 1 }, folder.path);
    world.whileWorking = () => {
      world.whileWorking = () => {};
      world.edit("n1.js", "a person's");
    };
    return world;
  }

  it("theirs is there until another session has seen both, although its check passes", async () => {
    const effects = await begun().run();
    const failures: string[] = [];
    for (const crashAt of [0, ...crashPoints(effects)]) {
      const world = begun();
      try {
        if (crashAt > 0) await world.run({ crashAt });
        const isBegun = world.state.counters.sessions > world.executed.length;
        const wasCut = world.wasSessionCut || isBegun;
        await world.run();
        expect([world.state.status, world.violations]).toEqual(["Done", []]);
        // A session that was killed may have done nothing; what is there is judged as it is.
        if (wasCut) continue;
        expect([world.executed.length, world.files["n1.js"]]).toEqual([2, "done"]);
        expect(world.briefs.at(-1)).toContain("Others have changed these files since");
      } catch (error) {
        failures.push(`crash ${crashAt}: ${described(error)}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

it("in place, too, a session's words are a proposal at most, wherever a crash comes", async () => {
  const tasks = [session("works-and-rewrites-goal")];
  const begun = () => new EngineWorld({ tasks, batch: 1, isInPlace: true }, folder.path);
  const whole = begun();
  const wanted = ["Make things.", whole.manifest.replace("[ ] n1", "[x] n1")];
  const effects = await whole.run();
  expect(whole.state.approval_items).toMatchObject([{ kind: "proposal", status: "open" }]);
  for (const crashAt of [0, ...crashPoints(effects)]) {
    const world = begun();
    // oxlint-disable-next-line no-await-in-loop
    if (crashAt > 0) await world.run({ crashAt });
    // oxlint-disable-next-line no-await-in-loop
    await world.run();
    expect([crashAt, world.state.goal, world.manifest]).toEqual([crashAt, ...wanted]);
  }
});

describe("S3-3 a person who edits the manifest while a session works", () => {
  const tasks = [session("works-and-flips"), session("works")];
  const MINE =
    /^# Goal\n\nMake more\.\n\n# Steps\n\n- \[x\] n1[^]*- \[x\] n2[^]*# Notes\n\nmine\n$/;

  it.each([{}, { isTracked: true } as const])("is heard and keeps every word: %o", async (more) => {
    const world = new EngineWorld({ tasks, batch: 1, ...more }, folder.path);
    person(world);
    await world.run();
    expect([world.state.status, world.state.goal]).toEqual(["Done", "Make more."]);
    expect([world.state.approval_items, world.manifest]).toEqual([[], expect.stringMatching(MINE)]);
    // What they have not committed is in no commit of Stint's.
    expect(world.commits.filter(({ files }) => files.includes("mine"))).toEqual([]);
  });

  it("finds its boxes in a tracked one by delivery only, and what waits is no unchecking", async () => {
    const world = new EngineWorld({ tasks, batch: 1, isTracked: true }, folder.path);
    world.blockDelivery(true);
    await world.run();
    expect([world.state.status, world.manifest.match(/\[x\]/g)]).toEqual(["Done", null]);
    expect(world.files["prompt.md"]?.match(/\[x\]/g)).toHaveLength(2);
    const { revision } = world.state;
    await world.run();
    expect([world.state.status, world.state.revision]).toEqual(["Done", revision]);
  });

  it("or by a verb once it was cut short: both the edit and the work stay, wherever it was", async () => {
    const begun = (): EngineWorld => new EngineWorld({ tasks, batch: 1 }, folder.path);
    const effects = await begun().run();
    const failures: string[] = [];
    for (const crashAt of crashPoints(effects)) {
      const world = begun();
      try {
        await world.run({ crashAt });
        const base = world.manifest;
        const text = base.replace("Make things", "Make more");
        const isDone = world.state.status === "Done";
        if (!isDone) world.answer(() => ({ verb: "edit", base, text }));
        await world.run();
        const { status, goal, approval_items } = world.state;
        const wanted = isDone ? "Make things." : "Make more.";
        expect([status, goal, approval_items]).toEqual(["Done", wanted, []]);
        expect([doneInVain(world), committedTwice(world), world.violations]).toEqual([[], [], []]);
      } catch (error) {
        failures.push(`crash ${crashAt}: ${described(error)}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("a crash after every effect around a person who commits while an output waits", () => {
  const gated: PlannedTask = { ...session("works"), keys: ["approve: after"] };
  const scenario = { tasks: [gated, session("works")], batch: 1 };

  /** Both runs of it, the one or the other killed; between them a commit and a yes. */
  async function live(path: string, killed: "first" | "second" | "neither", crashAt = 0) {
    const world = new EngineWorld(scenario, folder.path);
    if (killed === "first") await world.run({ crashAt });
    const first = await world.run();
    world.edit(path, "a person's");
    world.approve("a1");
    if (killed === "second") await world.run({ crashAt });
    const second = await world.run();
    return { effects: { first, second }, world };
  }

  const told = (world: EngineWorld) => ({
    status: world.state.status,
    tasks: world.state.tasks.map(({ status }) => status),
    files: world.files,
    boxes: world.manifest.match(/\[x\]/g)?.length ?? 0,
    commits: world.commits.map(({ tasks, paths }) => `${tasks.join()}: ${paths.join()}`),
    asked: world.state.approval_items.map(({ id, status }) => `${id} ${status}`),
    wrong: [...world.violations, ...committedTwice(world), ...doneInVain(world), ...unnoted(world)],
  });

  it.each([
    ["another file", "notes.js", { status: "Done", commits: ["t1: n1.js", "t2: n2.js"], boxes: 2 }],
    ["the same file", "n1.js", { status: "AwaitingApproval", commits: [], boxes: 0 }],
  ])("%s: it comes out the same", async (_, path, expected) => {
    const { effects, world: whole } = await live(path, "neither");
    const wanted = told(whole);
    const isOvertaken = expected.status === "AwaitingApproval";
    const asked = isOvertaken ? ["a1 granted", "a2 open"] : ["a1 granted"];
    expect(wanted).toMatchObject({ ...expected, wrong: [], asked });
    expect(wanted.files[path]).toBe("a person's");
    const failures: string[] = [];
    for (const killed of ["first", "second"] as const) {
      for (const crashAt of crashPoints(effects[killed])) {
        try {
          const { world } = await live(path, killed, crashAt);
          expect(told(world)).toEqual(wanted);
        } catch (error) {
          failures.push(`crash ${crashAt} of the ${killed} run: ${described(error)}`);
        }
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("a crash after every effect around a session that words the Goal, and a person who writes while nothing runs", () => {
  const scenario = { tasks: [session("works-and-rewrites-goal"), session("works")], batch: 1 };
  const MINE = "\n# Notes\n\nmine\n";

  /** A person who wants no word of the session's. */
  async function answerAll(world: EngineWorld): Promise<void> {
    for (;;) {
      const open = world.state.approval_items.find(({ status }) => status === "open");
      if (open === undefined) return;
      world.deny(open.id);
      // oxlint-disable-next-line no-await-in-loop
      await world.run();
    }
  }

  it("no word of the session becomes intent, and none of the person's is lost", async () => {
    const effects = await new EngineWorld(scenario, folder.path).run();
    const failures: string[] = [];
    for (const crashAt of crashPoints(effects)) {
      const world = new EngineWorld(scenario, folder.path);
      try {
        await world.run({ crashAt });
        world.manifest += MINE;
        await world.run();
        await answerAll(world);
        expect([world.state.status, world.state.goal]).toEqual(["Done", "Make things."]);
        expect(world.manifest).not.toContain("Rule");
        expect(world.manifest).toContain("mine");
        expect([world.violations, doneTwice(world, scenario)]).toEqual([[], []]);
      } catch (error) {
        failures.push(`crash ${crashAt}: ${described(error)}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("a person who checks the box of a task whose checks fail", () => {
  it("is asked what is still to be done; the box stays, and the answer goes to the session", async () => {
    const world = new EngineWorld({ tasks: [session("works")], batch: 1 }, folder.path);
    world.whileChecking = () => {
      world.manifest = world.manifest.replace("[ ] n1", "[x] n1");
    };
    await world.run();
    expect([world.state.status, world.executed]).toEqual(["AwaitingApproval", []]);
    const asked = "is checked in prompt.md, but its checks fail; what is still to be done?";
    expect(world.state.questions).toMatchObject([{ text: expect.stringContaining(asked) }]);
    expect(world.manifest).toContain("[x] n1");
    world.answerQuestion("q1", "the second half");
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.kept("logs/sessions/1/brief.md")).toContain("the second half");
  });
});

const anyBehaviour = fc.constantFrom<Behaviour>(
  "works",
  "works-and-flips",
  "works-flips-and-commits",
  "nothing",
  "lies",
  "strays",
  "works-uncommittably",
  "asks",
  "asks-three-things",
  "asks-too-much",
  "wants-approval",
  "gives-up",
);

const anyTask: fc.Arbitrary<PlannedTask> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(anyBehaviour, { minLength: 1, maxLength: 4 }).map((all) => session(...all)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.boolean(), fc.boolean())
      .map(([succeeds, checks]) => act(succeeds, checks)),
  },
);

const someTasks = fc.array(anyTask, { minLength: 1, maxLength: 4 });

const anyScenario: fc.Arbitrary<Scenario> = fc.oneof(
  fc.record({ tasks: someTasks, batch: fc.integer({ min: 1, max: 3 }) }),
  // Some of them wait for no other, and are worked on beside each other; some of these must be alone.
  fc
    .tuple(
      someTasks,
      fc.array(fc.constantFrom([], ["after: none"], ["after: none", "exclusive"])),
      fc.integer({ min: 2, max: 3 }),
    )
    .map(([tasks, keys, parallel]) => ({
      tasks: tasks.map((task, index) => ({ ...task, keys: keys[index] ?? ["after: none"] })),
      batch: 1,
      parallel,
    })),
);

it("S3 random manifests, agents and crashes: never done without evidence, never done twice, counters only grow", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyScenario,
      fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 4 }),
      async (scenario, crashes) => {
        const world = new EngineWorld(scenario, folder.path);
        for (const crashAt of crashes) await world.run({ crashAt });
        await world.run();
        expect(world.violations).toEqual([]);
        expect(doneTwice(world, scenario)).toEqual([]);
        expect([committedTwice(world), doneInVain(world), unnoted(world)]).toEqual([[], [], []]);
        expect(world.hasMarker).toBe(false);
        expect(END_STATUSES).toContain(world.state.status);
        for (const task of world.state.tasks) {
          const isChecked = world.manifest.includes(`[x] ${task.name} `);
          expect([task.name, isChecked]).toEqual([task.name, task.status === "done"]);
        }
        // Once it has ended, running it again does nothing more.
        const { revision } = world.state;
        const executions = world.executed.length;
        await world.run();
        expect(world.executed).toHaveLength(executions);
        const isDone = world.state.status === "Done";
        expect(isDone ? world.state.revision : revision).toBe(revision);
      },
    ),
    { numRuns: isWhole ? 300 : 60 },
  );
});

const END_STATUSES = ["Done", "Blocked", "AwaitingApproval"];

/** A cut session leaves commit and box to Stint, and what it spent or strayed into is lost. */
function comparable(found: ReturnType<typeof outcome>, wasSessionCut: boolean) {
  if (!wasSessionCut) return found;
  const { spent: _spent, commits: _commits, files, ...rest } = found;
  return { ...rest, files: Object.keys(files).filter((name) => !name.endsWith(".tmp")) };
}

function committedTwice(world: EngineWorld): string[] {
  const all = world.commits.flatMap(({ tasks }) => tasks);
  return all.filter((task, index) => all.indexOf(task) !== index);
}

function described(error: unknown): string {
  const { message, actual, expected } = error as Error & { actual?: unknown; expected?: unknown };
  return `${message} ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
}
