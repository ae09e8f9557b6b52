import { describe, expect, it } from "vitest";
import type { ProjectId } from "./ids.ts";
import { PROJECT_STATUSES } from "../../test/support/transitions.ts";
import { type FoundFolder, type KnownProject, whatToClean } from "./what-to-clean.ts";

const ID = "p-0000000001" as ProjectId;
const OTHER = "p-0000000002" as ProjectId;

type State = NonNullable<KnownProject["state"]>;

function project(state: Partial<State> | null = {}, isRootThere = true): KnownProject {
  const whole: State = {
    status: "Done",
    isHeld: false,
    openTasks: [],
    isUnderWay: false,
    ...state,
  };
  return { id: ID, slug: "a", root: "/repo", isRootThere, state: state === null ? null : whole };
}

function folder(change: Partial<FoundFolder> = {}): FoundFolder {
  const path = `/state/workspaces/${ID}/1`;
  return { path, project: ID, kind: "workspace", keptTasks: [], undelivered: [], ...change };
}

function verdicts(projects: readonly KnownProject[], folders: readonly FoundFolder[]) {
  return whatToClean({ projects, folders }).map(({ kind, reason, onlyCopyOf }) => ({
    kind,
    reason,
    onlyCopyOf,
  }));
}

describe("what is cleaned", () => {
  it("is the workspace of a project that is over, and of no other", () => {
    const over = PROJECT_STATUSES.filter(
      (status) => verdicts([project({ status })], [folder()]).length > 0,
    );
    expect(over).toEqual(["Done", "Abandoned"]);
    expect(verdicts([project()], [folder()])).toEqual([
      { kind: "workspace", reason: "its project is Done", onlyCopyOf: [] },
    ]);
  });

  it("is never anything of a project that a run holds", () => {
    const held = { isHeld: true };
    const litter = folder({ kind: "litter" });
    expect(verdicts([project(held)], [folder(), litter])).toEqual([]);
    expect(verdicts([project(held, false)], [folder(), litter])).toEqual([]);
  });

  it("is not the workspace of a project whose state cannot be read", () => {
    expect(verdicts([project(null)], [folder()])).toEqual([]);
  });

  it("is the workspace of a project that is not known, or whose checkout is gone", () => {
    expect(verdicts([], [folder({ project: OTHER })])).toMatchObject([
      { kind: "workspace", reason: "its project is not known here" },
    ]);
    expect(verdicts([project(null, false)], [folder()])).toEqual([
      { kind: "workspace", reason: "its checkout /repo is gone", onlyCopyOf: [] },
    ]);
  });

  it("is what a killed process left, whatever the project is at", () => {
    const reason = "a process that was killed left it";
    const litter = folder({ kind: "litter", keptTasks: null });
    for (const projects of [[], [project({ status: "Running" })], [project(null)]]) {
      expect(verdicts(projects, [litter])).toEqual([{ kind: "litter", reason, onlyCopyOf: [] }]);
    }
  });

  it("is the entry of a project whose checkout is gone", () => {
    expect(whatToClean({ projects: [project({}, false)], folders: [] })).toEqual([
      {
        kind: "registry-entry",
        project: ID,
        path: "/repo",
        reason: "its checkout /repo is gone",
        onlyCopyOf: [],
      },
    ]);
    expect(verdicts([project({ status: "Paused" }, false)], [])).toMatchObject([
      { onlyCopyOf: ["the only way to reopen a project that is Paused"] },
    ]);
    expect(verdicts([project(null, false)], [])).toEqual([]);
  });

  it("says what would be lost with it", () => {
    const full = folder({ keptTasks: ["t1", "t2"], undelivered: ["stint/a"] });
    const lost = (projects: readonly KnownProject[]) => verdicts(projects, [full])[0]?.onlyCopyOf;
    const commits = "commits that only stint/a contains";
    expect(lost([project({ status: "Abandoned", openTasks: ["t2"] })])).toEqual([
      "unfinished work of t2",
      commits,
    ]);
    expect(lost([])).toEqual(["unfinished work of t1", "unfinished work of t2", commits]);
    expect(lost([project({ isUnderWay: true })])).toEqual([
      commits,
      "the attempt that was in progress",
    ]);
    expect(verdicts([project()], [folder({ keptTasks: null })])).toMatchObject([
      { onlyCopyOf: ["the content of its own repository, which cannot be read"] },
    ]);
  });

  it("keeps the entry of a project as long as its workspace", () => {
    const full = folder({ undelivered: ["stint/a"] });
    expect(verdicts([project({}, false)], [full])).toMatchObject([
      { kind: "workspace", onlyCopyOf: ["commits that only stint/a contains"] },
      { kind: "registry-entry", onlyCopyOf: ["commits that only stint/a contains"] },
    ]);
  });
});
