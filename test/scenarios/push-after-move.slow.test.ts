// A branch that several people push to, moved while work is done for it: what is verified follows the branch,
// is pushed without force, and where the remote refuses, that is said and nothing is lost.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type Act,
  english,
  german,
  type RunResult,
  Scenario,
  type Script,
  TWO_TASKS,
} from "../support/scenario.ts";
import { arrived, colleaguePushes, withRemote } from "../support/shared-remote.ts";

const scenes: Scenario[] = [];
afterAll(() => {
  for (const made of scenes) made.close();
});

const SCRIPT: Script = { english: [english], german: [german] };
const ENGLISH = "english: Write hello.txt";
const GERMAN = "german: Write hallo.txt";

function onFeature(manifest = TWO_TASKS): Scenario {
  const s = new Scenario({ manifest });
  scenes.push(s);
  withRemote(s, "feature");
  return s;
}

/** The first task is verified and waits: a file of the person's was in its way. */
async function waiting(): Promise<Scenario> {
  const s = onFeature();
  s.write("hello.txt", "in the way\n");
  const { out } = await s.play(SCRIPT, "--sessions", "1");
  expect(out).toContain("the work waits on stint/prompt");
  rmSync(join(s.root, "hello.txt"));
  return s;
}

function subjects(s: Scenario, of = "feature", ...more: string[]): string[] {
  return s.git("log", "--format=%s", ...more, of).trim().split("\n");
}

function id(s: Scenario, revision: string): string {
  return s.git("rev-parse", "--verify", revision).trim();
}

/** What of the promises does not hold; `earlier` is what the remote ever had, and what others committed. */
function broken(
  s: Scenario,
  { code, state }: Pick<RunResult, "code" | "state">,
  earlier: readonly string[],
): string[] {
  const tip = id(s, "feature");
  const held = new Set(s.git("rev-list", tip).trim().split("\n"));
  const made = subjects(s).filter((subject) => subject === ENGLISH || subject === GERMAN);
  const recorded = state.tasks.map((task) => (task.status === "done" ? task.commit : undefined));
  return [
    ...(code === 0 && state.status === "Done" ? [] : [`exit ${code}, ${state.status}`]),
    ...(arrived(s)["feature"] === tip ? [] : [`the remote is at ${arrived(s)["feature"]}`]),
    ...(made.toSorted().join() === `${ENGLISH},${GERMAN}` ? [] : [`it holds ${made.join(", ")}`]),
    ...[...earlier, ...recorded]
      .filter((commit) => commit === undefined || !held.has(commit))
      .map((commit) => `${commit} is not in it`),
  ];
}

describe.concurrent("a branch that moved on", () => {
  it("by a pull between two tasks: the next work stands on it, and each is pushed", async () => {
    const s = onFeature();
    await s.play(SCRIPT, "--sessions", "1");
    const first = arrived(s)["feature"] ?? "";
    expect(first).toBe(id(s, "feature"));
    const theirs = colleaguePushes(s, "feature", "theirs.txt");
    s.git("pull", "-q");
    expect(broken(s, await s.play(SCRIPT), [first, theirs])).toEqual([]);
    expect(subjects(s).slice(0, 3)).toEqual([GERMAN, "a colleague's theirs.txt", ENGLISH]);
  });

  it("by a pull while work waits: that is replayed, and pushed as it is then", async () => {
    const s = await waiting();
    const theirs = colleaguePushes(s, "feature", "theirs.txt");
    s.git("pull", "-q");
    const result = await s.play(SCRIPT);
    expect(broken(s, result, [theirs])).toEqual([]);
    expect(result.out).toContain("feature moved: 1 commit of verified work replayed on");
    expect(subjects(s).slice(0, 3)).toEqual([GERMAN, ENGLISH, "a colleague's theirs.txt"]);
  });

  it("by a pull while a session is at work", async () => {
    const s = onFeature();
    const wait: Act = { act: "run", command: `while [ ! -e ${s.path}/go ]; do sleep 0.05; done` };
    writeFileSync(
      join(s.path, "script.json"),
      JSON.stringify({ manifest: "prompt.md", tasks: { english: [english, wait], german: [german] } }),
    );
    const run = s.start("run", "prompt.md", "--agent", "scripted:../script.json", "--isolation", "off");
    await run.until("attempt 1 of task t1");
    const theirs = colleaguePushes(s, "feature", "theirs.txt");
    s.git("pull", "-q");
    writeFileSync(join(s.path, "go"), "");
    const said = await run.ended;
    expect(broken(s, { ...said, state: s.state() }, [theirs])).toEqual([]);
  });

  it("by a commit of the person's that is nowhere else: its push is asked about, and a yes pushes all", async () => {
    const s = await waiting();
    const before = arrived(s)["feature"];
    s.write("one.txt", "another one\n");
    s.git("commit", "-q", "-m", "mine", "--", "one.txt");
    const mine = id(s, "feature");
    const asked = await s.play(SCRIPT);
    expect([asked.code, asked.state.approval_items]).toMatchObject([
      3,
      [{ kind: "push", status: "open" }],
    ]);
    expect(asked.state.approval_items[0]?.reason).toContain(
      `1 commit that neither Stint nor its sessions made: ${mine.slice(0, 10)}`,
    );
    expect(arrived(s)["feature"]).toBe(before);
    expect((await s.say("approve", "a1")).code).toBe(0);
    expect(broken(s, await s.play(SCRIPT), [mine])).toEqual([]);
    expect(subjects(s).slice(0, 3)).toEqual([GERMAN, ENGLISH, "mine"]);
  });

  it("after the work was pushed elsewhere: both are merged, and neither branch is forced", async () => {
    const s = onFeature(`---\ndeliver: branch\npush: auto\n---\n${TWO_TASKS}`);
    expect((await s.play(SCRIPT)).code).toBe(0);
    const own = arrived(s)["stint/prompt"] ?? "";
    expect(own).toBe(id(s, "stint/prompt"));
    const theirs = colleaguePushes(s, "feature", "theirs.txt");
    s.git("pull", "-q");
    const said = await s.say("deliver");
    expect({ code: said.code, err: said.err }).toEqual({ code: 0, err: "" });
    expect(broken(s, { ...said, state: s.state() }, [own, theirs])).toEqual([]);
    expect(subjects(s)[0]).toBe("Merge branch 'stint/prompt' into feature");
    expect(s.git("rev-parse", "feature^1", "feature^2").trim().split("\n")).toEqual([theirs, own]);
  });
});

describe.concurrent("a push that is refused because a colleague was faster", () => {
  async function refused(): Promise<{ readonly s: Scenario; readonly theirs: string }> {
    const s = onFeature();
    const theirs = colleaguePushes(s, "feature", "theirs.txt");
    const result = await s.play(SCRIPT);
    expect([result.code, result.state.status]).toEqual([4, "Blocked"]);
    const { reason, unblock } = result.state.blockers[0] ?? {};
    expect(reason).toContain("could not be pushed to origin/feature: the remote has commits that are not here (fetch first)");
    expect(reason).not.toContain("hint:");
    expect(reason).toContain(`. 1 commit not pushed: ${id(s, "feature").slice(0, 10)} ${ENGLISH}`);
    expect(unblock).toContain("git pull --rebase");
    expect(result.out).toContain("git pull --rebase");
    expect(arrived(s)["feature"]).toBe(theirs);
    expect(s.read("hello.txt")).toBe("Hello\n");
    return { s, theirs };
  }

  const PULLS = [
    ["merges", ["pull", "-q", "--no-rebase", "--no-edit"]],
    ["rebases", ["pull", "-q", "--rebase"]],
  ] as const;

  /** What the pull made is the person's: it is shown before it goes anywhere. */
  async function afterYes(s: Scenario): Promise<RunResult> {
    const there = arrived(s)["feature"];
    const asked = await s.play(SCRIPT);
    expect([asked.code, asked.state.approval_items]).toMatchObject([
      3,
      [{ id: "a1", kind: "push", status: "open" }],
    ]);
    expect(arrived(s)["feature"]).toBe(there);
    expect((await s.say("approve", "a1")).code).toBe(0);
    return await s.play(SCRIPT);
  }

  it.each(PULLS)("goes on, and is pushed, once the person %s", async (_, pull) => {
    const { s, theirs } = await refused();
    s.git(...pull);
    expect(broken(s, await afterYes(s), [theirs])).toEqual([]);
  });

  it.each(PULLS)("is pushed, once the person %s, where it was the last task", async (_, pull) => {
    const s = onFeature();
    await s.play(SCRIPT, "--sessions", "1");
    const first = arrived(s)["feature"] ?? "";
    const theirs = colleaguePushes(s, "feature", "theirs.txt");
    const result = await s.play(SCRIPT);
    expect([result.code, arrived(s)["feature"]]).toEqual([4, theirs]);
    s.git(...pull);
    expect(broken(s, await afterYes(s), [first, theirs])).toEqual([]);
  });

  it("goes on once the person did all that the hint says", async () => {
    const { s, theirs } = await refused();
    s.git("pull", "-q", "--rebase");
    s.git("push", "-q");
    const there = arrived(s)["feature"] ?? "";
    expect(broken(s, await s.play(SCRIPT), [theirs, there])).toEqual([]);
  });

  it("is refused again, and said again, where nobody pulled", async () => {
    const { s, theirs } = await refused();
    const again = await s.play(SCRIPT);
    expect([again.code, arrived(s)["feature"]]).toEqual([4, theirs]);
    expect(subjects(s).filter((subject) => subject === ENGLISH)).toHaveLength(1);
    expect(existsSync(join(s.root, "hallo.txt"))).toBe(false);
  });
});

describe.concurrent("what is never pushed unasked", () => {
  it("is work that was left out when the rest was found in the branch", async () => {
    const last = "- [ ] french - Write salut.txt\n  - check: `grep -q Salut salut.txt`\n  - after: german\n";
    const s = onFeature(`${TWO_TASKS}${last}`);
    s.write("hello.txt", "in the way\n");
    await s.play(SCRIPT, "--sessions", "2");
    rmSync(join(s.root, "hello.txt"));
    s.git("cherry-pick", "stint/prompt~1");
    s.write("hallo.txt", "mine\n");
    s.git("add", "hallo.txt");
    s.git("commit", "-q", "-m", "mine", "--", "hallo.txt");
    s.git("push", "-q");
    const there = arrived(s);
    expect((await s.say("deliver")).code).toBe(3);
    expect((await s.say("answer", "q1", "shell")).code).toBe(0);
    const { code, state } = await s.play(SCRIPT);
    expect([code, s.task("german").status, state.approval_items]).toEqual([4, "blocked", []]);
    expect(arrived(s)).toEqual(there);
  });

  it("is a commit of the person's that a task without changes stands on", async () => {
    const act = "- [ ] look - Look at it\n  - run: `true`\n";
    const s = onFeature(`## Goal\n\nLook.\n\n## Steps\n\n${act}`);
    s.git("rm", "-q", "--cached", "prompt.md");
    s.git("commit", "-q", "-m", "not tracked");
    s.git("push", "-q");
    writeFileSync(join(s.root, ".git/info/exclude"), "/prompt.md\n");
    const there = arrived(s);
    s.write("one.txt", "another one\n");
    s.git("commit", "-q", "-m", "mine", "--", "one.txt");
    const { code, state } = await s.play({});
    expect([code, state.status, arrived(s)]).toEqual([0, "Done", there]);
  });
});
