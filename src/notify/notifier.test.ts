import { describe, expect, it, vi } from "vitest";
import { completed, FREE, request, T1, work } from "../../test/support/events.ts";
import { after, BY_STINT, running } from "../../test/support/machine.ts";
import type { ProjectEvent } from "../core/events.ts";
import { msOf } from "../core/instant.ts";
import type { NoticedEntry } from "../core/words/notice.ts";
import { judgeKept } from "../core/json-line.ts";
import {
  type Notice,
  type NoticeKind,
  type NoticeMemory,
  noticeMemory,
} from "../core/schema/notice.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Channel } from "./channels.ts";
import { Notifier, OLD_NEWS_MS } from "./notifier.ts";

/** What outlives a run: the kept file and the journal. */
class Disk {
  kept: string | undefined;
  journal: NoticedEntry[] = [];
  readonly notes: string[] = [];
  readonly sent: string[] = [];
  nowMs = msOf(BY_STINT.at);
  minuteOfDay = 12 * 60;
  #revision = 1;

  /** As the store does: the state carries its own journal line. */
  persist(state: ProjectState, ...events: readonly ProjectEvent[]): ProjectState {
    let next = state;
    for (const event of events) {
      this.#revision += 1;
      const entry = { revision: this.#revision, kind: event.kind, at: event.at, summary: "s" };
      this.journal.push(entry);
      const last_event = { ...entry, offset: 0, type: "event", by: "stint", crc: "0" } as const;
      next = { ...after(next, event), revision: this.#revision, last_event };
    }
    return next;
  }

  channel(name: Channel["name"], deliver?: (notice: Notice) => Promise<void>): Channel {
    return {
      name,
      describe: name,
      deliver: async (notice) => {
        await deliver?.(notice);
        this.sent.push(`${name}: ${notice.text}`);
      },
    };
  }

  run(
    state: ProjectState,
    channels: readonly Channel[] = [this.channel("command")],
    more: { quiet?: string; on?: NoticeKind[] } = {},
  ): Notifier {
    return new Notifier(
      {
        kept: () => this.#memory(),
        keep: (memory) => void (this.kept = JSON.stringify(memory)),
        note: (kind, text) => void this.notes.push(`${kind}: ${text}`),
        lastEvent: () => this.journal.at(-1),
        nowMs: () => this.nowMs,
        minuteOfDay: () => this.minuteOfDay,
        redact: (text) => text.replaceAll("hunter2", "[redacted]"),
      },
      channels,
      more,
      state,
    );
  }

  waiting(): number {
    return this.#memory()?.waiting.length ?? 0;
  }

  #memory(): NoticeMemory | undefined {
    if (this.kept === undefined) return undefined;
    const judged = judgeKept(this.kept, noticeMemory);
    if (!judged.ok) throw new Error(judged.why);
    return judged.value;
  }
}

const patient = () => false;
const ASK = request("destructive", "t1");

function begun(): { disk: Disk; state: ProjectState } {
  return { disk: new Disk(), state: { ...running([T1, FREE]), revision: 1 } };
}

describe("notices", () => {
  it("are kept before they are sent, sent in order, and kept as sent", async () => {
    const { disk, state } = begun();
    const seen: number[] = [];
    const watching = disk.channel("command", async () => void seen.push(disk.waiting()));
    const notifier = disk.run(state, [watching]);
    const asked = disk.persist(state, ASK);
    notifier.persisted(asked);
    expect(disk.waiting()).toBe(1);
    expect(disk.sent).toEqual([]);
    const done = disk.persist(running([T1]), ...work("t1", 1), completed());
    notifier.persisted({ ...done, project_id: state.project_id });
    await notifier.settle(patient);
    expect(disk.sent).toEqual([
      "command: a1: It leaves the machine.",
      expect.stringMatching(/^command: every task is done/),
    ]);
    expect(seen).toEqual([2, 1]);
    expect(disk.waiting()).toBe(0);
    expect(disk.notes).toEqual([]);
  });

  it("go to every channel; one that fails is noted, and stops neither the others nor the run", async () => {
    const { disk, state } = begun();
    const broken = disk.channel("webhook", () => Promise.reject(new Error("HTTP 500 hunter2")));
    const notifier = disk.run(state, [broken, disk.channel("desktop")]);
    notifier.persisted(disk.persist(state, ASK));
    await notifier.settle(patient);
    expect(disk.sent).toEqual(["desktop: a1: It leaves the machine."]);
    expect(disk.notes).toEqual([
      expect.stringMatching(
        /^notice-failed: webhook could not send "You are needed: .*": HTTP 500 \[redacted\]$/,
      ),
    ]);
    expect(disk.waiting()).toBe(0);
  });

  it("are sent by the next run, once, when this one was killed before it could", async () => {
    const { disk, state } = begun();
    const hanging = disk.channel("command", () => new Promise(() => {}));
    const asked = disk.persist(state, ASK);
    disk.journal = [];
    disk.run(state, [hanging]).persisted(asked);
    // Killed: the kept file is all there is.
    for (const _ of [1, 2]) {
      // oxlint-disable-next-line no-await-in-loop
      await disk.run(asked).settle(patient);
    }
    expect(disk.sent).toEqual(["command: a1: It leaves the machine."]);
  });

  it("are found in the journal when the run was killed before it kept them", async () => {
    const { disk, state } = begun();
    await disk.run(state).settle(patient);
    const asked = disk.persist(state, ASK);
    const next = disk.run(asked);
    await next.settle(patient);
    expect(disk.sent).toEqual(["command: a1: It leaves the machine."]);
    const third = disk.run(asked);
    third.persisted(asked);
    await third.settle(patient);
    expect(disk.sent).toHaveLength(1);
  });

  it("of what happened before anybody wanted to be told are not sent", async () => {
    const { disk, state } = begun();
    const notifier = disk.run(disk.persist(state, ASK));
    await notifier.settle(patient);
    expect(disk.sent).toEqual([]);
  });

  it("are sent only of the kinds that are wanted", async () => {
    const { disk, state } = begun();
    const notifier = disk.run(state, undefined, { on: ["done"] });
    notifier.persisted(disk.persist(state, ASK));
    await notifier.settle(patient);
    expect(disk.sent).toEqual([]);
    expect(disk.waiting()).toBe(0);
  });

  it("S3-26 tell every step only to whoever asks for updates", async () => {
    const steps = async (on?: readonly ["update"]): Promise<readonly string[]> => {
      const { disk, state } = begun();
      const notifier = disk.run(state, undefined, on === undefined ? {} : { on: [...on] });
      notifier.persisted(disk.persist(state, ...work("t1", 1)));
      await notifier.settle(patient);
      return disk.sent;
    };
    expect(await steps()).toEqual([]);
    expect(await steps(["update"])).toHaveLength(1);
  });

  it("never hold a secret", async () => {
    const { disk, state } = begun();
    const secret: ProjectEvent = {
      kind: "question-asked",
      ...BY_STINT,
      question: { text: "is hunter2 right?" },
    };
    const notifier = disk.run(state);
    notifier.persisted(disk.persist(state, secret));
    await notifier.settle(patient);
    expect(disk.sent).toEqual(["command: q1: is [redacted] right?"]);
    expect(disk.kept).not.toContain("hunter2");
  });

  it("are cut where they are long, and hold no half of a secret there", async () => {
    const { disk, state } = begun();
    const text = `${"x".repeat(490)}hunter2 and more`;
    const notifier = disk.run(state);
    notifier.persisted(
      disk.persist(state, { kind: "question-asked", ...BY_STINT, question: { text } }),
    );
    await notifier.settle(patient);
    expect(disk.sent[0]).toMatch(/^command: q1: x{490}\[reda…$/);
    expect(disk.sent[0]).not.toContain("hunt");
  });

  it("that are under way when the run must end at once are left to the next run", async () => {
    const { disk, state } = begun();
    const slow: Channel = {
      name: "webhook",
      describe: "slow",
      deliver: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    };
    const notifier = disk.run(state, [slow]);
    const asked = disk.persist(state, ASK);
    notifier.persisted(asked);
    await notifier.settle(() => true);
    expect(disk.waiting()).toBe(1);
    expect(disk.notes).toEqual([
      expect.stringMatching(/^notice-held: not sent yet: You are needed/),
    ]);
    await disk.run(asked, [disk.channel("webhook")]).settle(patient);
    expect(disk.sent).toEqual(["webhook: a1: It leaves the machine."]);
  });
});

describe("in quiet hours a notice", () => {
  const quiet = { quiet: "22:00-07:00" };

  it("waits, and is sent without a sound when the run ends before them: nobody else would", async () => {
    const { disk, state } = begun();
    disk.minuteOfDay = 23 * 60;
    const quietly: (boolean | undefined)[] = [];
    const channel = disk.channel("command", async (notice) => void quietly.push(notice.quiet));
    const notifier = disk.run(state, [channel], quiet);
    notifier.persisted(disk.persist(state, ASK));
    await Promise.resolve();
    expect(disk.sent).toEqual([]);
    const done = disk.persist(running([T1]), ...work("t1", 1), completed());
    notifier.persisted({ ...done, project_id: state.project_id });
    await notifier.settle(patient);
    expect(disk.sent).toHaveLength(2);
    expect(quietly).toEqual([true, true]);
    expect(disk.waiting()).toBe(0);
    expect(disk.notes).toEqual([]);
  });

  it("that a killed run left is sent by the next run after them, as any other", async () => {
    const { disk, state } = begun();
    disk.minuteOfDay = 23 * 60;
    const asked = disk.persist(state, ASK);
    disk.run(state, undefined, quiet).persisted(asked);
    // Killed: the kept file is all there is.
    disk.minuteOfDay = 7 * 60;
    disk.nowMs += 8 * 60 * 60_000;
    const quietly: (boolean | undefined)[] = [];
    const channel = disk.channel("command", async (notice) => void quietly.push(notice.quiet));
    await disk.run(asked, [channel], quiet).settle(patient);
    expect(quietly).toEqual([undefined]);
  });

  it("is sent by the same run with whatever comes after them", async () => {
    const { disk, state } = begun();
    disk.minuteOfDay = 6 * 60 + 59;
    const notifier = disk.run(state, undefined, quiet);
    notifier.persisted(disk.persist(state, ASK));
    disk.minuteOfDay = 7 * 60;
    const done = disk.persist(running([T1]), ...work("t1", 1), completed());
    notifier.persisted({ ...done, project_id: state.project_id });
    await notifier.settle(patient);
    expect(disk.sent).toHaveLength(2);
  });

  it("is sent by the same run when they end, though nothing else happens", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { disk, state } = begun();
    disk.minuteOfDay = 6 * 60;
    const notifier = disk.run(state, undefined, quiet);
    notifier.persisted(disk.persist(state, ASK));
    vi.advanceTimersByTime(59 * 60_000);
    await Promise.resolve();
    expect(disk.sent).toEqual([]);
    disk.minuteOfDay = 7 * 60;
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await notifier.settle(patient);
    expect(disk.sent).toEqual(["command: a1: It leaves the machine."]);
  });

  it("is sent soon after them though the clock was put forward meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { disk, state } = begun();
    disk.minuteOfDay = 60;
    const told = new Promise<Notice>((resolve) => {
      const channel = disk.channel("command", async (notice) => resolve(notice));
      disk.run(state, [channel], quiet).persisted(disk.persist(state, ASK));
    });
    // Five hours later it is seven, not six.
    disk.minuteOfDay = 7 * 60;
    vi.advanceTimersByTime(5 * 60 * 60_000);
    vi.useRealTimers();
    expect((await told).quiet).toBeUndefined();
  });

  it("that became old news is dropped, and noted", async () => {
    const { disk, state } = begun();
    disk.minuteOfDay = 23 * 60;
    const asked = disk.persist(state, ASK);
    disk.run(state, undefined, quiet).persisted(asked);
    disk.nowMs += OLD_NEWS_MS;
    disk.minuteOfDay = 12 * 60;
    await disk.run(asked, undefined, quiet).settle(patient);
    expect(disk.sent).toEqual([]);
    expect(disk.notes.at(-1)).toMatch(
      /^notice-dropped: dropped, because it is too old: You are needed/,
    );
    expect(disk.waiting()).toBe(0);
  });
});
