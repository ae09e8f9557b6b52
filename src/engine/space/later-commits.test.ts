// Which commits after the work are worth a word: those that changed its files, and that nothing proves.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { work } from "../../../test/support/events.ts";
import {
  type TestRepositories,
  type TestRepository,
  testRepositories,
} from "../../../test/support/git-repository.ts";
import { after, intent, running } from "../../../test/support/machine.ts";
import type { Proof, ProjectState } from "../../core/schema/project.ts";
import type { DeliveryNow } from "../../core/schema/views.ts";
import { laterCommits } from "./later-commits.ts";

const OWN = ["prompt.md", "agents/stint/projects/prompt"];

describe("commits after the work", () => {
  let repositories: TestRepositories;
  let r: TestRepository;
  let state: ProjectState;
  let proof: string | null;

  beforeEach(() => {
    repositories = testRepositories();
    r = repositories.make();
    proof = null;
    commit("start", { "old.txt": "1" });
    const start = running([intent("t1"), intent("t2")]);
    const done = after(start, ...work("t1", 1), ...work("t2", 2));
    const commits = ["t1", "t2"].map((id) =>
      commit(`${id}\n\nStint-Project: ${done.project_id}\nStint-Task: ${id}`, {
        [`${id}.txt`]: "1",
        "prompt.md": id,
      }),
    );
    const tasks = done.tasks.map((task, index) => ({ ...task, commit: commits[index] }));
    state = { ...done, tasks };
  });
  afterEach(() => repositories.remove());

  function commit(message: string, files: Readonly<Record<string, string | null>>): string {
    for (const [name, text] of Object.entries(files)) {
      if (text === null) r.remove(name);
      else r.write(name, text);
    }
    return r.commitAll(message);
  }

  const delivered = (): DeliveryNow => ({ kind: "delivered", branch: "main", commit: r.head() });

  async function found(now: DeliveryNow | null = delivered()) {
    const proven = proof === null ? {} : { proof: { kind: "proven", commit: proof } as Proof };
    const later = await laterCommits({ root: r.root, own: OWN }, { ...state, ...proven }, now);
    return later && [later.commits.map(({ subject }) => subject), later.tasks, later.paths];
  }

  const REMOVED = [["Remove"], ["t1", "t2"], ["t1.txt", "t2.txt"]];

  it.each<[what: string, act: () => unknown, expected: unknown]>([
    ["none", () => {}, null],
    ["that removed it", () => commit("Remove", { "t1.txt": null, "t2.txt": null }), REMOVED],
    [
      "that changed one task",
      () => commit("Change\n\nmore words", { "t2.txt": "2", "new.txt": "" }),
      [["Change"], ["t2"], ["t2.txt"]],
    ],
    ["ordinary ones", () => commit("Go on", { "old.txt": "2", "new.txt": "" }), null],
    ["that only changed what Stint writes", () => commit("Box", { "prompt.md": "mine" }), null],
    [
      "that were proven since, and one after them",
      () => {
        proof = commit("Remove", { "t1.txt": null });
        commit("Bring back", { "t1.txt": "1" });
      },
      [["Bring back"], ["t1"], ["t1.txt"]],
    ],
    ["that were proven since", () => (proof = commit("Remove", { "t1.txt": null })), null],
    [
      "of the project itself, made again",
      () => commit(`t2\n\nStint-Project: ${state.project_id}\nStint-Task: t2`, { "t2.txt": "2" }),
      null,
    ],
    [
      "that came with a merge, and what the merge itself changed",
      () => {
        r.git("checkout", "-q", "-b", "side", "main~2");
        commit("Aside", { "side.txt": "" });
        r.git("checkout", "-q", "main");
        r.git("merge", "-q", "--no-ff", "--no-commit", "side");
        commit("Merge", { "t1.txt": "2" });
      },
      [["Merge"], ["t1"], ["t1.txt"]],
    ],
  ])("%s", async (_, act, expected) => {
    act();
    expect(await found()).toEqual(expected);
  });

  it("are looked for where the work is: on the branch that has it, or in the checkout", async () => {
    commit("Remove", { "t1.txt": null, "t2.txt": null });
    expect(await found({ kind: "in-place" })).toEqual(REMOVED);
    r.git("checkout", "-q", "-b", "other", "main~1");
    expect(await found()).toEqual(REMOVED);
    expect(await found({ kind: "in-place" })).toBeNull();
    expect(await found(null)).toBeNull();
  });
});
