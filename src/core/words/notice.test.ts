import { describe, expect, it } from "vitest";
import {
  asked,
  completed,
  ended,
  failed,
  FREE,
  gate,
  passed,
  pausedBy,
  request,
  started,
  T1,
  work,
} from "../../../test/support/events.ts";
import { after, BY_STINT, minute, running, taskId } from "../../../test/support/machine.ts";
import type { ProjectEvent } from "../events.ts";
import { noticeOf, STATUS_UPDATE } from "./notice.ts";
import type { ProjectState } from "../schema/project.ts";

/** What is told of the last of these events. */
function told(state: ProjectState, ...events: readonly ProjectEvent[]) {
  const next = after(state, ...events);
  const event = events.at(-1);
  if (event === undefined) throw new Error("there is no event");
  const entry = { revision: 7, kind: event.kind, at: event.at, summary: "" };
  return noticeOf(entry, next);
}

const cannot = (id: string): ProjectEvent => ({
  kind: "task-blocked",
  ...BY_STINT,
  task_id: taskId(id),
  blocker: { kind: "missing-access", reason: "There is no key.", unblock: "get one" },
});
const projectBlocked: ProjectEvent = { kind: "blocked", ...BY_STINT };
const pause = (
  kind: "usage-limit" | "budget" | "signal",
  resume_at?: ReturnType<typeof minute>,
): ProjectEvent => ({
  kind: "paused",
  ...BY_STINT,
  pause: { kind, reason: "Out of tokens.", ...(resume_at === undefined ? {} : { resume_at }) },
});

describe("whoever wants every step told hears", () => {
  it("S3-27 of each kind of update that is one, and of nothing else", () => {
    const state = after(running([T1, FREE]), started("t1", 1), ended("t1", 1));
    expect(told(state, passed("t1", 1))).toMatchObject({
      kind: "update",
      update: "task-completed",
    });
    const done = after(state, passed("t1", 1));
    const commit = { kind: "commit-recorded", ...BY_STINT, task_id: taskId("t1") } as const;
    expect(told(done, { ...commit, commit: "abc" })).toMatchObject({ update: "artifact-created" });
    expect(told(running([T1, FREE]), cannot("t1"))).toMatchObject({ update: "blocker-found" });
    expect(told(running([T1, FREE]), started("t1", 1))).toBeUndefined();
  });

  it("S3-26 of what the run is at, where nothing is new", () => {
    const entry = {
      revision: 9,
      kind: STATUS_UPDATE,
      at: BY_STINT.at,
      summary: "session 1 is at work",
    };
    expect(noticeOf(entry, running([T1]))).toMatchObject({
      kind: "update",
      update: "next-action-in-progress",
      text: "session 1 is at work",
    });
  });
});

describe("a person is told", () => {
  it("S3-28 when they are needed: of an approval and of a question, each once", () => {
    const state = running([T1, FREE]);
    const id = state.project_id;
    expect(told(state, request("destructive", "t1"))).toEqual({
      id: `${id}-7`,
      kind: "person-needed",
      project: id,
      slug: state.slug,
      revision: 7,
      at: BY_STINT.at,
      title: `You are needed: ${state.slug}`,
      text: "a1: It leaves the machine.",
      next: `stint status ${id}`,
    });
    expect(told(state, asked("Which colour?"))).toMatchObject({
      kind: "person-needed",
      text: "q1: Which colour?",
    });
    const waiting = after(running([T1]), request("task-before", "t1"));
    expect(told(waiting, gate)).toBeUndefined();
  });

  it("when a task is blocked while others go on", () => {
    expect(told(running([T1, FREE]), cannot("t1"))).toMatchObject({
      kind: "blocked",
      text: "There is no key.",
      next: expect.stringContaining("get one"),
    });
  });

  it("S3-28 when the whole project is blocked, and not twice for one reason", () => {
    const state = running([T1]);
    expect(told(state, cannot("t1"))).toBeUndefined();
    expect(told(state, cannot("t1"), projectBlocked)).toMatchObject({
      kind: "blocked",
      text: "nothing can continue: There is no key.",
    });
    expect(told(running([T1, FREE]), cannot("t1"), cannot("free"), projectBlocked)?.text).toBe(
      "nothing can continue: There is no key. (and 1 more)",
    );
  });

  it("when the attempts at the last task are used up", () => {
    const once = [1, 2].flatMap((n) => [started("t1", n), ended("t1", n), failed("t1", n)]);
    const state = after(running([T1]), ...once, started("t1", 3), ended("t1", 3));
    expect(told(state, failed("t1", 3))).toMatchObject({ kind: "blocked" });
    expect(told(running([T1]), started("t1", 1), ended("t1", 1), failed("t1", 1))).toBeUndefined();
  });

  it("S4-22 when everything is done", () => {
    const state = running([T1]);
    expect(told(state, ...work("t1", 1), completed())).toMatchObject({
      kind: "done",
      title: `Done: ${state.slug}`,
      next: `stint verify ${state.project_id}`,
    });
    expect(told(state, ...work("t1", 1))?.kind).toBe("update");
  });

  it("when a limit stops the work for long, or for good", () => {
    const state = running([T1]);
    expect(told(state, pause("budget"))).toMatchObject({
      kind: "paused",
      text: "Out of tokens.",
      next: `stint resume ${state.project_id}`,
    });
    expect(told(state, pause("usage-limit", minute(60)))).toMatchObject({
      kind: "paused",
      text: `Out of tokens.; until ${minute(60)}`,
    });
    expect(told(state, pause("usage-limit", minute(2)))).toBeUndefined();
  });

  it("never of what they did themselves", () => {
    expect(told(running([T1]), pausedBy("requested"))).toBeUndefined();
    expect(told(running([T1]), pause("signal"))).toBeUndefined();
  });
});
