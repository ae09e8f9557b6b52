import { afterAll, describe, expect, it } from "vitest";
import { EngineWorld, type PlannedTask } from "../../../test/support/engine-world.ts";
import { crashPoints } from "../../../test/support/kill-window.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { responseIn } from "../../iteration/stages.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const WORKS: PlannedTask = { kind: "session", behaviours: ["works"] };
const FAILS_ONCE: PlannedTask = { kind: "session", behaviours: ["strays", "works"] };
const NEVER_WORKS: PlannedTask = { kind: "session", behaviours: ["strays", "strays", "strays"] };

function begun(settings?: string, tasks: readonly PlannedTask[] = [WORKS, WORKS]): EngineWorld {
  const scenario = { tasks, batch: 1 };
  return new EngineWorld(
    settings === undefined ? scenario : { ...scenario, settings },
    folder.path,
  );
}

const ITERATION = "iteration: fix-it";

function stages({ journal }: EngineWorld): string {
  return journal.flatMap(({ kind, data }) => (kind === "stage" ? [data?.["stage"]] : [])).join(" ");
}

/** Each fact that is to be told, with the stage that tells it: exactly one line, after the fact. */
function untold({ journal }: EngineWorld): string[] {
  const facts = new Map<number, number>();
  let session = 0;
  let isOpen = false;
  for (const { kind, revision, data } of journal) {
    if (kind === "attempt-started" && data?.["session"] !== session) {
      session = Number(data?.["session"]);
      isOpen = true;
      facts.set(revision, 3);
    }
    if (isOpen && (kind === "session-ended" || kind === "attempt-interrupted")) {
      isOpen = false;
      facts.set(revision, 4);
    }
    if (kind === "checks-recorded" || kind === "output-verified") facts.set(revision, 5);
  }
  return [...facts].flatMap(([revision, stage]) => {
    const lines = journal.filter(({ data }) => data?.["of"] === revision);
    const isRight =
      lines.length === 1 && lines[0]?.data?.["stage"] === stage && lines[0].revision > revision;
    return isRight ? [] : [`revision ${revision} has ${lines.length} lines of stage ${stage}`];
  });
}

describe("S2-7 the stages of a run", () => {
  it("are lines of the journal of an iteration, each when it is reached, and of nothing else", async () => {
    const world = begun(ITERATION);
    await world.run();
    expect(world.state.status).toBe("Done");
    const told = ["attempt-started", "session-ended", "checks-recorded", "completed"];
    const kinds = world.journal.flatMap(({ kind, data }) =>
      kind === "stage" ? [data?.["stage"]] : told.includes(kind) ? [kind] : [],
    );
    const session = "attempt-started 3 session-ended 4 checks-recorded 5";
    expect(kinds.join(" ")).toBe(`1 2 ${session} ${session} 6 completed`);
    expect(world.journal.find(({ data }) => data?.["stage"] === 3)?.summary).toBe(
      "stage 3 of 6, execute: session 1 on t1",
    );
    const plain = begun();
    await plain.run();
    expect(stages(plain)).toBe("");
  });

  it.each([
    ["two tasks", [WORKS, WORKS]],
    ["a task that fails first", [FAILS_ONCE]],
    ["a task with chunks", [{ ...WORKS, keys: ["child: a", "actions: Lay it"] }]],
  ])("S2-7 of %s tell each fact once, whatever effect a crash comes after", async (_, tasks) => {
    const effects = await begun(ITERATION, tasks).run();
    const wrong: string[] = [];
    for (const crashAt of crashPoints(effects)) {
      const world = begun(ITERATION, tasks);
      // Each run follows the crash before it.
      // oxlint-disable-next-line no-await-in-loop
      await world.run({ crashAt });
      // oxlint-disable-next-line no-await-in-loop
      await world.run();
      const found = stages(world);
      const isWhole = /^1 2 [345 ]+ 6$/.test(found) && world.state.status === "Done";
      wrong.push(...(isWhole ? [] : [`${crashAt}: ${found}`]), ...untold(world));
    }
    expect(wrong).toEqual([]);
  });

  it("S2-8 end with a response also where the run is blocked, once for each such end", async () => {
    const world = begun(ITERATION, [NEVER_WORKS]);
    await world.run();
    expect(world.state.status).toBe("Blocked");
    expect(stages(world)).toBe("1 2 3 4 5 3 4 5 3 4 5 6");
    expect(responseIn(world.journal)).toEqual({
      summary: expect.stringMatching(/^prompt: 0 of 1 task done in 3 sessions, Blocked: ./),
      next: expect.stringContaining("stint "),
    });
    await world.run();
    expect(stages(world)).toBe("1 2 3 4 5 3 4 5 3 4 5 6");
  });

  it("S2-8 end with a response where somebody wanted a pause, and with another one when it is Done", async () => {
    const world = begun(ITERATION);
    await world.run({ pauseWanted: () => world.executed.length > 0 });
    expect(stages(world)).toBe("1 2 3 4 5 6");
    const { project_id } = world.state;
    expect(responseIn(world.journal)).toEqual({
      summary: "prompt: 1 of 2 tasks done in 1 session, Paused: lunch",
      next: `stint resume ${project_id}`,
    });
    await world.run();
    expect(stages(world)).toBe("1 2 3 4 5 6 3 4 5 6");
    expect(responseIn(world.journal)).toEqual({
      summary: "prompt: 2 of 2 tasks done in 2 sessions",
      next: `stint verify ${project_id}`,
    });
  });
});
