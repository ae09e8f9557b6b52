import { describe, expect, it } from "vitest";
import { required, sampleState } from "../../../test/support/project-fixture.ts";
import { parseSlug } from "../../core/ids.ts";
import { instantFromMs } from "../../core/instant.ts";
import { dispatched } from "../../../test/support/events.ts";
import { after, BY_STINT, intent, RUN_ID, running, taskId } from "../../../test/support/machine.ts";
import type { ProjectEvent } from "../../core/events.ts";
import { derivedFields } from "../../core/project-state.ts";
import { projectPages } from "./pages.ts";

const state = sampleState(required(parseSlug("prompt")), instantFromMs(0), 2);

const attemptStarted = (id: string, session: number): ProjectEvent => ({
  kind: "attempt-started",
  ...BY_STINT,
  task_id: taskId(id),
  session,
  run_id: RUN_ID,
});

describe("the pages of a project folder", () => {
  it("S3-12 S3-13 are those that a project needs besides state and manifest", () => {
    expect(Object.keys(projectPages(state))).toEqual([
      "README.md",
      "handoff.md",
      "state.md",
      "validation.md",
    ]);
  });

  it("S4-5 say how it stands, how to resume it and what comes next", () => {
    const pages = projectPages({
      ...state,
      next_action: "Do | this\nnow",
      next_checkpoint: "noon",
      last_session_note: "All tests\nare red.",
    });
    expect(pages["README.md"]).toContain("| Next action | Do \\| this now |");
    expect(pages["README.md"]).toContain(`\`stint status ${state.project_id}\``);
    expect(pages["README.md"]).toContain("| Tasks | 0 of 2 done |");
    expect(pages["handoff.md"]).toContain("- Next checkpoint: noon\n- Blockers: none");
    expect(pages["handoff.md"]).toContain("## Last session\n\nAll tests\nare red.");
  });

  it("S4-5 S4-24 the state page has the nine sections, each as it is persisted", () => {
    const waiting = after(
      running([intent("t1"), intent("t2", { after: [] })]),
      dispatched("t2"),
      attemptStarted("t1", 2),
    );
    const page = projectPages(waiting)["state.md"] ?? "";
    const sections = page.split(/^## /m).slice(1);
    expect(sections.map((section) => section.slice(0, section.indexOf("\n")))).toEqual([
      "Goal",
      "Success criteria",
      "Current status",
      "Current step",
      "Completed work",
      "Next action",
      "Next checkpoint",
      "Blockers",
      "Active owners or workers",
    ]);
    const { round_status } = derivedFields(waiting);
    expect(sections[2]).toBe(`Current status\n\n${round_status}\n\nIn Stint's words: Running.\n\n`);
    expect(sections[5]).toBe(`Next action\n\n${waiting.next_action}\n\n`);
    expect(sections[8]).toContain("- Workers: session 2 on t1, worker-1 (d1 on t2)");
    expect(sections[8]).toContain("- d1 is back when its worker says so; next look");
  });

  it("no text of a manifest or a blocker becomes a section of its own", () => {
    const hostile = { ...state, goal: "Win\n\n## Blockers\n\nNone." };
    expect(projectPages(hostile)["state.md"]?.match(/^## /gm)).toHaveLength(9);
  });

  it("are the same for the same state", () => {
    expect(projectPages(state)).toEqual(projectPages({ ...state }));
  });
});
