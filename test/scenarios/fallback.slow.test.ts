// A chain of agents: the next one takes over while a provider refuses, the first comes back. Real
// sessions of scripted agents, and a clock that is slept away.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Acts, LimitedRun, refuse } from "../support/limited-run.ts";

const HOUR_MS = 3_600_000;
const THREE_TASKS = `## Goal
Say hello.

## Steps
- [ ] one - Write one.txt
  - check: file one.txt
- [ ] two - Write two.txt
  - check: file two.txt
- [ ] three - Write three.txt
  - check: file three.txt
`;

let scene: LimitedRun;

beforeEach(() => {
  scene = new LimitedRun(THREE_TASKS);
});
afterEach(() => scene.close());

const by = (name: string, who: string): Acts => [
  { act: "write", path: `${name}.txt`, text: `${who}\n` },
];

/** Writes every task's file with its own name; what `more` says comes first. */
function worker(who: string, more: Readonly<Record<string, readonly Acts[]>> = {}): string {
  const own = Object.fromEntries(["one", "two", "three"].map((name) => [name, [by(name, who)]]));
  return scene.play(who, { ...own, ...more });
}

/** Who did the sessions, from first to last. */
function sessions(): string[] {
  const { counters } = scene.snapshot.state;
  return Array.from({ length: counters.sessions }, (_, n) => {
    const path = `logs/sessions/${n + 1}/start.json`;
    const bytes = scene.system.store.kept(scene.project, path as never);
    const { agent } = JSON.parse(bytes?.toString("utf8") ?? "{}") as { agent: string };
    return /(\w+)\.json$/.exec(agent)?.[1] ?? agent;
  });
}

describe("a chain of agents", () => {
  it.each(["usage-limit", "overloaded", "auth"])(
    "%s: the next one takes over at once, nobody waits, and no attempt is lost",
    async (cause) => {
      const agent = worker("first", { one: [refuse(cause, scene.in(HOUR_MS))] });
      const view = await scene.run({ agent, fallback: [worker("second")] });
      expect([view.status.status, scene.slept]).toEqual(["Done", []]);
      expect(sessions().slice(0, 2)).toEqual(["first", "second"]);
      expect(scene.snapshot.state.tasks[0]).toMatchObject({ attempts: 2, extra_attempts: 1 });
      expect(scene.told("notice").map(({ text }) => text)).toContainEqual(
        expect.stringMatching(/^session 2 is by scripted:.*second\.json \(.*first\.json: .* met\)$/),
      );
    },
  );

  it("switches back as soon as the limit of the first is over", async () => {
    const agent = worker("first", { one: [refuse("usage-limit", scene.in(HOUR_MS))] });
    // While the second works on the second task, the hour passes.
    const view = await scene.run({
      agent,
      fallback: [worker("second")],
      tell: (news) => {
        scene.news.push(news);
        if (news.kind === "persisted" && news.summary.startsWith("done task t2")) {
          scene.pass(2 * HOUR_MS);
        }
      },
    });
    expect(view.status.status).toBe("Done");
    expect(sessions()).toEqual(["first", "second", "second", "first"]);
    expect(scene.snapshot.state.agent_limits).toEqual([]);
  });

  it("waits for the soonest where all are limited", async () => {
    const agent = worker("first", { one: [refuse("usage-limit", scene.in(2 * HOUR_MS))] });
    const second = scene.play("second", {
      one: [[], refuse("usage-limit", scene.in(HOUR_MS)), by("one", "second")],
      two: [by("two", "second")],
      three: [by("three", "second")],
    });
    const view = await scene.run({ agent, fallback: [second] });
    expect(view.status.status).toBe("Done");
    expect(sessions()).toEqual(["first", "second", "second", "second", "second"]);
    const [{ until, now, reason } = { until: "", now: "", reason: "" }] = scene.told("waiting");
    expect(Math.round((Date.parse(until) - Date.parse(now)) / 60_000)).toBe(61);
    expect(reason).toMatch(/first\.json: usage-limit met; .*second\.json: usage-limit met$/);
  });

  it("is remembered: a run that is begun again knows who is limited", async () => {
    const agent = worker("first", { one: [refuse("usage-limit", scene.in(HOUR_MS))] });
    const chain = { agent, fallback: [worker("second")] };
    await scene.run({ ...chain, sessions: 1 });
    expect(sessions()).toEqual(["first", "second"]);
    const view = await scene.run({ target: scene.project, resumes: true });
    expect(view.status.status).toBe("Done");
    expect(sessions()).toEqual(["first", "second", "second", "second"]);
  });

  it("comes from the settings as well", async () => {
    const first = worker("first", { one: [refuse("usage-limit", scene.in(HOUR_MS))] });
    scene.write("stint.config.yaml", `agents:\n  - ${first}\n  - ${worker("second")}\n`);
    const view = await scene.run({});
    expect(view.status.status).toBe("Done");
    expect(sessions().slice(0, 2)).toEqual(["first", "second"]);
  });

  it("refuses an agent that does not exist before anything is begun", async () => {
    const fallback = ["nobody"];
    await expect(scene.run({ agent: worker("first"), fallback })).rejects.toMatchObject({
      code: "bad-input",
      message: 'There is no agent "nobody"',
    });
    expect(() => scene.snapshot).toThrow("there is no project yet");
  });
});

it("settings that name one agent and several are refused", async () => {
  scene.write("stint.config.yaml", "agent: claude\nagents: [claude, codex]\n");
  await expect(scene.run({})).rejects.toMatchObject({
    code: "bad-input",
    message: expect.stringContaining(
      "agent and agents mean the same; keep one",
    ) as string,
  });
});
