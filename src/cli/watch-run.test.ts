import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeScreen } from "../../test/support/fake-screen.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { News, RunPlace } from "../core/news.ts";
import type { Terminal } from "./terminal.ts";
import { watchRun, type Watching } from "./watch-run.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TASK = { id: "t1", title: "Write it", status: "in_progress", attempt: 1, attempts: 3 };
const SPENT = { wall_ms: 0, tokens: null, cost_usd: null };
const AT: RunPlace = { done: 0, total: 2, sessions: 1, task: TASK, spent: SPENT, allowed: SPENT };
const BAR = "░".repeat(20);

function persisted(event: string, summary: string, place: RunPlace): News {
  return { kind: "persisted", revision: 1, event, summary, status: "Running", place };
}

const NEWS: readonly News[] = [
  { kind: "started", project_id: "p-0123456789", slug: "prompt", place: { ...AT, task: null } },
  persisted("attempt-started", "attempt 1 of t1 started", AT),
  { kind: "session", session: 1, line: "reading" },
];

function open(watching: Watching, screen?: FakeScreen) {
  const said: string[] = [];
  const clock = { nowMs: 0 };
  const terminal: Terminal = {
    out: (text) => void said.push(`out ${text}`),
    err: (text) => void said.push(`err ${text}`),
    paint: PLAIN,
    width: screen?.columns(),
    screen,
  };
  return { said, clock, watch: watchRun(terminal, watching, () => clock.nowMs) };
}

describe("who watches a run", () => {
  it("on a terminal sees the frame move, and the lines that stay above it", () => {
    const screen = new FakeScreen(80);
    const { said, clock, watch } = open("lines", screen);
    for (const news of NEWS) watch.tell(news);
    vi.advanceTimersByTime(100);
    expect(screen.lines).toEqual([
      `${BAR} 0 of 2 done · session 1 · 0:00 · prompt p-0123456789`,
      "▶ working on t1, attempt 1 of 3: Write it",
      "  reading",
    ]);
    clock.nowMs = 61_000;
    watch.tell({ kind: "notice", text: "beware" });
    expect(screen.lines).toEqual([
      "! beware",
      `${BAR} 0 of 2 done · session 1 · 1:01 · prompt p-0123456789`,
      "▶ working on t1, attempt 1 of 3: Write it",
      "  reading",
    ]);
    watch.ending("SIGINT: ending what runs and pausing …");
    expect(screen.lines[2]).toBe("■ SIGINT: ending what runs and pausing …");
    watch.end();
    expect(screen.lines).toEqual(["! beware"]);
    expect(said).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("writes nothing while nothing changes", () => {
    const screen = new FakeScreen(80);
    const { watch } = open("lines", screen);
    for (const news of NEWS) watch.tell(news);
    vi.advanceTimersByTime(100);
    const before = screen.writes.length;
    vi.advanceTimersByTime(800);
    expect(screen.writes).toHaveLength(before);
    watch.end();
  });

  it("in a pipe reads plain lines", () => {
    const { said, watch } = open("lines");
    for (const news of NEWS) watch.tell(news);
    watch.ending("SIGTERM: pausing");
    watch.end();
    expect(said).toEqual([
      "out started: prompt p-0123456789, 0 of 2 tasks done",
      "out attempt 1 of t1 started",
      "out agent: reading",
      "err SIGTERM: pausing",
    ]);
  });

  it("for a report sees what passes on a terminal, and no line that stays", () => {
    const screen = new FakeScreen(80);
    const live = open("quiet", screen);
    for (const news of [...NEWS, { kind: "notice", text: "beware" } as const])
      live.watch.tell(news);
    vi.advanceTimersByTime(100);
    expect(screen.lines).toHaveLength(3);
    live.watch.end();
    expect(screen.lines).toEqual([]);
    const piped = open("quiet");
    for (const news of NEWS) piped.watch.tell(news);
    expect(piped.said).toEqual([]);
  });

  it("as a program is told nothing", () => {
    const { said, watch } = open("silent", new FakeScreen(80));
    for (const news of NEWS) watch.tell(news);
    watch.ending("SIGTERM");
    watch.end();
    expect(said).toEqual([]);
  });
});
