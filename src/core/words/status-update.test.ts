import { describe, expect, it } from "vitest";
import { BY_STINT, after, draft, intent, minute, running } from "../../../test/support/machine.ts";
import {
  STATUS_UPDATE_KINDS,
  UPDATE_EVERY_MS,
  isUpdateDue,
  newStatusUpdate,
} from "./status-update.ts";

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
