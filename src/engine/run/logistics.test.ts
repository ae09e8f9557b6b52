// An act of the manifest that a person wants once more, by unchecking its box.
import { EngineWorld, type Scenario } from "../../../test/support/engine-world.ts";
import { crashPoints } from "../../../test/support/kill-window.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { afterAll, describe, expect, it } from "vitest";

const folder = temporaryFolder();

afterAll(() => folder.remove());

const scenario: Scenario = {
  tasks: [
    { kind: "act", succeeds: true, hasCheck: false },
    { kind: "session", behaviours: ["nothing"] },
  ],
  batch: 1,
};

async function doneAndUnchecked(): Promise<EngineWorld> {
  const world = new EngineWorld(scenario, folder.path);
  await world.run();
  expect(world.state.tasks.map(({ status }) => status)).toEqual(["done", "blocked"]);
  expect(acts(world)).toBe(1);
  world.manifest = world.manifest.replace("[x] n1", "[ ] n1");
  return world;
}

const acts = ({ executed }: EngineWorld): number =>
  executed.filter(({ task }) => task === "n1").length;

describe("an act without a check whose box a person unchecked", () => {
  it("is done once more, and only once", async () => {
    const world = await doneAndUnchecked();
    await world.run();
    expect(acts(world)).toBe(2);
    expect(world.state.tasks[0]?.status).toBe("done");
    expect(world.manifest).toContain("[x] n1");
    await world.run();
    expect(acts(world)).toBe(2);
  });

  it("is never blindly repeated, wherever a crash comes", async () => {
    const whole = await doneAndUnchecked();
    const effects = await whole.run();
    for (const crashAt of crashPoints(effects)) {
      // oxlint-disable-next-line no-await-in-loop
      const world = await doneAndUnchecked();
      // oxlint-disable-next-line no-await-in-loop
      await world.run({ crashAt });
      // oxlint-disable-next-line no-await-in-loop
      await world.run();
      const [task] = world.state.tasks;
      expect([crashAt, acts(world) <= 2, world.violations]).toEqual([crashAt, true, []]);
      // Done by its second act, or a person is asked whether that took effect.
      if (task?.status === "done") expect([crashAt, acts(world)]).toEqual([crashAt, 2]);
      else expect(task).toMatchObject({ reason: expect.stringContaining("is unknown") });
    }
  });
});

describe("an act that was cut short", () => {
  it("is committed with what it changed, and never with what a person wrote since", async () => {
    const begun = () => new EngineWorld(scenario, folder.path);
    const effects = await begun().run();
    for (const crashAt of crashPoints(effects)) {
      const world = begun();
      // oxlint-disable-next-line no-await-in-loop
      await world.run({ crashAt });
      // oxlint-disable-next-line no-await-in-loop
      await world.run();
      world.edit("notes.js", "a person's");
      // oxlint-disable-next-line no-await-in-loop
      await world.run({ retry: true });
      expect([crashAt, world.state.tasks[0]?.status]).toEqual([crashAt, "done"]);
      const held = world.commits
        .filter(({ tasks }) => tasks.includes("t1"))
        .map(({ paths }) => paths);
      expect([crashAt, held]).toEqual([crashAt, [["n1.js"]]]);
    }
  });
});
