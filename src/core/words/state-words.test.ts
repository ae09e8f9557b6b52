import { describe, expect, it } from "vitest";
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
  rolesOf,
  STATUS_UPDATE_KINDS,
  UPDATE_EVERY_MS,
  isUpdateDue,
  newStatusUpdate,
} from "./state-words.ts";
import type { Lease } from "../schema/project.ts";

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

describe("roles", () => {
  it("S4-6 S4-7 collapse into the run for a simple project", () => {
    const state = running([intent("t1")]);
    expect(rolesOf(state, lease)).toEqual({
      origin: "ada",
      coordinator: "stint (r-0123456789 on box)",
      workers: [],
      watchdog: null,
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
      watchdog: "watchdog of stint",
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

describe("a status update", () => {
  it("S3-27 has one of the four legal kinds", () => {
    expect(STATUS_UPDATE_KINDS).toEqual([
      "artifact-created",
      "task-completed",
      "blocker-found",
      "next-action-in-progress",
    ]);
  });

  it.each(STATUS_UPDATE_KINDS)("S3-27 cannot be constructed empty: %s", (kind) => {
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
