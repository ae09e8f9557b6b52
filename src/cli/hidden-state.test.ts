import { afterEach, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";

let bench: CommandLineBench;

afterEach(() => bench.close());

it.each(["log", "show t1", "verify", "results", "dispatch list", "status --verbose"])(
  "stint %s says in a session that the state is hidden from it, and advises no repair",
  async (words) => {
    bench = new CommandLineBench();
    bench.write("prompt.md");
    await bench.run("new", "prompt.md");
    const env = {
      STINT_INBOX: `${bench.root}/agents/stint/inbox`,
      STINT_SEAL: "x",
      // Where the state is, there is nothing to be seen.
      XDG_STATE_HOME: `${bench.path}/hidden`,
    };
    const { code, err } = await bench.runWith({ env }, ...words.split(" "));
    expect(code).not.toBe(0);
    expect(err).toContain("Stint's state is hidden from this session");
    expect(err).toContain("stint status");
    expect(err).not.toContain("doctor");
  },
);
