// What is handed over of the session before, whenever the run is killed.
import { afterAll, describe, expect, it } from "vitest";
import { type Behaviour, EngineWorld } from "../../../test/support/engine-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** What the second session on the only task is told of the first, where the run is killed after that effect. */
async function handedOver(first: Behaviour, crashAt?: number) {
  const tasks = [{ kind: "session" as const, behaviours: [first, "works" as const] }];
  const world = new EngineWorld({ tasks, batch: 1 }, folder.path);
  const effects = await world.run(crashAt === undefined ? {} : { crashAt });
  if (crashAt !== undefined) await world.run();
  const second = world.briefs.findLast((brief) => brief.includes("attempt 2 of"));
  const said = /## The session before\n\n(Session [^\n]*)/.exec(second ?? "")?.[1] ?? null;
  return { said, effects, status: world.state.status };
}

describe("the session before", () => {
  it.each([
    [
      "nothing",
      "Session 1 finished. It ended by itself and changed nothing: nobody answers here, so do the work without asking.",
    ],
    ["strays", "Session 1 finished."],
    ["is-denied", "Session 1 was refused a command: one && two; three. It changed nothing. Use"],
    ["runs-out-of-context", "Session 1 ran out of context"],
  ] as const)(
    "that %s is handed over after a kill at any effect, or was cut short by it",
    async (first, words) => {
      const { said, effects, status } = await handedOver(first);
      expect([said?.startsWith(words), status]).toEqual([true, "Done"]);
      const wrong: string[] = [];
      let told = 0;
      for (let crashAt = 1; crashAt <= effects; crashAt += 1) {
        // oxlint-disable-next-line no-await-in-loop
        const after = await handedOver(first, crashAt);
        const isCut = after.said?.startsWith("Session 1 was cut short: ") === true;
        const isTold = after.said?.startsWith(words) === true;
        // Killed before its session began, or in its second one, another is the one before.
        const isOther =
          /^Session [2-9] was cut short: /.test(after.said ?? "") || after.said === null;
        if (isTold) told += 1;
        if (!isTold && !isCut && !isOther) wrong.push(`${crashAt}: ${after.said}`);
      }
      expect(wrong).toEqual([]);
      expect(told).toBeGreaterThan(effects / 2);
    },
  );

  it("that its provider refused is not told of, unless it left work", async () => {
    const tasks = [
      { kind: "session" as const, behaviours: ["refused" as const, "works" as const] },
    ];
    const world = new EngineWorld({ tasks, batch: 1 }, folder.path);
    await world.run();
    world.pass(3_600_000);
    await world.run();
    expect(world.briefs).toHaveLength(2);
    expect(world.briefs[1]).not.toContain("The session before");
  });
});
