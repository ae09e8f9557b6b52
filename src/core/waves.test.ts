import { describe, expect, it } from "vitest";
import { intent } from "../../test/support/machine.ts";
import type { TaskId } from "./ids.ts";
import type { TaskIntent } from "./schema/task.ts";
import { plannedTask } from "./step/task-moves.ts";
import { wavesOf } from "./waves.ts";

const free = (id: string, more: Partial<TaskIntent> = {}) => intent(id, { after: [], ...more });
const after = (id: string, ...ids: string[]) => intent(id, { after: ids as TaskId[] });

function waves(parallel: number, ...intents: readonly TaskIntent[]): string[] {
  return wavesOf(intents.map(plannedTask), parallel).waves.map((wave) => wave.join(" "));
}

function longest(...intents: readonly TaskIntent[]): string {
  return wavesOf(intents.map(plannedTask), 2).longest.join(" ");
}

describe("waves", () => {
  it("are single tasks where each waits for all above", () => {
    expect(waves(3, intent("a"), intent("b"), intent("c"))).toEqual(["a", "b", "c"]);
    expect(longest(intent("a"), intent("b"), intent("c"))).toBe("a b c");
  });

  it("hold what waits for no other, at most as many as may be", () => {
    expect(waves(5, free("a"), free("b"), free("c"))).toEqual(["a b c"]);
    expect(waves(2, free("a"), free("b"), free("c"))).toEqual(["a b", "c"]);
    expect(longest(free("a"), free("b"))).toBe("a");
  });

  it("follow the dependencies, and the longest path is the longest of them", () => {
    const plan = [free("a"), free("b"), after("c", "a"), after("d", "c", "b"), intent("e")];
    expect(waves(4, ...plan)).toEqual(["a b", "c", "d", "e"]);
    expect(longest(...plan)).toBe("a c d e");
  });

  it("leave what is exclusive alone, and let nothing go before it", () => {
    const plan = [free("a"), free("b", { exclusive: true }), free("c"), free("d")];
    expect(waves(4, ...plan)).toEqual(["a", "b", "c d"]);
  });

  it("count nothing that is finished", () => {
    const done = {
      ...plannedTask(intent("a")),
      status: "skipped",
      by: "",
      reason: "",
      skipped_at: "",
    };
    const { waves: left } = wavesOf([done as never, plannedTask(intent("b"))], 2);
    expect(left).toEqual([["b"]]);
  });
});
