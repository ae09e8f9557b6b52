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
        row("t8", "approved", { by: "ada" }),
        row("t9", "by-agent"),
        row("t6", "skipped", { by: "ada", reason: "nobody wants it" }),
        row("t7", "open"),
      ],
    };
    expect(lines(view)).toEqual([
      `${view.project_id} at revision 9`,
      "Intact: the evidence, boxes and commits of what was done are still there",
      "  Proof: Proven in a fresh clone at 0123456789: 3 checks passed; `x` of t1 is superseded by t2 (artifacts/proof/0123456789abcdef.json)",
      "  Checked: 2 by checks that Stint ran: t1, t2",
      "  Weakly: 1 less well verified than it could be, and what is missing is named: t3 (weakly-verified)",
      "  By exit code: 1 by the exit code of their command: t4",
      "  A person's yes: 1 by the review of a person, without a check that Stint ran: t8 (ada said yes)",
      "  An agent's yes: 1 by the review of a second agent, without a check that Stint ran: t9",
      "  Your word: 1 marked by you, not verified by Stint: t5",
      "  Skipped: 1 left out: t6 (ada: nobody wants it)",
      "  Open: 1 not done yet: t7",
    ]);
  });

  it.each<[what: string, view: Partial<VerifyView>, line: string]>([
    [
      "later commits that nobody proved",
      {
        later: {
          tip: "c0ffee0000000000",
          commits: [
            { commit: "c0ffee0000000000", subject: 'Revert "two"' },
            { commit: "decade0000000000", subject: "Tidy up" },
          ],
          tasks: [taskId("t1"), taskId("t2")],
          paths: ["a", "src/b"],
        },
      },
      `  Later: 2 later commits (c0ffee0000 Revert "two", decade0000 Tidy up) changed files of t1, t2, and that is not proven: a, src/b. To prove it: stint verify --fresh ${verdict(true).project_id}`,
    ],
    [
      "an edit that the next run adopts",
      { edit: { kind: "adopted", changes: ["t4 added: Four", "t2 reworded: Two"] } },
      "  Edited: the next run adopts what you changed in the manifest: t4 added: Four, t2 reworded: Two",
    ],
    [
      "an edit that the next run refuses",
      { edit: { kind: "refused", errors: ["prompt.md:3: error: x"] } },
      "  Edited: what you changed in the manifest has 1 error, so the next run refuses it. See the lines: stint lint",
    ],
    [
      "a text that git put there",
      { edit: { kind: "by-git", why: "git put it there (checkout)" } },
      "  Edited: the manifest on disk does not count as your edit: git put it there (checkout). The last adopted text stays in force",
    ],
  ])("says what came since then, which is no damage: %s", (_, more, line) => {
    const [, answer, told] = lines({ ...verdict(true), ...more });
    expect([answer?.startsWith("Intact: "), told]).toEqual([true, line]);
  });

  it("does not advise to prove what was tried already", () => {
    const failed = {
      kind: "failed" as const,
      commit: "c0ffee0000000000",
      at: minute(1),
      checks: 0,
      path: "artifacts/proof/c0ffee.json",
      sha256: "0".repeat(64) as Sha256,
      failing: [{ task_id: taskId("t1"), check: "`x`", reason: "why" }] as const,
    };
    const later = {
      tip: failed.commit,
      commits: [{ commit: failed.commit, subject: "Remove" }],
      tasks: [taskId("t1")],
      paths: ["a"],
    };
    const view = { ...verdict(true), proof: failed as never, later };
    expect(lines(view).at(-1)).toBe(
      "  Later: 1 later commit (c0ffee0000 Remove) changed files of t1, and that is not proven: a",
    );
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
