import { expect, it } from "vitest";
import { minute } from "../../test/support/machine.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { WatchdogView } from "../core/schema/views.ts";
import { layOut } from "./layout.ts";
import { watchdogText } from "./watchdog-text.ts";

it("says of a watched project what status says of it", () => {
  const watch = { project_id: "p-0000000001", slug: "prompt" };
  const view = {
    action: "status",
    at: minute(1),
    tick: null,
    timer: {
      kind: null,
      live: false,
      places: [],
      changed: false,
      last_tick: null,
      watches: [
        { ...watch, status: "Running", held: true },
        { ...watch, status: "Running", held: false },
        { ...watch, status: "Paused", held: false },
      ],
      unreadable: [],
    },
  } as unknown as WatchdogView;
  expect(layOut(watchdogText(view, PLAIN), 80).split("\n").slice(-3)).toEqual([
    "  p-0000000001 prompt Running",
    "  p-0000000001 prompt Ready to continue",
    "  p-0000000001 prompt Paused",
  ]);
});

it("does not say that nothing is watched, where something cannot be read", () => {
  const why = "could not read state: the device failed to read or write (EIO)";
  const view = {
    action: "status",
    timer: {
      kind: "cron",
      live: true,
      places: [],
      last_tick: null,
      watches: [],
      unreadable: [{ project_id: "p-0000000001", why }],
    },
  } as unknown as WatchdogView;
  expect(layOut(watchdogText(view, PLAIN), 200).split("\n").slice(2)).toEqual([
    `p-0000000001 cannot be read: ${why}`,
    "  → stint doctor p-0000000001",
  ]);
});
