import { describe, expect, it } from "vitest";
import { required, sampleState } from "../../test/support/project-fixture.ts";
import { parseSlug } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import { projectPages } from "./pages.ts";

const state = sampleState(required(parseSlug("prompt")), instantFromMs(0), 2);

describe("the pages of a project folder", () => {
  it("S3-12 S3-13 are those that a project needs besides state and manifest", () => {
    expect(Object.keys(projectPages(state))).toEqual(["README.md", "handoff.md"]);
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

  it("are the same for the same state", () => {
    expect(projectPages(state)).toEqual(projectPages({ ...state }));
  });
});
