// The person's branch was moved on or rewritten: what becomes of verified work that it does not hold, and of
// work that it held.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Files,
  ordinary,
  PROJECT,
  request,
  type Scene,
  treeOf,
  scenesOfFile,
} from "../../../test/support/workspace-scene.ts";
import type { Followed, FollowWish, Move, OwnSides } from "../workspace.ts";

const scenes = scenesOfFile();

const NOTHING = { kind: "nothing" };
const DELIVERED = { kind: "delivered", branch: "main" };

/** Checks the box of the task in whatever text there is. */
function tick({ ours, tasks }: OwnSides): string | null {
  return ours === null ? null : tasks.reduce((text, task) => ticked(text, task), ours);
}

function ticked(text: string, task: string): string {
  return text.replace(`- [ ] ${task}`, `- [x] ${task}`);
}

function wish(more: Partial<FollowWish> = {}): FollowWish {
  const verify = async () => [];
  return {
    settle: tick,
    verify,
    keep: () => {},
    conflicts: "ask",
    removed: "ask",
    asked: null,
    ...more,
  };
}

function moved(followed: Followed): Move {
  if (followed.kind === "moved") return followed.move;
  throw new Error(JSON.stringify(followed));
}

const TEXT = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].join("\n");

function withText(person: Files): void {
  ordinary(person);
  person.write("PROMPT.md", "- [ ] t1\n\n\n- [ ] t2\n");
  person.write("text.txt", `${TEXT}\n`);
  person.commitAll("second");
}

interface Work {
  readonly task: string;
  readonly write: (files: Files) => void;
}

/** Commits one task after the other, each with its box. */
async function work(scene: Scene, ...tasks: readonly Work[]): Promise<void> {
  const { workspace, files } = scene;
  for (const { task, write } of tasks) {
    // oxlint-disable-next-line no-await-in-loop
    const tip = await workspace.tip();
    // oxlint-disable-next-line no-await-in-loop
    await workspace.lay(tip.tree);
    write(files);
    // oxlint-disable-next-line no-await-in-loop
    const text = (await workspace.texts(tip.tree, ["PROMPT.md"])).get("PROMPT.md") ?? "";
    const own = [{ path: "PROMPT.md", content: Buffer.from(ticked(text, task)) }];
    // oxlint-disable-next-line no-await-in-loop
    const tree = treeOf(await workspace.capture());
    // oxlint-disable-next-line no-await-in-loop
    const made = await workspace.commit(request(tree, task, { own }));
    expect(made.kind).toBe("committed");
  }
}

const T1: Work = { task: "t1", write: (files) => files.write("one.txt", "1\n") };
const T2: Work = { task: "t2", write: (files) => files.write("two.txt", "2\n") };
/** Its first line. */
const FIRST: Work = {
  task: "t1",
  write: (files) => files.write("text.txt", `${TEXT.replace("one", "ONE")}\n`),
};

async function opened(prepare: (person: Files) => void = withText): Promise<Scene> {
  const scene = scenes.make(prepare);
  await scene.workspace.open();
  return scene;
}

async function undelivered(...tasks: readonly Work[]): Promise<Scene> {
  const scene = await opened();
  await work(scene, ...tasks);
  return scene;
}

async function delivered(...tasks: readonly Work[]): Promise<Scene> {
  const scene = await undelivered(...tasks);
  expect(await scene.workspace.deliver()).toMatchObject(DELIVERED);
  return scene;
}

function theirs(person: Files): string {
  person.write("theirs.txt", "theirs\n");
  return person.commitAll("theirs");
}

function subjects(person: Files, of = "main"): string[] {
  return person.git("log", "--format=%s", of).trim().split("\n");
}

describe("undelivered work", () => {
  it("stays where it is while the branch is where it was, or may be moved forward", async () => {
    const scene = await undelivered(T1, T2);
    expect(await scene.workspace.follow(wish())).toEqual(NOTHING);
    scene.person.git("merge", "-q", "--ff-only", "stint/work~1");
    expect(await scene.workspace.follow(wish())).toEqual(NOTHING);
    expect(await scene.workspace.deliver()).toMatchObject(DELIVERED);
  });

  it("is replayed on a branch that moved on, with its author, dates, words and box", async () => {
    const scene = await undelivered(T1, T2);
    const { person, workspace } = scene;
    const [old1, old2] = [person.id("stint/work~1"), person.id("stint/work")];
    const before = person.git("log", "-2", "--format=%an %ae %ad %cd%n%B", "stint/work");
    const onto = theirs(person);
    const kept: Move[] = [];
    const move = moved(await workspace.follow(wish({ keep: (each) => void kept.push(each) })));
    const [now1, now2] = [person.id("stint/work~1"), person.id("stint/work")];
    expect(move).toEqual({
      how: "replayed",
      from: { commit: old2, tree: person.id(`${old2}^{tree}`) },
      onto,
      to: { commit: now2, tree: person.id(`${now2}^{tree}`) },
      commits: [
        { old: old1, now: now1, tasks: ["t1"], how: "replayed", isSame: true },
        { old: old2, now: now2, tasks: ["t2"], how: "replayed", isSame: true },
      ],
      left: [],
    });
    expect(kept).toEqual([move]);
    expect(person.id("stint/work~2")).toBe(onto);
    expect(person.git("log", "-2", "--format=%an %ae %ad %cd%n%B", "stint/work")).toBe(before);
    expect(person.id(`refs/stint/${PROJECT}/replayed/1`)).toBe(old2);
    expect(person.id(`refs/stint/${PROJECT}/tip`)).toBe(now2);
    expect(person.git("for-each-ref", `refs/stint/${PROJECT}/next`)).toBe("");
    expect(await workspace.follow(wish())).toEqual(NOTHING);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.id("main")).toBe(now2);
    expect(person.status()).toEqual([]);
    expect(person.all()).toMatchObject({
      "one.txt": "file 1\n",
      "two.txt": "file 2\n",
      "theirs.txt": "file theirs\n",
      "PROMPT.md": "file - [x] t1\n\n\n- [x] t2\n",
    });
  });

  it("goes on from there, also as another process opens it", async () => {
    const scene = await undelivered(T1);
    theirs(scene.person);
    moved(await scene.workspace.follow(wish()));
    await scene.reopen().open();
    expect((await scene.workspace.tip()).commit).toBe(scene.person.id("stint/work"));
    await work(scene, T2);
    expect(await scene.workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(scene.person)).toEqual(["Do t2", "Do t1", "theirs", "second", "first"]);
  });

  it("is replayed on an amended branch, without what was amended away", async () => {
    const scene = await undelivered(T1);
    const { person, workspace } = scene;
    person.write("a.txt", "amended\n");
    person.git("commit", "-qa", "--amend", "-m", "second, amended");
    expect(moved(await workspace.follow(wish())).how).toBe("replayed");
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person)).toEqual(["Do t1", "second, amended", "first"]);
    expect(person.read("a.txt")).toBe("amended\n");
  });

  it("is replayed on a branch that lost a commit of the person's below it", async () => {
    const scene = await opened((person) => {
      withText(person);
      theirs(person);
    });
    await work(scene, T1);
    scene.person.git("reset", "-q", "--hard", "HEAD~1");
    expect(await scene.workspace.deliver()).toMatchObject({ kind: "waiting" });
    expect(moved(await scene.workspace.follow(wish())).how).toBe("replayed");
    expect(await scene.workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(scene.person)).toEqual(["Do t1", "second", "first"]);
    expect(scene.person.exists("theirs.txt")).toBe(false);
  });

  it("is replayed on a branch that was pulled by force", async () => {
    const scene = await undelivered(T1);
    const { person, workspace } = scene;
    person.git("switch", "-q", "--orphan", "upstream");
    person.write("a.txt", "rewritten\n");
    person.write("PROMPT.md", "- [ ] t1\n");
    person.commitAll("rewritten upstream");
    person.git("switch", "-q", "main");
    person.git("reset", "-q", "--hard", "upstream");
    expect(moved(await workspace.follow(wish())).how).toBe("replayed");
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person)).toEqual(["Do t1", "rewritten upstream"]);
    expect(person.read("one.txt")).toBe("1\n");
  });

  it("is merged once it was pushed, and nothing that others may have is made anew", async () => {
    const scene = await undelivered(T1, T2);
    const { person, workspace } = scene;
    const old = person.id("stint/work");
    person.git("update-ref", "refs/remotes/origin/stint/work", "stint/work~1");
    const onto = theirs(person);
    const move = moved(await workspace.follow(wish()));
    expect(move).toMatchObject({
      how: "merged",
      commits: [
        { now: person.id(`${old}~1`), tasks: ["t1"], how: "kept" },
        { old, now: old, tasks: ["t2"], how: "kept" },
      ],
    });
    const parents = person.git("log", "-1", "--format=%P%n%s", "stint/work").trim();
    expect(parents).toBe(`${onto} ${old}\nMerge branch 'stint/work' into main`);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    // Moved once more: the merge among them makes it one change.
    await work(scene, { task: "t3", write: (files) => files.write("three.txt", "3\n") });
    person.git("commit", "-q", "--allow-empty", "-m", "again");
    expect(moved(await workspace.follow(wish())).how).toBe("replayed");
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person).slice(0, 3)).toEqual([
      "Do t3",
      "again",
      "Merge branch 'stint/work' into main",
    ]);
  });

  it("is merged once more where a merge is among it", async () => {
    const scene = await undelivered(T1);
    const { person, workspace } = scene;
    person.git("update-ref", "refs/remotes/origin/stint/work", "stint/work");
    theirs(person);
    moved(await workspace.follow(wish()));
    person.git("update-ref", "-d", "refs/remotes/origin/stint/work");
    person.write("more.txt", "more\n");
    person.commitAll("more");
    const move = moved(await workspace.follow(wish()));
    expect(move).toMatchObject({ how: "merged", commits: [{ tasks: ["t1"], how: "kept" }] });
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.all()).toMatchObject({ "one.txt": "file 1\n", "more.txt": "file more\n" });
  });

  it("of a first commit is replayed on a first commit of the person's", async () => {
    const scene = await opened((person) => void person.git("init", "-q"));
    const { person, workspace } = scene;
    await work(scene, T1);
    person.write("mine.txt", "mine\n");
    person.commitAll("my first");
    expect(moved(await workspace.follow(wish())).how).toBe("replayed");
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person)).toEqual(["Do t1", "my first"]);
  });
});

describe("work that does not hold on the moved branch", () => {
  it("stays out, and what needs it too, before anything moves", async () => {
    const scene = await undelivered(T1, T2);
    const { person, workspace } = scene;
    const [old1, old2] = [person.id("stint/work~1"), person.id("stint/work")];
    theirs(person);
    const asked: string[][] = [];
    const verify = async ({ commits, to }: Move) => {
      expect(person.id("stint/work")).toBe(old2);
      asked.push(commits.map(({ old }) => old));
      const files = await workspace.texts(to.tree, ["one.txt"]);
      // The second needs the first, and the first fails at once.
      return commits
        .filter(({ old }) => old === old1 || !files.has("one.txt"))
        .map(({ old }) => ({ old, failure: `${old} fails` }));
    };
    const move = moved(await workspace.follow(wish({ verify })));
    expect(asked).toEqual([[old1, old2], [old2], []]);
    expect(move).toMatchObject({
      how: "found",
      commits: [],
      left: [
        { id: old1, why: "failing", failure: `${old1} fails`, tasks: ["t1"] },
        { id: old2, why: "failing", failure: `${old2} fails`, tasks: ["t2"] },
      ],
    });
    expect(person.id("stint/work")).toBe(person.id("main"));
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.read("PROMPT.md")).toBe("- [ ] t1\n\n\n- [ ] t2\n");
  });
});

describe("work that the branch has under another id", () => {
  it("is found after a rebase, and nothing is applied twice", async () => {
    const scene = await delivered(T1, T2);
    const { person, workspace } = scene;
    const [old1, old2] = [person.id("main~1"), person.id("main")];
    person.git("switch", "-qc", "side", "main~2");
    theirs(person);
    person.git("switch", "-q", "main");
    person.git("rebase", "-q", "side");
    const move = moved(await workspace.follow(wish()));
    expect(move).toMatchObject({ how: "found", to: { commit: person.id("main") }, left: [] });
    expect(move.commits).toEqual([
      { old: old1, now: person.id("main~1"), tasks: ["t1"], how: "found", isSame: true },
      { old: old2, now: person.id("main"), tasks: ["t2"], how: "found", isSame: true },
    ]);
    expect(person.id("stint/work")).toBe(person.id("main"));
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
  });

  it("is found where the person amended it, as their version of it", async () => {
    const scene = await delivered(T1);
    const { person, workspace } = scene;
    const old = person.id("main");
    person.write("one.txt", "1, and better\n");
    person.git("commit", "-qa", "--amend", "--no-edit");
    const now = person.id("main");
    expect(moved(await workspace.follow(wish())).commits).toEqual([
      { old, now, tasks: ["t1"], how: "found", isSame: true },
    ]);
    expect((await workspace.tip()).commit).toBe(now);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.read("one.txt")).toBe("1, and better\n");
  });

  it("is found where they picked some of it, and the rest is replayed", async () => {
    const scene = await undelivered(T1, T2);
    const { person, workspace } = scene;
    theirs(person);
    person.git("cherry-pick", "stint/work~1");
    const move = moved(await workspace.follow(wish()));
    expect(move.commits.map(({ how, tasks }) => [how, ...tasks])).toEqual([
      ["found", "t1"],
      ["replayed", "t2"],
    ]);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person)).toEqual(["Do t2", "Do t1", "theirs", "second", "first"]);
  });

  it("is found where they picked it in words of their own and went on from there", async () => {
    const { person, workspace } = await undelivered(T1);
    const old = person.id("stint/work");
    person.git("cherry-pick", "-n", "stint/work");
    const now = person.commitAll("picked");
    person.write("one.txt", "1, and more\n");
    person.commitAll("more");
    expect(moved(await workspace.follow(wish()))).toMatchObject({
      how: "found",
      commits: [{ old, now, how: "found" }],
    });
  });

  it.each(["with the words of git", "with words of their own"])(
    "is found where they squashed it, %s",
    async (which) => {
      // The second changes what the first made: neither alone is in the squash.
      const more = { task: "t2", write: (files: Files) => files.write("one.txt", "1 and 2\n") };
      const scene = await undelivered(T1, more);
      const { person, workspace } = scene;
      theirs(person);
      person.git("merge", "-q", "--squash", "stint/work");
      const words = which === "with the words of git" ? ["--no-edit"] : ["-m", "all of it"];
      person.git("commit", "-q", ...words);
      const move = moved(await workspace.follow(wish()));
      expect(move.how).toBe("found");
      expect(move.to.commit).toBe(person.id("main"));
      expect(await workspace.deliver()).toMatchObject(DELIVERED);
      expect(person.read("one.txt")).toBe("1 and 2\n");
    },
  );

  it("is followed where they reverted it by a new commit", async () => {
    const scene = await delivered(T1);
    const { person, workspace } = scene;
    person.git("revert", "--no-edit", "HEAD");
    expect(await workspace.follow(wish())).toEqual(NOTHING);
    expect((await workspace.tip()).commit).toBe(person.id("main"));
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.exists("one.txt")).toBe(false);
  });

  it("is followed where only commits of the person's were rewritten", async () => {
    const scene = await opened();
    const { person, workspace } = scene;
    person.git("commit", "-q", "--amend", "-m", "other words");
    expect(moved(await workspace.follow(wish()))).toMatchObject({ how: "found", commits: [] });
    expect((await workspace.tip()).commit).toBe(person.id("main"));
  });
});

describe("delivered work that the person took out", () => {
  async function reset(...tasks: readonly Work[]): Promise<Scene> {
    const scene = await delivered(...tasks);
    scene.person.git("reset", "-q", "--hard", "HEAD~1");
    return scene;
  }

  it("is asked about, and not brought back by a delivery", async () => {
    const { person, workspace } = await reset(T1, T2);
    const out = person.id("stint/work");
    expect(await workspace.follow(wish())).toMatchObject({
      kind: "removed",
      onto: person.id("main"),
      held: [{ id: out, subject: "Do t2", tasks: ["t2"], paths: [], theirs: [] }],
    });
    expect(await workspace.deliver()).toMatchObject({
      kind: "waiting",
      why: "your branch no longer has commits that the work is based on",
    });
    expect(person.id("stint/work")).toBe(out);
    expect(person.exists("two.txt")).toBe(false);
  });

  it("comes back where that is wanted", async () => {
    const { person, workspace } = await reset(T1, T2);
    expect(await workspace.follow(wish({ removed: "bring" }))).toEqual(NOTHING);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.read("two.txt")).toBe("2\n");
  });

  it("comes back on top of what they did instead", async () => {
    const { person, workspace } = await reset(T1, T2);
    theirs(person);
    expect(await workspace.follow(wish())).toMatchObject({ kind: "removed" });
    expect(moved(await workspace.follow(wish({ removed: "bring" }))).commits).toMatchObject([
      { tasks: ["t2"], how: "replayed" },
    ]);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person)).toEqual(["Do t2", "theirs", "Do t1", "second", "first"]);
  });

  it("is left out where that is wanted, and kept", async () => {
    const { person, workspace } = await reset(T1, T2);
    const out = person.id("stint/work");
    const move = moved(await workspace.follow(wish({ removed: "leave" })));
    expect(move).toMatchObject({ how: "found", left: [{ id: out, tasks: ["t2"], paths: [] }] });
    expect(person.id("stint/work")).toBe(person.id("main"));
    expect(person.id(`refs/stint/${PROJECT}/replayed/1`)).toBe(out);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.exists("two.txt")).toBe(false);
  });

  it("is no longer asked about once they have it back by themselves", async () => {
    const { person, workspace } = await reset(T1);
    person.git("merge", "-q", "stint/work");
    expect(await workspace.follow(wish())).toEqual(NOTHING);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
  });
});

describe("two changes", () => {
  it("of one file come together where they do not touch", async () => {
    const { person, workspace } = await undelivered(FIRST);
    person.write("text.txt", `${TEXT.replace("nine", "NINE")}\n`);
    person.commitAll("theirs");
    expect(moved(await workspace.follow(wish())).commits).toMatchObject([{ isSame: true }]);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    const both = TEXT.replace("nine", "NINE").replace("one", "ONE");
    expect(person.read("text.txt")).toBe(`${both}\n`);
  });

  it("near each other are another change than before", async () => {
    const { person, workspace } = await undelivered(FIRST);
    person.write("text.txt", `${TEXT.replace("three", "THREE")}\n`);
    person.commitAll("theirs");
    expect(moved(await workspace.follow(wish())).commits).toMatchObject([{ isSame: false }]);
  });

  it("that are the same are one", async () => {
    const { person, workspace } = await undelivered(FIRST);
    person.write("text.txt", `${TEXT.replace("one", "ONE")}\n`);
    person.write("more.txt", "more\n");
    person.commitAll("theirs, the same and more");
    const move = moved(await workspace.follow(wish()));
    expect(move).toMatchObject({ how: "found", to: { commit: person.id("main") } });
  });

  it("of the manifest never conflict: the person's words, and our boxes", async () => {
    const { person, workspace } = await undelivered(T1, T2);
    person.write("PROMPT.md", "- [ ] t1, said otherwise\n\n\n- [ ] t2\n- [ ] t3\n");
    person.commitAll("theirs");
    moved(await workspace.follow(wish()));
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.read("PROMPT.md")).toBe("- [x] t1, said otherwise\n\n\n- [x] t2\n- [ ] t3\n");
    expect(person.git("show", "main~1:PROMPT.md")).toContain("- [ ] t2\n");
  });

  it("one of which takes the manifest away leave it away", async () => {
    const { person, workspace } = await undelivered(T1);
    person.git("rm", "-q", "PROMPT.md");
    person.commitAll("no manifest");
    moved(await workspace.follow(wish()));
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.exists("PROMPT.md")).toBe(false);
    expect(person.read("one.txt")).toBe("1\n");
  });

  it("one of which moves the file meet in the moved one", async () => {
    const { person, workspace } = await undelivered(FIRST);
    person.git("mv", "text.txt", "moved.txt");
    person.commitAll("moved");
    moved(await workspace.follow(wish()));
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.read("moved.txt")).toBe(`${TEXT.replace("one", "ONE")}\n`);
    expect(person.exists("text.txt")).toBe(false);
  });

  it("one of which makes a program of it keep both", async () => {
    const { person, workspace } = await undelivered(FIRST);
    chmodSync(person.path("text.txt"), 0o755);
    person.commitAll("a program");
    moved(await workspace.follow(wish()));
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(person.all()["text.txt"]).toBe(`program ${TEXT.replace("one", "ONE")}\n`);
  });

  it("do not ask the person's merge drivers, hooks or recorded resolutions", async () => {
    const { person, workspace } = await undelivered(FIRST);
    person.git("config", "merge.mine.driver", `touch ${person.path("driven")}`);
    person.git("config", "rerere.enabled", "true");
    person.program(".git/hooks/post-commit", `touch ${person.path("hooked")}`);
    person.program(".git/hooks/reference-transaction", `touch ${person.path("hooked")}`);
    person.write(".gitattributes", "text.txt merge=mine\n");
    person.write("text.txt", `${TEXT.replace("nine", "NINE")}\n`);
    person.git("-c", "core.hooksPath=/dev/null", "add", "-A");
    person.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "theirs");
    person.remove("hooked");
    moved(await workspace.follow(wish()));
    expect(person.exists("driven")).toBe(false);
    expect(person.exists("hooked")).toBe(false);
  });
});

describe("a conflict", () => {
  async function conflicting(): Promise<Scene> {
    const scene = await undelivered(FIRST, T2);
    scene.person.write("text.txt", `${TEXT.replace("one", "mine")}\n`);
    scene.person.commitAll("mine");
    return scene;
  }

  it("moves nothing and names both sides", async () => {
    const { person, workspace } = await conflicting();
    const before = person.git("for-each-ref");
    const [old] = [person.id("stint/work~1")];
    expect(await workspace.follow(wish())).toEqual({
      kind: "conflict",
      onto: person.id("main"),
      held: [
        {
          id: old,
          subject: "Do t1",
          tasks: ["t1"],
          tree: person.id(`${old}^{tree}`),
          base: person.id(`${old}~1^{tree}`),
          why: "conflict",
          failure: "",
          paths: ["text.txt"],
          theirs: [{ id: person.id("main"), subject: "mine" }],
        },
      ],
    });
    expect(person.git("for-each-ref")).toBe(before);
    expect(person.status()).toEqual([]);
    expect(await workspace.deliver()).toMatchObject({ kind: "waiting" });
  });

  it("is left out where that is wanted, and everything else goes on", async () => {
    const { person, workspace } = await conflicting();
    const [old] = [person.id("stint/work~1")];
    const move = moved(await workspace.follow(wish({ conflicts: "leave" })));
    expect(move.left).toMatchObject([{ id: old, tasks: ["t1"], paths: ["text.txt"] }]);
    expect(move.commits).toMatchObject([{ tasks: ["t2"], how: "replayed" }]);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person)).toEqual(["Do t2", "mine", "second", "first"]);
    expect(person.read("PROMPT.md")).toBe("- [ ] t1\n\n\n- [x] t2\n");
  });

  it("is over once the person has merged both", async () => {
    const { person, workspace } = await conflicting();
    expect(await workspace.follow(wish())).toMatchObject({ kind: "conflict" });
    expect(() => person.git("merge", "-q", "stint/work")).toThrow("Command failed");
    expect(await workspace.follow(wish())).toEqual({ kind: "busy" });
    person.write("text.txt", "both\n");
    person.commitAll("both");
    expect(await workspace.follow(wish())).toEqual(NOTHING);
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
  });

  it.each<[string, (files: Files) => void, (person: Files) => void, string]>([
    [
      "two binaries",
      (files) => files.write("b.bin", Buffer.from([0, 1, 2])),
      (person) => person.write("b.bin", Buffer.from([0, 3])),
      "b.bin",
    ],
    [
      "a removal of what was changed",
      (files) => files.remove("a.txt"),
      (person) => person.write("a.txt", "mine\n"),
      "a.txt",
    ],
    [
      "a folder where there is a file",
      (files) => files.write("new/x.txt", "x\n"),
      (person) => person.write("new", "mine\n"),
      "new",
    ],
  ])("is %s", async (_, write, meanwhile, path) => {
    const { person, workspace } = await undelivered({ task: "t1", write });
    meanwhile(person);
    person.commitAll("mine");
    const followed = await workspace.follow(wish());
    expect(followed).toMatchObject({ kind: "conflict" });
    expect(JSON.stringify(followed)).toContain(path);
  });
});

describe("nothing moves", () => {
  it("where stint's branch is checked out, and that is said", async () => {
    const { person, workspace } = await undelivered(T1);
    theirs(person);
    person.git("worktree", "add", "-q", "../elsewhere", "stint/work");
    const before = person.git("for-each-ref");
    expect(await workspace.follow(wish())).toEqual({
      kind: "waiting",
      why: "stint/work is checked out, so it stays where it is",
      hint: "Check out another branch there; then the work of stint/work follows yours",
    });
    expect(person.git("for-each-ref", "refs/heads")).toBe(
      before
        .split("\n")
        .filter((line) => line.includes("refs/heads/"))
        .join("\n") + "\n",
    );
  });

  it("while the person is in the middle of a merge", async () => {
    const { person, workspace } = await undelivered(T1);
    theirs(person);
    person.write(".git/MERGE_HEAD", `${person.id("HEAD")}\n`);
    expect(await workspace.follow(wish())).toEqual({ kind: "busy" });
  });

  it("where the person was asked about just this", async () => {
    const { person, workspace } = await undelivered(T1);
    const asked = theirs(person);
    expect(await workspace.follow(wish({ asked }))).toEqual({ kind: "asked" });
    person.git("pack-refs", "--all");
    expect(await workspace.follow(wish({ asked }))).toEqual({ kind: "asked" });
    person.git("commit", "-q", "--allow-empty", "-m", "more");
    moved(await workspace.follow(wish({ asked })));
  });

  it("in place", async () => {
    const scene = scenes.make(ordinary, { kind: "in-place" });
    await scene.workspace.open();
    expect(await scene.workspace.follow(wish())).toEqual(NOTHING);
  });
});

describe("a git that cannot merge without files", () => {
  let path: string | undefined;
  beforeAll(() => {
    path = process.env["PATH"];
    const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const old = `#!/bin/sh
for word; do
  case $word in
    --write-tree) echo 'fatal: unknown rev --write-tree' >&2; exit 128;;
    version) echo 'git version 2.31.0'; exit 0;;
  esac
done
exec '${git}' "$@"
`;
    const folder = join(scenes.path, "old-git");
    mkdirSync(folder);
    writeFileSync(join(folder, "git"), old, { mode: 0o755 });
    process.env["PATH"] = `${folder}${delimiter}${path}`;
  });
  afterAll(() => {
    process.env["PATH"] = path;
  });

  it("brings together what is in different files", async () => {
    const { person, workspace } = await undelivered(T1, T2);
    theirs(person);
    expect(moved(await workspace.follow(wish())).how).toBe("replayed");
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
    expect(subjects(person)).toEqual(["Do t2", "Do t1", "theirs", "second", "first"]);
  });

  it("asks about a file that both changed", async () => {
    const { person, workspace } = await undelivered(FIRST);
    person.write("text.txt", `${TEXT.replace("nine", "NINE")}\n`);
    person.commitAll("theirs");
    expect(await workspace.follow(wish())).toMatchObject({
      kind: "conflict",
      held: [{ paths: ["text.txt"] }],
    });
  });
});

describe("a person who signs", () => {
  /** A signature that is true of exactly one text: its digest. */
  function signs(person: Files): void {
    withText(person);
    person.program(
      "../signer",
      `printf '\\n[GNUPG:] SIG_CREATED \\n' >&2; sha256sum | cut -d' ' -f1`,
    );
    person.git("config", "gpg.program", join(person.root, "../signer"));
    person.git("config", "user.signingkey", "key");
    person.git("config", "commit.gpgsign", "true");
  }

  /** Whether the signature is about this commit, and no other. */
  function isSigned(person: Files, commit: string): boolean {
    const text = person.git("cat-file", "commit", commit);
    const signature = /^gpgsig ([0-9a-f]{64})\n/m.exec(text)?.[1];
    const signed = text.replace(/^gpgsig .*\n(?: .*\n)*/m, "");
    return signature === createHash("sha256").update(signed).digest("hex");
  }

  async function signedWork(): Promise<Scene> {
    const scene = await opened(signs);
    await work(scene, T1, T2);
    expect(isSigned(scene.person, "stint/work")).toBe(true);
    return scene;
  }

  function refsAndFiles({ person, files }: Scene) {
    return [person.git("for-each-ref"), person.all(), person.status(), files.all()];
  }

  it("has every replayed commit signed again, with its author and words", async () => {
    const { person, workspace } = await signedWork();
    const before = person.git("log", "-2", "--format=%an %ae %ad%n%B", "stint/work");
    theirs(person);
    expect(moved(await workspace.follow(wish())).how).toBe("replayed");
    expect(subjects(person, "stint/work").slice(0, 3)).toEqual(["Do t2", "Do t1", "theirs"]);
    expect(person.git("log", "-2", "--format=%an %ae %ad%n%B", "stint/work")).toBe(before);
    for (const commit of ["stint/work", "stint/work~1"]) {
      expect([commit, isSigned(person, commit)]).toEqual([commit, true]);
    }
    expect(await workspace.deliver()).toMatchObject(DELIVERED);
  });

  it("has the merge signed, and what was pushed as it is", async () => {
    const { person, workspace } = await signedWork();
    const pushed = person.id("stint/work");
    person.git("update-ref", "refs/remotes/origin/stint/work", pushed);
    theirs(person);
    expect(moved(await workspace.follow(wish())).how).toBe("merged");
    expect(person.id("stint/work^2")).toBe(pushed);
    expect(isSigned(person, "stint/work")).toBe(true);
  });

  it("no longer signs: what is replayed has no signature, an old one least of all", async () => {
    const { person, workspace } = await signedWork();
    person.git("config", "commit.gpgsign", "false");
    await workspace.open();
    theirs(person);
    expect(moved(await workspace.follow(wish())).how).toBe("replayed");
    expect(person.git("cat-file", "commit", "stint/work")).not.toContain("gpgsig");
  });

  it.each([
    ["replayed", false, "exit 2"],
    ["merged", true, "exit 2"],
    // The first is signed, the second is not.
    ["replayed", false, `test -e "$0.once" && exit 2; : >"$0.once"`],
  ])(
    "is told why nothing is %s when signing fails, and nothing moves",
    async (_, isPushed, fails) => {
      const scene = await signedWork();
      const { person, workspace } = scene;
      if (isPushed) person.git("update-ref", "refs/remotes/origin/stint/work", "stint/work");
      theirs(person);
      const works = person.read("../signer");
      person.program("../signer", `${fails}\n${works}`);
      const before = refsAndFiles(scene);
      const kept: Move[] = [];
      const followed = await workspace.follow(wish({ keep: (each) => void kept.push(each) }));
      expect(followed).toEqual({
        kind: "waiting",
        why: expect.stringContaining("the replayed work could not be signed: "),
        hint: "Make signing work without a prompt (gpg-agent, ssh-agent), or: git config commit.gpgsign false",
      });
      expect([kept, refsAndFiles(scene)]).toEqual([[], before]);
      person.program("../signer", works);
      expect(moved(await workspace.follow(wish())).how).toBe(isPushed ? "merged" : "replayed");
      expect(isSigned(person, "stint/work")).toBe(true);
      expect(await workspace.deliver()).toMatchObject(DELIVERED);
    },
  );
});

describe("a branch that the person renamed", () => {
  it("is found under its new name, however often it got one", async () => {
    const { person, workspace } = await undelivered(T1);
    person.git("branch", "-m", "better");
    person.git("branch", "-m", "best");
    expect(await workspace.follow(wish())).toEqual({ kind: "renamed", from: "main", to: "best" });
    await workspace.deliverInto("best");
    expect(await workspace.follow(wish())).toEqual(NOTHING);
    expect(await workspace.deliver()).toMatchObject({ kind: "delivered", branch: "best" });
    expect(subjects(person, "best")[0]).toBe("Do t1");
  });

  it("is found from another branch, too, and what they took out of it is still asked about", async () => {
    const { person, workspace } = await delivered(T1);
    person.git("branch", "-m", "better");
    person.git("switch", "-q", "-c", "elsewhere");
    expect(await workspace.follow(wish())).toMatchObject({ kind: "renamed", to: "better" });
    await workspace.deliverInto("better");
    person.git("branch", "-f", "better", "better~1");
    expect((await workspace.follow(wish())).kind).toBe("removed");
  });

  it.each<[string, (person: Files) => void]>([
    [
      "deleted",
      (person) => {
        person.git("switch", "-q", "-c", "other");
        person.git("branch", "-D", "main");
      },
    ],
    [
      "deleted, after an older one of that name was renamed",
      (person) => {
        person.git("switch", "-q", "-c", "other");
        person.git("branch", "-D", "main");
        person.git("branch", "main", "other~1");
        person.git("branch", "-m", "main", "old");
        person.git("branch", "-f", "old", "other");
      },
    ],
  ])("is not taken for one that was %s", async (_, act) => {
    const { person, workspace } = await delivered(T1);
    act(person);
    expect(await workspace.follow(wish())).toEqual({
      kind: "waiting",
      why: "main was deleted since the work began",
      hint: `Say where it should go instead: stint deliver ${PROJECT} --into <branch>`,
    });
  });
});
