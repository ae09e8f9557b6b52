import { describe, expect, it } from "vitest";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { VerifyView } from "../core/schema/views.ts";
import { minute, taskId } from "../../test/support/machine.ts";
import { verdict } from "../../test/support/lived-project.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import { layOut } from "./layout.ts";
import { verifyText } from "./verify-text.ts";

type Row = VerifyView["tasks"][number];

function row(id: string, standing: Row["standing"], more: Partial<Row> = {}): Row {
  const none = { labels: [], evidence: [], by: null, reason: null, commit: null };
  return { id: taskId(id), title: id, standing, ...none, ...more };
}

function lines(view: VerifyView): string[] {
  return layOut(verifyText(view, PLAIN), 200).split("\n");
}

describe("verify in plain words", () => {
  it("says what is proven, by which evidence, and what rests on somebody's word", () => {
    const view: VerifyView = {
      ...verdict(true),
      proof: {
        kind: "proven",
        commit: "0123456789abcdef",
        at: minute(1),
        checks: 3,
        path: "artifacts/proof/0123456789abcdef.json",
        sha256: "0".repeat(64) as Sha256,
        superseded: [{ task_id: taskId("t1"), check: "`x`", by: taskId("t2") }],
        elsewhere: [],
      },
      tasks: [
        row("t1", "checked"),
        row("t2", "checked"),
        row("t3", "weak", { labels: ["weakly-verified"] }),
        row("t4", "by-exit-code"),
        row("t5", "marked", { by: "ada" }),
        row("t6", "skipped", { by: "ada", reason: "nobody wants it" }),
        row("t7", "open"),
      ],
    };
    expect(lines(view)).toEqual([
      `${view.project_id} at revision 9`,
      "Intact: what was done is still there, with its evidence, boxes and commits",
      "  Proof: Proven in a fresh clone at 0123456789: 3 checks passed; `x` of t1 is superseded by t2 (artifacts/proof/0123456789abcdef.json)",
      "  Checked: 2 by checks that Stint ran: t1, t2",
      "  Weakly: 1 by checks that Stint ran, and what they do not tell is named: t3 (weakly-verified)",
      "  By exit code: 1 by the exit code of their command: t4",
      "  Your word: 1 marked by you, not verified by Stint: t5",
      "  Skipped: 1 left out: t6 (ada: nobody wants it)",
      "  Not done: 1 not done yet: t7",
    ]);
  });

  it("names every problem where it is not intact", () => {
    const view = verdict(false, "t1: its record is missing");
    expect(lines(view)).toEqual([
      `${view.project_id} at revision 9`,
      `Not intact: 1 problem. See also: stint doctor ${view.project_id}`,
      "  - t1: its record is missing",
    ]);
  });

  it("names a few of many", () => {
    const tasks = Array.from({ length: 20 }, (_, n) => row(`t${n + 1}`, "checked"));
    expect(lines({ ...verdict(true), tasks }).at(-1)).toBe(
      "  Checked: 20 by checks that Stint ran: t1, t2, t3, t4, t5, t6, t7, t8 and 12 more",
    );
  });
});
