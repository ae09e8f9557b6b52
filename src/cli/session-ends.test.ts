// What `status` says of sessions: how the last ones ended, and which wait for their provider now.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { statusView } from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
});
afterEach(() => bench.close());

const commit = (): void => {
  git(bench.root, "add", "-A");
  git(bench.root, "-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "-qm", "start");
};

async function status() {
  const { out } = await bench.run("status", "--json");
  return statusView.parse(JSON.parse(out));
}

describe("the status of a session", () => {
  it("tells its end with exit, last words and log, without a secret in them", async () => {
    const env = { SHOP_API_KEY: "s3cr3t-0123456789abcdef" };
    bench.program("agent", `echo "401: the key ${env.SHOP_API_KEY} is not valid" >&2; exit 3`);
    commit();
    await bench.runWith({ env }, "run", "prompt.md", "--agent", "command:agent", "--sessions", "1");
    const { session_ends } = await status();
    const log = join(bench.root, "agents/stint/projects/prompt/logs/sessions/1/stderr.log");
    expect(session_ends).toEqual([
      {
        session: 1,
        task_id: "t1",
        words: "crashed (exit 3): 401: the key [redacted] is not valid",
        log,
        at: expect.any(String),
      },
    ]);
    expect(readFileSync(log, "utf8")).toBe("401: the key [redacted] is not valid\n");
    const record = join(log, "../result.json");
    expect(JSON.parse(readFileSync(record, "utf8"))).toMatchObject({
      last_stderr: "401: the key [redacted] is not valid",
      log: "logs/sessions/1/stderr.log",
    });
  });

  it("tells the last one alone, and nothing once that finished", async () => {
    const script = {
      tasks: {
        "*": [[{ act: "die" }], [{ act: "say", text: "I only talk." }]],
      },
    };
    bench.write("script.json", JSON.stringify(script));
    commit();
    const run = ["run", "prompt.md", "--agent", "scripted:script.json", "--sessions", "1"];
    await bench.run(...run);
    expect((await status()).session_ends).toMatchObject([
      { session: 1, words: "was killed (SIGKILL)" },
    ]);
    await bench.run(...run);
    expect((await status()).session_ends).toEqual([]);
  });

  it("says that it waits for its provider, and that it was ended with its run", async () => {
    const retry = { kind: "retrying", attempt: 3, cause: "overloaded", message: "529" };
    const agent = [{ act: "emit", event: retry }, { act: "hang" }];
    bench.write("script.json", JSON.stringify({ tasks: { "*": agent } }));
    commit();
    await bench.create();
    const running = bench.run("run", "prompt.md", "--agent", "scripted:script.json");
    const text = "session 1 waits for its provider (retry 3, overloaded): 529";
    await expect
      .poll(async () => (await status()).provider_waits, { timeout: 30_000 })
      .toMatchObject([{ session: 1, text }]);
    const { out } = await bench.run("status");
    expect(out).toMatch(/ {2}Waits +session 1 waits for its provider \(retry 3, overloaded\): 529/);
    await bench.run("stop", "--now");
    const { out: said } = await running;
    expect(said).toContain(`\n${text}\n`);
    expect(said).toContain("\nsession 1 was ended by its run: ");
    expect(said).toMatch(/\n {2}Session 1: ended by its run: .* \(t1\), log .*events\.jsonl\n/);
    expect(said).toContain("; retried a provider 1 time\n");
    const { provider_waits, session_ends } = await status();
    expect([provider_waits, session_ends.length]).toEqual([[], 1]);
  });

  it("says that its provider answered once it did, not for an empty text or no tokens", async () => {
    const emit = (event: object) => ({ act: "emit", event });
    const retry = emit({ kind: "retrying", cause: "overloaded", message: "529" });
    const nothing = [
      emit({ kind: "text", text: "\n" }),
      emit({ kind: "usage", input: 0, output: 0 }),
    ];
    const agent = [retry, ...nothing, retry, ...nothing, retry, emit({ kind: "thinking" })];
    bench.write("script.json", JSON.stringify({ tasks: { "*": agent } }));
    commit();
    const run = ["run", "prompt.md", "--agent", "scripted:script.json", "--sessions", "1"];
    const { out } = await bench.run(...run);
    expect(out.match(/^session 1 (?:waits|continues).*$/gm)).toEqual([
      "session 1 waits for its provider (retry 1, overloaded): 529",
      "session 1 continues: its provider answered after 3 retries",
    ]);
  });
});
