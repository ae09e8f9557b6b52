import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EngineWorld } from "../../../test/support/engine-world.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";

let folder: TemporaryFolder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

const TWO_TASKS = {
  tasks: [
    { kind: "session" as const, behaviours: ["works" as const] },
    { kind: "session" as const, behaviours: ["works" as const] },
  ],
  batch: 1,
};

describe("a round", () => {
  it("S4-8 S4-19 S4-20 S4-26 reports only what is persisted by then, in the order it was decided", async () => {
    const world = new EngineWorld(TWO_TASKS, folder.path);
    const told: { event: string; isPersisted: boolean }[] = [];
    await world.run({
      tell(news) {
        if (news.kind !== "persisted") return;
        told.push({ event: news.event, isPersisted: world.state.revision >= news.revision });
      },
    });
    expect(told.filter(({ isPersisted }) => !isPersisted)).toEqual([]);
    const rounds = told.map(({ event }) => event);
    const task = ["attempt-started", "session-ended", "checks-recorded", "commit-recorded"];
    expect(rounds).toEqual(["work-started", ...task, ...task, "completed"]);
  });

  it("S4-12 S4-13 that changes nothing is refused and journalled, and no advance is claimed", async () => {
    const world = new EngineWorld(TWO_TASKS, folder.path);
    await expect(world.run({ isDeaf: true })).rejects.toThrow(
      "a round that changed nothing was refused (persist)",
    );
    expect(world.state.last_event).toMatchObject({ kind: "empty-round", type: "fact" });
    expect(world.state.status).toBe("Ready");
  });
});
