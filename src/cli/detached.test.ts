import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { News } from "../core/news.ts";
import { detachedView, watchView } from "../core/schema/views.ts";
import { watchRun } from "../operations/run/watch-run.ts";
import { newsLine } from "../report/run-text.ts";
import { runWatch } from "./detached-verbs.ts";
import type { VerbCall } from "./verb.ts";

let bench: CommandLineBench;

const SCRIPT = {
  tasks: {
    english: [{ act: "write", path: "hello.txt", text: "Hello\n" }],
    german: [{ act: "write", path: "hallo.txt", text: "Hallo\n" }],
  },
};

beforeEach(() => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
  bench.write("script.json", JSON.stringify(SCRIPT));
  git(bench.root, "config", "user.name", "Ada");
  git(bench.root, "config", "user.email", "ada@example.com");
});
afterEach(() => bench.close());

describe("a run in the background", () => {
  it("is started by run --detach, shown by watch until it ends, and ends as in the foreground", async () => {
    const words = ["run", "prompt.md", "--agent", "scripted:script.json", "--detach", "--json"];
    const started = await bench.run(...words);
    const view = detachedView.parse(JSON.parse(started.out));
    expect([started.code, started.err]).toEqual([0, ""]);
    expect(view.next).toEqual([
      `stint watch ${view.project_id}`,
      `stint status ${view.project_id}`,
      `stint stop ${view.project_id}`,
    ]);
    const watched = await bench.run("watch", "--plain");
    expect(watched.code).toBe(0);
    expect(watched.out).toContain('done task t2 "Write hallo.txt"');
    expect(watched.out).toContain(`\nprompt  ${view.project_id}  Done: every task is done\n`);
    const again = await bench.run("watch", "--json");
    expect(watchView.parse(JSON.parse(again.out))).toMatchObject({
      was_live: false,
      run: { done: ["t1", "t2"], run: { pid: view.pid } },
    });
    const { out } = await bench.run("status", "--json");
    expect(JSON.parse(out)).toMatchObject({ status: "Done", background: null });
  });

  it("leaves when nobody reads what it prints any more, and the run continues", async () => {
    const id = await bench.create();
    const holder = bench.hold(id);
    const terminal = {
      out: () => {},
      err: () => {},
      paint: PLAIN,
      width: undefined,
      onLost(tell: (why: string) => void) {
        tell("nobody reads its output any more (EPIPE)");
        return () => {};
      },
    };
    const call = { arguments: [], options: {}, json: true } as unknown as VerbCall;
    expect(await runWatch(bench.system(), call, terminal)).toBe(0);
    expect(bench.system().store.read(holder.state.project_id).lease.held).toBe(true);
    holder.release();
  });

  it("of another terminal is shown with the last lines of its journal, those of runs before it left out", async () => {
    const id = await bench.create();
    await bench.run("run", id, "--agent", "scripted:script.json", "--sessions", "1");
    const holder = bench.hold(id);
    holder.note({
      at: holder.lease.acquired_at,
      by: "stint",
      kind: "looked",
      summary: "looked at it",
    });
    const seen: News[] = [];
    const leaving = new AbortController();
    leaving.abort();
    await watchRun(bench.system(), {
      project: id,
      signal: leaving.signal,
      tell: {
        begin: (_, earlier) => void seen.push(...earlier),
        news: (news) => void seen.push(news),
      },
    });
    expect(seen.map((news) => newsLine(news))).toEqual([
      `started: prompt ${id}, 1 of 2 tasks done`,
      "looked at it",
    ]);
    holder.release();
  });

  it("is refused with the words and the exit code of the foreground", async () => {
    await bench.create();
    const words = ["run", "prompt.md", "--agent", "no-such-agent"];
    const inForeground = await bench.run(...words);
    expect(inForeground.code).toBe(2);
    expect(await bench.run(...words, "--detach")).toEqual(inForeground);
    expect(await bench.run("watch")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^No run is at work\.\nprompt/),
    });
  });

  it("is refused beside a run that is at work", async () => {
    const id = await bench.create();
    const holder = bench.hold(id);
    const { code, err } = await bench.run("resume", id, "--detach");
    expect([code, err.split("\n")[1]]).toEqual([6, `  See what it does: stint watch ${id}`]);
    expect(err).toMatch(new RegExp(`^stint: ${id} is being worked on: r-`));
    holder.release();
  });
});
