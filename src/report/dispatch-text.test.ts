import { expect, it } from "vitest";
import { minute } from "../../test/support/machine.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { DispatchView, ResultsView } from "../core/schema/views.ts";
import { localTime } from "./amounts.ts";
import { dispatchText, resultsText } from "./dispatch-text.ts";
import { layOut } from "./layout.ts";

const SENT = {
  id: "d1",
  task_id: "t3",
  objective: "Draw the logo",
  owner: "the design team",
  returns: "file logo.svg",
  status: "sent",
  sent_at: minute(0),
  next_look_at: minute(5),
  deadline_at: minute(60),
  closed_at: null,
  result: null,
};

it("tells times as a clock does, in a table that fits a terminal", () => {
  const list = { did: null, dispatches: [SENT], next: [] } as unknown as DispatchView;
  const lines = layOut(dispatchText(list, PLAIN), 80).split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`file logo.svg  ${localTime(minute(5))}  ${localTime(minute(60))}`);
  const closed = { ...SENT, next_look_at: null, closed_at: minute(7), status: "returned" };
  const view = { results: [SENT, closed] } as unknown as ResultsView;
  expect(layOut(resultsText(view, PLAIN), 80).split("\n")).toEqual(
    expect.arrayContaining([
      `  Sent: ${localTime(minute(0))}`,
      `  Next look: ${localTime(minute(5))}; given up at ${localTime(minute(60))}`,
      `  Closed: ${localTime(minute(7))}`,
    ]),
  );
});
