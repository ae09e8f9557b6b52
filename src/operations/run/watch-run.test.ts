import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../../test/support/command-line.ts";
import { required } from "../../../test/support/project-fixture.ts";
import { parseProjectId } from "../../core/ids.ts";
import type { News } from "../../core/news.ts";
import { newsLine } from "../../report/run-text.ts";
import { nowOf } from "../system.ts";
import { watchRun } from "./watch-run.ts";

let bench: CommandLineBench;
let id: NonNullable<ReturnType<typeof parseProjectId>>;

beforeEach(async () => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
  id = required(parseProjectId(await bench.create()));
});
afterEach(() => bench.close());

/** Watches until so many lines were seen, then leaves. */
async function seen(lines: number, act: (told: readonly string[]) => void = () => {}) {
  const leaving = new AbortController();
  const told: string[] = [];
  const tell = (news: News): void => {
    const line = newsLine(news);
    if (line !== null) told.push(line);
    act(told);
    if (told.length >= lines) leaving.abort();
  };
  const view = await watchRun(bench.system(), {
    project: id,
    signal: leaving.signal,
    tell: { begin: (_since, earlier) => void earlier.map(tell), news: tell },
  });
  return { told, view };
}

describe("who watches", () => {
  it("sees nothing where no run is at work, and how the project stands", async () => {
    const { told, view } = await seen(1);
    expect(told).toEqual([]);
    expect(view).toMatchObject({ was_live: false, left: false, pid: null, run: null });
    expect(view.status.status).toBe("Draft");
  });

  it("sees each revision of a run in another terminal, once, and leaves it at work", async () => {
    const holder = bench.hold(id);
    const at = nowOf(bench.system());
    let noted = 0;
    const { told, view } = await seen(3, () => {
      noted += 1;
      if (noted <= 2) holder.note({ at, by: "ada", kind: "noted", summary: `fact ${noted}` });
    });
    expect(told).toEqual([`started: prompt ${id}, 0 of 2 tasks done`, "fact 1", "fact 2"]);
    expect(view).toMatchObject({ was_live: true, left: true, pid: process.pid, run: null });
    expect(bench.system().store.read(id).lease.held).toBe(true);
    holder.release();
  });

  it("sees how a session ended in another terminal, with its log", async () => {
    const holder = bench.hold(id);
    const fact = { at: nowOf(bench.system()), by: "ada" };
    const ended = {
      session: 1,
      words: "crashed (exit 3): no API",
      log: "logs/sessions/1/stderr.log",
    };
    const data = { task_id: "t1", ended };
    const { told } = await seen(2, ({ length }) => {
      if (length !== 1) return;
      holder.note({
        ...fact,
        kind: "attempt-interrupted",
        summary: "attempt 1 was interrupted",
        data,
      });
    });
    const log = `${bench.root}/agents/stint/projects/prompt/logs/sessions/1/stderr.log`;
    expect(told.slice(1)).toEqual([`session 1 crashed (exit 3): no API, log ${log}`]);
    holder.release();
  });

  it("sees the news of a run in the background, whole lines alone", async () => {
    const system = bench.system();
    const files = await system.detachedFiles();
    const name = files.newName();
    files.openLog(id, name);
    files.takeOver(id, name, nowOf(system));
    const news = files.openNews(id, name);
    const notice = (text: string): void => news.tell({ kind: "notice", text });
    notice("one");
    const { told, view } = await seen(3, ({ length }) => {
      if (length === 1) notice("two");
      if (length === 2) notice("three");
    });
    news.close();
    expect(told).toEqual(["notice: one", "notice: two", "notice: three"]);
    expect(view).toMatchObject({ was_live: true, left: true, pid: process.pid });
    expect(view.status.background).toEqual({
      pid: process.pid,
      log: files.logPath(id, name),
      since: expect.any(String),
    });
    const { out } = await bench.run("status");
    expect(out).toContain(`Background  pid ${process.pid}; stint watch ${id} shows it`);
    expect(out).toContain(`Log         ${files.logPath(id, name)}`);
  });

  it("takes a process of before the last boot for ended, and what it left goes with the next one", async () => {
    const system = bench.system();
    const files = await system.detachedFiles();
    files.openLog(id, "0a0a0a0a");
    files.takeOver(id, "0a0a0a0a", nowOf(system));
    const run = required(files.current(id));
    expect(files.isAlive({ ...run, boot_id: "another" })).toBe(false);
    expect(files.isAlive({ ...run, process_start: "1" })).toBe(false);
    files.openLog(id, "0b0b0b0b");
    files.takeOver(id, "0b0b0b0b", nowOf(system));
    expect(bench.everything().filter((path) => /detached.*log$/.test(path))).toEqual([
      `state/stint/detached/${id}/0b0b0b0b.log`,
    ]);
    files.giveBack(id, "0a0a0a0a");
    expect(files.current(id)?.name).toBe("0b0b0b0b");
    files.giveBack(id, "0b0b0b0b");
    expect(files.current(id)).toBeUndefined();
  });
});
