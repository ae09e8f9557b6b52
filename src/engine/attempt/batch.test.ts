// What is remembered of each task of a session that had several.
import { afterAll, describe, expect, it } from "vitest";
import { EngineWorld } from "../../../test/support/engine-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const INDEPENDENT = { keys: ["after: none"] };
const HANDED_OVER = "Others have changed these files since";

describe("what others changed of a task's work", () => {
  it("is handed over to the next session on it, and to no other, also where it is not the first of a batch", async () => {
    const world = new EngineWorld(
      {
        tasks: [
          { kind: "session", behaviours: ["asks", "works"], ...INDEPENDENT },
          { kind: "session", behaviours: ["works", "works-anew", "nothing"], ...INDEPENDENT },
        ],
        batch: 2,
      },
      folder.path,
    );
    world.failing.add("n2");
    // The first task waits for an answer, and the second has a session of its own, which fails.
    await world.run({ pauseWanted: () => world.briefs.length >= 2 });
    expect(world.briefs.map(tasksIn)).toEqual(["n1 n2", "n2"]);
    world.edit("n2.js", "a person's");
    world.answerQuestion("q1", "yes");
    // Now it is the second of two.
    await world.run({ pauseWanted: () => world.briefs.length >= 3 });
    expect(tasksIn(world.briefs[2] ?? "")).toBe("n1 n2");
    expect(world.briefs[2]).toContain(HANDED_OVER);
    await world.run();
    expect(world.briefs.slice(3).map(tasksIn)).toEqual(["n2"]);
    expect(world.briefs[3]).not.toContain(HANDED_OVER);
  });
});

describe("S2-9 the bound of tasks a session", () => {
  it.each([
    [6, ["n1 n2 n3 n4 n5 n6"]],
    [7, ["n1 n2 n3 n4 n5 n6", "n7"]],
  ])("holds for %i tasks, whatever the policy of the run asks for", async (count, briefs) => {
    const tasks = Array.from({ length: count }, () => ({
      kind: "session" as const,
      behaviours: ["works" as const],
    }));
    const world = new EngineWorld({ tasks, batch: 50 }, folder.path);
    await world.run();
    expect(world.state.status).toBe("Done");
    expect(world.briefs.map(tasksIn)).toEqual(briefs);
  });
});

function tasksIn(brief: string): string {
  return [...brief.matchAll(/^Task t\d+ \((n\d)\)/gm)].map(([, name]) => name).join(" ");
}
