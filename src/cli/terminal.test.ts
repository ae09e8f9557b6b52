import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { Output } from "./output.ts";
import { realTerminal } from "./terminal.ts";

function open(env: Record<string, string>, isTTY: boolean, columns?: number) {
  const stream = () =>
    Object.assign(new PassThrough({ encoding: "utf8" }), {
      isTTY,
      columns,
    }) as unknown as NodeJS.WriteStream;
  const [stdout, stderr] = [stream(), stream()];
  return {
    stdout,
    stderr,
    real: realTerminal({ out: new Output(stdout), err: new Output(stderr) }, env),
  };
}

describe("the terminal", () => {
  it.each([
    ["a person", {}, true, true, 72],
    ["a pipe", {}, false, false, undefined],
    ["a dumb terminal", { TERM: "dumb" }, true, false, 72],
    ["NO_COLOR", { NO_COLOR: "1" }, true, false, 72],
    ["an empty NO_COLOR, which does not count", { NO_COLOR: "" }, true, true, 72],
    ["FORCE_COLOR in a pipe", { FORCE_COLOR: "1" }, false, true, undefined],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, false, false, undefined],
    ["NO_COLOR against FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false, 72],
  ])("for %s has the right colours and width", (_, env, isTTY, coloured, width) => {
    const { real } = open(env, isTTY, 72);
    expect(real.paint.red("x") !== "x").toBe(coloured);
    expect([real.width, real.errorWidth]).toEqual([width, width]);
  });

  it.each([undefined, 0])("is 80 columns wide where it says %s", (columns) => {
    const { real } = open({}, true, columns);
    expect([real.width, real.errorWidth, real.screen?.columns()]).toEqual([80, 80, 80]);
  });

  it("prints whole lines, answers and errors apart", () => {
    const { real, stdout, stderr } = open({}, false);
    real.out("answer");
    real.err("error");
    expect((stdout as unknown as PassThrough).read()).toBe("answer\n");
    expect((stderr as unknown as PassThrough).read()).toBe("error\n");
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "that is left ends by %s at once, with the exit code of what was done",
    (signal) => {
      const before = process.listeners(signal);
      const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as never);
      open({}, false).real.leave?.(3);
      const added = process.listeners(signal).filter((each) => !before.includes(each));
      for (const listener of added) listener(signal);
      expect(exit.mock.calls).toEqual([[3]]);
      exit.mockRestore();
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        process.off(name, process.listeners(name).at(-1) as () => void);
      }
    },
  );

  it("is left with the exit code of a run while the run still listens", async () => {
    const bench = new CommandLineBench();
    try {
      bench.write("prompt.md");
      bench.program("agent", "exit 3");
      const idle = process.listenerCount("SIGINT");
      const left: number[][] = [];
      const leave = (code: number) =>
        void left.push([code, process.listenerCount("SIGINT") - idle]);
      const run = ["run", "prompt.md", "--agent", "command:agent", "--sessions", "1"];
      expect((await bench.runWith({ leave }, ...run)).code).toBe(1);
      expect(left).toEqual([[1, 1]]);
    } finally {
      bench.close();
    }
  });
});
