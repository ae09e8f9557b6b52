import { updateKind } from "../schema/notice.ts";
import { describe, expect, it } from "vitest";
import {
  denied,
  dispatched,
  ended,
  gate,
  granted,
  passed,
  request,
  started,
} from "../../../test/support/events.ts";
import type { ProjectEvent } from "../events.ts";
import {
  BY_STINT,
  RUN_ID,
  after,
  intent,
  minute,
  running,
  taskId,
  draft,
} from "../../../test/support/machine.ts";
import {
  nextAction,
  rolesOf,
  whatCompletes,
  UPDATE_EVERY_MS,
  isUpdateDue,
  newStatusUpdate,
} from "./state-words.ts";
import type { Lease, ProjectState } from "../schema/project.ts";

const lease: Lease = {
  fence: 1,
  run_id: RUN_ID,
  owner: "stint",
  host: "box",
  boot_id: "boot",
  pid_namespace: "ns",
  pid: 7,
  process_start: "1",
  acquired_at: minute(0),
  heartbeat_at: minute(0),
  released_at: null,
};

describe("what comes next", () => {
  const finished = after(
    running([intent("t1")]),
    started("t1", 1),
    ended("t1", 1),
    passed("t1", 1),
    request("push", undefined),
  );

  it("is the push that was approved, before the end", () => {
    const yes = after(finished, granted(1));
    expect(nextAction(yes)).toBe("Push what was approved (a1), then end as Done.");
    const left = /^Finish t1 ".+" \(box and commit\), then end as Done\.$/;
    expect(nextAction(after(finished, denied(1)))).toMatch(left);
  });

  it("is nothing in a Done project, which names what was skipped", () => {
    const [t1, t2] = running([intent("t1"), intent("t2")]).tasks;
    const skipped = { ...t2, status: "skipped", reason: "not now" };
    const state = { ...finished, status: "Done", tasks: [t1, skipped] } as unknown as ProjectState;
    expect(nextAction(state)).toBe(
      "Nothing: every task is done except skipped ones: t2 (not now).",
    );
  });
});

describe("roles", () => {
  it("S4-6 S4-7 collapse into the run for a simple project", () => {
    const state = running([intent("t1")]);
    expect(rolesOf(state, lease)).toEqual({
      origin: "ada",
      coordinator: "stint (r-0123456789 on box)",
      workers: [],
      watchdog: "checked at each tick (stint watchdog status)",
      collapsed: true,
    });
  });

  it("S4-6 S4-7 are named one by one once work is delegated", () => {
    const state = after(
      running([intent("t1"), intent("t2", { after: [] })]),
      {
        kind: "dispatch-sent",
        ...BY_STINT,
        run_id: RUN_ID,
        dispatch: {
          task_id: taskId("t2"),
          owner: "worker-1",
          objective: "Do it.",
          worker: { kind: "outside" },
          returns: { kind: "message" },
          checkpoint_at: minute(30),
          deadline_at: minute(60),
        },
      },
      {
        kind: "attempt-started",
        ...BY_STINT,
        task_id: taskId("t1"),
        session: 2,
        run_id: RUN_ID,
      },
      { kind: "watchdog-installed", ...BY_STINT },
    );
    expect(rolesOf(state, lease)).toEqual({
      origin: "ada",
      coordinator: "stint (r-0123456789 on box)",
      workers: ["session 2 on t1", "worker-1 (d1 on t2)"],
      watchdog: "checked at each tick (stint watchdog status)",
      collapsed: false,
    });
  });

  it("S4-6 have no coordinator while no run holds the lease", () => {
    const state = running([intent("t1")]);
    expect(rolesOf(state, null).coordinator).toBeNull();
    expect(rolesOf(state, { ...lease, released_at: minute(1) }).coordinator).toBeNull();
  });
});

const state = draft([intent("t1")]);

describe("what completes the work", () => {
  const two = [intent("t1"), intent("t2", { after: [] })];
  it("S4-23 is said in every status that is not the end", () => {
    const blocker = { kind: "push", reason: "Rejected.", unblock: "git pull" } as const;
    const blocked: ProjectEvent = { kind: "blocked", ...BY_STINT, blocker };
    const waiting = after(running([intent("t1")]), dispatched("t1"), {
      kind: "wait-began",
      ...BY_STINT,
    });
    const asked = after(running([intent("t1")]), request("task-before", "t1"), gate);
    expect(
      [draft(two), running(two), after(running(two), blocked), waiting, asked].map(whatCompletes),
    ).toEqual([
      "t1, t2 with passing checks.",
      "t1, t2 with passing checks.",
      "git pull",
      "The return of d1 (its worker says so).",
      "An answer to a1.",
    ]);
    const many = Array.from({ length: 8 }, (_, n) => intent(`t${n + 1}`, { after: [] }));
    expect(whatCompletes(running(many))).toBe(
      "t1, t2, t3, t4, t5 and 3 more tasks with passing checks.",
    );
  });
});

describe("a status update", () => {
  it.each(updateKind.options)("S3-27 cannot be constructed empty: %s", (kind) => {
    expect(newStatusUpdate(state, kind, "", minute(1))).toBeUndefined();
    expect(newStatusUpdate(state, kind, " \n", minute(1))).toBeUndefined();
    expect(newStatusUpdate(state, kind, "dist/app.js", minute(1))?.kind).toBe(kind);
  });

  it("S4-22 S4-23 says the persisted status, what is new, what is next and what would unblock", () => {
    const blocker = { kind: "push", reason: "Rejected.", unblock: "git pull" } as const;
    const blocked = after(running([intent("t1")]), { kind: "blocked", ...BY_STINT, blocker });
    expect(newStatusUpdate(blocked, "blocker-found", "Rejected.", minute(2))).toEqual({
      kind: "blocker-found",
      at: minute(2),
      revision: 0,
      status: "Blocked",
      round_status: "blocked",
      what: "Rejected.",
      next: "Clear this: Rejected. (git pull)",
      unblocked_by: "git pull",
    });
  });

  it("S3-26 is due every five minutes", () => {
    expect(UPDATE_EVERY_MS).toBe(300_000);
    expect(isUpdateDue(0, 299_999)).toBe(false);
    expect(isUpdateDue(0, 300_000)).toBe(true);
  });
});
