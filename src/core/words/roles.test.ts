import { describe, expect, it } from "vitest";
import {
  BY_STINT,
  RUN_ID,
  after,
  intent,
  minute,
  running,
  taskId,
} from "../../../test/support/machine.ts";
import { rolesOf } from "./roles.ts";
import type { Lease } from "../schema/lease.ts";

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
          return_condition: "Tests pass.",
          checkpoint_at: minute(30),
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
