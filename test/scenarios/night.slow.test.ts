// A night in which nobody looks: real sessions of scripted agents, and a clock that only this test moves. What a
// person would have read in the morning is nights/offline.txt; STINT_UPDATE_STORIES=1 writes it anew.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HEARTBEAT_MS } from "../../src/core/lease-rules.ts";
import type { News } from "../../src/core/news.ts";
import type { SessionStart } from "../../src/core/schema/session-records.ts";
import { newsLine } from "../../src/report/run-text.ts";
import { type Host, thisHost } from "../../src/store/host.ts";
import { type Acts, LimitedRun, refuse } from "../support/limited-run.ts";

const STORY = fileURLToPath(new URL("nights/offline.txt", import.meta.url));
const MINUTE_MS = 60_000;

const NAMES = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
const STEPS = NAMES.map((name) => `- [ ] ${name} - Write ${name}.txt\n  - check: file ${name}.txt`);
const MANIFEST = `## Goal\nEight files by the morning.\n\n## Steps\n${STEPS.join("\n")}\n`;

const at = (time: string): number => Date.parse(`2026-01-10T${time}:00.000Z`);
const atNext = (time: string): number => Date.parse(`2026-01-11T${time}:00.000Z`);

/** When the allowance of the preferred agent is used up, and when it is filled again. */
const LIMIT = { from: at("23:20"), until: atNext("00:30") };
/** When nothing can be reached. */
const OUTAGE = { from: atNext("01:25"), until: atNext("03:25") };

const NO_NETWORK = [
  "01:25 preferred",
  "01:35 second",
  "01:45 preferred",
  "01:55 second",
  "02:05 preferred",
  "02:15 second",
  "02:25 preferred",
  "02:35 second",
  "02:45 preferred",
  "02:55 second",
  "03:05 preferred",
  "03:15 second",
];

const WORK_MS = 40 * MINUTE_MS;
const REFUSAL_MS = 5 * MINUTE_MS;
/** As long as a session may do nothing but retry. */
const RETRYING_MS = 10 * MINUTE_MS;

let nowMs = at("22:00");
const beats = new Set<() => void>();

function pass(ms: number): void {
  for (let leftMs = ms; leftMs > 0; leftMs -= HEARTBEAT_MS) {
    nowMs += Math.min(leftMs, HEARTBEAT_MS);
    for (const act of beats) act();
  }
}

const HOST: Host = {
  ...thisHost(),
  nowMs: () => nowMs,
  randomBytes: (count) =>
    count === 2 ? new Uint8Array(2) : thisHost().randomBytes(count),
  sleep: async (ms) => pass(ms),
  every(_, act) {
    beats.add(act);
    return () => beats.delete(act);
  },
};

let scene: LimitedRun;
beforeEach(() => {
  // Times are told as the clock on the wall shows them.
  vi.stubEnv("TZ", "UTC");
  nowMs = at("22:00");
  scene = new LimitedRun(MANIFEST, HOST);
  // Of the machine's own time, in which sessions run; ten minutes of the night.
  scene.write("stint.config.yaml", "timeouts: { retrying: 1s, kill: 1s }\n");
});
afterEach(() => {
  scene.close();
  vi.unstubAllEnvs();
});

const isIn = ({ from, until }: { readonly from: number; readonly until: number }): boolean =>
  nowMs >= from && nowMs < until;

/** What a session that starts now does, and how much of the night it takes. */
function lot(agent: string): { readonly acts: (name: string) => Acts; readonly ms: number } {
  if (isIn(OUTAGE)) {
    const message = "Reconnecting... waiting for network (no route to host)";
    const event = { kind: "retrying", attempt: null, cause: "overloaded", message };
    return { acts: () => [{ act: "emit", event }, { act: "sleep", ms: 60_000 }], ms: RETRYING_MS };
  }
  if (agent === "preferred" && isIn(LIMIT)) {
    const resets = new Date(LIMIT.until).toISOString();
    return { acts: () => refuse("usage-limit", resets), ms: REFUSAL_MS };
  }
  const acts = (name: string): Acts => [
    { act: "write", path: `${name}.txt`, text: `${agent}\n` },
    { act: "say", text: `${name} is written` },
  ];
  return { acts, ms: WORK_MS };
}

/** The agent whose session starts gets what is its lot at that moment; then time goes by. */
function play(agent: string): string {
  const { acts } = lot(agent);
  return scene.play(agent, Object.fromEntries(NAMES.map((name) => [name, [acts(name)]])));
}

function startedBy(session: number): string {
  const path = `logs/sessions/${session}/start.json`;
  const bytes = scene.system.store.kept(scene.project, path as never);
  const { agent } = JSON.parse(bytes?.toString("utf8") ?? "{}") as SessionStart;
  return /(\w+)\.json$/.exec(agent)?.[1] ?? agent;
}

/** Said every five minutes; the morning has no use for it. */
const isSignOfLife = (line: string): boolean => line.endsWith(" is at work");

const clock = (): string => new Date(nowMs).toISOString().slice(11, 16);

/** Names of the machine and of this very run are no part of the story. */
function plain(line: string): string {
  return line
    .replaceAll(/scripted:\S*\/(\w+)\.json/g, "$1")
    .replaceAll(scene.project, "p-…")
    .replaceAll(scene.root, "/repo")
    .replaceAll(/\b[0-9a-f]{10,40}\b/g, "…");
}

it("limits, an outage of two hours, a fallback and a return: done by morning, and no attempt is lost", async () => {
  const story: string[] = [];
  const sessions: string[] = [];
  const tell = (news: News): void => {
    const line = newsLine(news);
    if (line !== null && !isSignOfLife(line)) story.push(`${clock()}  ${plain(line)}`);
    if (news.kind !== "persisted" || news.event !== "attempt-started") return;
    const agent = startedBy(scene.snapshot.state.counters.sessions);
    sessions.push(`${clock()} ${agent}`);
    play(agent);
    pass(lot(agent).ms);
  };
  const view = await scene.run({
    agent: play("preferred"),
    fallback: [play("second")],
    tell,
  });
  expect([view.status.status, clock() < "06:00"]).toEqual(["Done", true]);
  expect(sessions).toEqual([
    "22:00 preferred",
    "22:40 preferred",
    // Its allowance is used up: the other one takes over at once.
    "23:20 preferred",
    "23:25 second",
    "00:05 second",
    // The allowance is filled again.
    "00:45 preferred",
    // Nothing can be reached; each is tried for ten minutes, in turn, for two hours.
    ...NO_NETWORK,
    "03:30 preferred",
    "04:10 preferred",
    "04:50 preferred",
  ]);
  const { tasks, counters, agent_limits } = scene.snapshot.state;
  // Every session that its provider refused gave its attempt back.
  expect(tasks.map(({ attempts, extra_attempts = 0 }) => attempts - extra_attempts)).toEqual(
    tasks.map(() => 1),
  );
  expect(counters.refused_sessions).toBe(sessions.length - NAMES.length);
  // The preferred one was served again; of the other nobody knows better.
  expect(agent_limits?.map(({ agent }) => plain(agent))).toEqual(["second"]);
  const told = `${story.join("\n")}\n`;
  if (process.env["STINT_UPDATE_STORIES"] !== undefined) writeFileSync(STORY, told);
  expect(told).toBe(readFileSync(STORY, "utf8"));
});
