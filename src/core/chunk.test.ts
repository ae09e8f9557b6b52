import { describe, expect, it } from "vitest";
import { intent } from "../../test/support/machine.ts";
import { chunkOf } from "./chunk.ts";
import { plannedTask } from "./step/task-moves.ts";

describe("a chunk", () => {
  it("S3-16 is one objective and one validation target", () => {
    const check = { kind: "command", command: "npm test" } as const;
    expect(chunkOf(plannedTask(intent("t1", { checks: [check] })))).toEqual({
      task_id: "t1",
      objective: "Do t1",
      target: { kind: "checks", checks: [check] },
    });
  });

  it("S3-16 S3-21 has a target even where the manifest names no check", () => {
    const targets = [
      {},
      { docs_only: true as const },
      { run: "make" },
      { webhook: "http://x" },
    ].map((more) => chunkOf(plannedTask(intent("t1", more))).target);
    expect(targets).toEqual([
      { kind: "diff", docs_count: false },
      { kind: "diff", docs_count: true },
      { kind: "command", command: "make" },
      { kind: "webhook", url: "http://x" },
    ]);
  });
});
