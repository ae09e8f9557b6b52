import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeScreen } from "../../test/support/fake-screen.ts";
import { LiveView, type Watching, watchRun } from "./live-view.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { News, RunPlace } from "../core/news.ts";
import type { Terminal } from "./terminal.ts";

function open(width = 40, height = 24) {
  const screen = new FakeScreen(width, height);
  const state = { frame: ["one", "two"] as readonly string[] };
  const view = new LiveView(screen, () => state.frame);
  return { screen, state, view };
}

describe("the live view", () => {
  it("draws its frame again in place, below the lines that stay", () => {
    const { screen, state, view } = open();
    view.draw();
    expect(screen.lines).toEqual(["one", "two"]);
    view.line("a fact");
    expect(screen.lines).toEqual(["a fact", "one", "two"]);
    state.frame = ["a longer first line", "2", "three"];
    view.draw();
    expect(screen.lines).toEqual(["a fact", "a longer first line", "2", "three"]);
    state.frame = ["short"];
    view.draw();
    expect(screen.lines).toEqual(["a fact", "short"]);
    view.line("another");
    expect(screen.lines).toEqual(["a fact", "another", "short"]);
  });

  it("writes nothing when nothing changed, and every change at once", () => {
    const { screen, state, view } = open();
    view.draw();
    view.draw();
    expect(screen.writes).toHaveLength(1);
    state.frame = ["one", "2"];
    view.draw();
    expect(screen.writes).toHaveLength(2);
    for (const write of screen.writes) {
      expect(write.startsWith("\u001b[?2026h")).toBe(true);
      expect(write.endsWith("\u001b[?2026l")).toBe(true);
    }
  });

  it("is gone when it ends, and stays gone", () => {
    const { screen, view } = open();
    view.line("a fact");
    view.end();
    view.end();
    view.draw();
    expect(screen.lines).toEqual(["a fact"]);
    view.line("a last word");
    expect(screen.lines).toEqual(["a fact", "a last word"]);
  });

  it("changes nothing of the terminal that a killed process could leave behind", () => {
    const { screen, view } = open();
    view.draw();
    view.line("a fact");
    view.end();
    const all = screen.writes.join("");
    // oxlint-disable-next-line no-control-regex -- looking for control sequences is the purpose
    const used = new Set(all.match(/\u001b\[[?0-9]*[A-Za-z]/g));
    expect([...used].toSorted()).toEqual(
      ["[2A", "[?2026h", "[?2026l", "[J", "[K"].map((code) => `\u001b${code}`).toSorted(),
    );
  });

  it("never takes more rows than there are", () => {
    const { screen, state, view } = open(40, 3);
    state.frame = ["1", "2", "3", "4", "5"];
    view.draw();
    expect(screen.lines).toEqual(["1", "2"]);
  });

  it("finds its first line again after the terminal became narrower", () => {
    const { screen, state, view } = open(40);
    state.frame = ["x".repeat(30), "y"];
    view.draw();
    screen.resize(20);
    state.frame = ["short", "y"];
    view.draw();
    // 30 columns take two rows of 20: up by three, not by two.
    expect(screen.writes.at(-1)).toContain("\r\u001b[3A");
  });
});

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

function openWatch(watching: Watching, screen?: FakeScreen) {
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
    const { said, clock, watch } = openWatch("lines", screen);
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
    const { watch } = openWatch("lines", screen);
    for (const news of NEWS) watch.tell(news);
    vi.advanceTimersByTime(100);
    const before = screen.writes.length;
    vi.advanceTimersByTime(800);
    expect(screen.writes).toHaveLength(before);
    watch.end();
  });

  it("in a pipe reads plain lines", () => {
    const { said, watch } = openWatch("lines");
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
    const live = openWatch("quiet", screen);
    for (const news of [...NEWS, { kind: "notice", text: "beware" } as const])
      live.watch.tell(news);
    vi.advanceTimersByTime(100);
    expect(screen.lines).toHaveLength(3);
    live.watch.end();
    expect(screen.lines).toEqual([]);
    const piped = openWatch("quiet");
    for (const news of NEWS) piped.watch.tell(news);
    expect(piped.said).toEqual([]);
  });

  it("as a program is told nothing", () => {
    const { said, watch } = openWatch("silent", new FakeScreen(80));
    for (const news of NEWS) watch.tell(news);
    watch.ending("SIGTERM");
    watch.end();
    expect(said).toEqual([]);
  });
});
