import { describe, expect, it } from "vitest";
import { sampleNotice } from "../../test/support/sample-notice.ts";
import { commandChannel, desktopChannel, type RunWords } from "./channels.ts";

const signal = new AbortController().signal;

type Call = Parameters<RunWords>[0];

function runner(result: Partial<Awaited<ReturnType<RunWords>>> = {}): {
  calls: Call[];
  run: RunWords;
} {
  const calls: Call[] = [];
  const run: RunWords = async (call) => {
    calls.push(call);
    return { exitCode: 0, timedOut: false, output: "", ...result };
  };
  return { calls, run };
}

const hostile = sampleNotice({ title: "--help", text: "$(rm -rf ~) <b>&`id`" });

describe("a command", () => {
  it("gets the notice on stdin and its own words as they are written", async () => {
    const { calls, run } = runner();
    await commandChannel(["./tell.sh", "--to", "a b"], run).deliver(hostile, signal);
    expect(calls).toEqual([
      {
        words: ["./tell.sh", "--to", "a b"],
        stdin: `${JSON.stringify(hostile)}\n`,
        env: {
          STINT_NOTICE: "done",
          STINT_NOTICE_ID: "p-0123456789-7",
          STINT_PROJECT: "p-0123456789",
        },
        timeoutMs: 30_000,
        signal,
      },
    ]);
  });

  it("is told in a variable when it is to keep still", async () => {
    const { calls, run } = runner();
    await commandChannel(["tell"], run).deliver({ ...hostile, quiet: true }, signal);
    expect(calls[0]?.env).toMatchObject({ STINT_NOTICE_QUIET: "1" });
  });

  it("that fails says how, and its last words", async () => {
    const { run } = runner({ exitCode: 3, output: "one\nno route\n" });
    await expect(commandChannel(["tell"], run).deliver(hostile, signal)).rejects.toThrow(
      "tell exited with 3: no route",
    );
    const slow = runner({ exitCode: null, timedOut: true });
    await expect(commandChannel(["tell"], slow.run).deliver(hostile, signal)).rejects.toThrow(
      "tell did not end within 30 s",
    );
  });
});

describe("the desktop", () => {
  const has = (name: string) => (program: string) =>
    program === name ? `/usr/bin/${name}` : undefined;

  it("is told by notify-send, which reads neither options nor markup in it", async () => {
    const { calls, run } = runner();
    await desktopChannel({ find: has("notify-send"), run })?.deliver(hostile, signal);
    expect(calls[0]?.words).toEqual([
      "/usr/bin/notify-send",
      "--app-name=Stint",
      "--",
      "--help",
      "$(rm -rf ~) &lt;b&gt;&amp;`id`\nstint verify p-0123456789",
    ]);
  });

  it("is told without a sound in quiet hours, and never of what no program can be given", async () => {
    const { calls, run } = runner();
    const notice = sampleNotice({ text: "red \u001b[31m\u0000\nnext", quiet: true });
    await desktopChannel({ find: has("notify-send"), run })?.deliver(notice, signal);
    expect(calls[0]?.words.slice(1)).toEqual([
      "--app-name=Stint",
      "--urgency=low",
      "--",
      notice.title,
      "red \uFFFD[31m\uFFFD\nnext\nstint verify p-0123456789",
    ]);
  });

  it("is told by osascript, which gets the texts as words", async () => {
    const { calls, run } = runner();
    await desktopChannel({ find: has("osascript"), run })?.deliver(hostile, signal);
    expect(calls[0]?.words.slice(0, 3)).toEqual(["/usr/bin/osascript", "-e", "on run argv"]);
    expect(calls[0]?.words.slice(-2)).toEqual([
      "--help",
      "$(rm -rf ~) <b>&`id`\nstint verify p-0123456789",
    ]);
  });

  it("cannot be told where neither is there", () => {
    expect(desktopChannel({ find: () => undefined, run: runner().run })).toBeUndefined();
  });

  it("that cannot be reached says so", async () => {
    const { run } = runner({ exitCode: 1, output: "Cannot autolaunch D-Bus\n" });
    const channel = desktopChannel({ find: has("notify-send"), run });
    await expect(channel?.deliver(hostile, signal)).rejects.toThrow(
      "/usr/bin/notify-send exited with code 1: Cannot autolaunch D-Bus",
    );
  });
});
