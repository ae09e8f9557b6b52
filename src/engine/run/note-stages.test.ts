import { afterAll, describe, expect, it } from "vitest";
import { EngineWorld, type PlannedTask } from "../../../test/support/engine-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const WORKS: PlannedTask = { kind: "session", behaviours: ["works"] };
const ALL = [1, 2, 3, 4, 5, 6];

function begun(settings: string | undefined): EngineWorld {
  const scenario = { tasks: [WORKS, WORKS], batch: 1 };
  return new EngineWorld(
    settings === undefined ? scenario : { ...scenario, settings },
    folder.path,
  );
}

function stages({ journal }: EngineWorld): unknown[] {
  return journal.flatMap(({ kind, data }) => (kind === "stage" ? [data?.["stage"]] : []));
}

describe("S2-7 the stages of a run", () => {
  it("are lines of the journal of an iteration, around its work, and of nothing else", async () => {
    const world = begun("iteration: fix-it");
    await world.run();
    expect(world.state.status).toBe("Done");
    const told = ["stage", "attempt-started", "completed"];
    const kinds = world.journal.map(({ kind }) => kind).filter((kind) => told.includes(kind));
    const before = "stage stage attempt-started attempt-started";
    expect(kinds.join(" ")).toBe(`${before} stage stage stage stage completed`);
    expect(stages(world)).toEqual(ALL);
    expect(world.journal.find(({ data }) => data?.["stage"] === 3)?.summary).toBe(
      "stage 3 of 6, execute: 2 sessions ended",
    );
    const plain = begun(undefined);
    await plain.run();
    expect(stages(plain)).toEqual([]);
  });

  it("are there once each and in order, whatever effect a crash comes after", async () => {
    const effects = await begun("iteration: fix-it").run();
    const found = new Set<string>();
    for (let crashAt = 1; crashAt <= effects; crashAt += 1) {
      const world = begun("iteration: fix-it");
      // Each run follows the crash before it.
      // oxlint-disable-next-line no-await-in-loop
      await world.run({ crashAt });
      // oxlint-disable-next-line no-await-in-loop
      await world.run();
      found.add(`${world.state.status} ${stages(world).join(" ")}`);
    }
    expect([...found]).toEqual([`Done ${ALL.join(" ")}`]);
  });
});
