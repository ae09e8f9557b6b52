// Where verified work goes by itself, by a person's yes, and by `stint deliver`; and what leaves the machine.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { DeliverView, ListView, PlanView, StatusView } from "../../src/core/schema/views.ts";
import { english, german, type Said, Scenario, TWO_TASKS } from "../support/scenario.ts";
import { arrived, colleaguePushes, withRemote } from "../support/shared-remote.ts";

const scenes: Scenario[] = [];
afterAll(() => {
  for (const made of scenes) made.close();
});

const AGENT = ["--agent", "scripted:../script.json"];
const RUN = ["run", "prompt.md", ...AGENT];

function scene(manifest = TWO_TASKS): Scenario {
  const made = new Scenario({ manifest });
  scenes.push(made);
  const tasks = { english: [english], german: [german] };
  writeFileSync(join(made.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
  return made;
}

function id(made: Scenario, revision: string): string {
  return made.git("rev-parse", "--verify", revision).trim();
}

async function json<View>(made: Scenario, ...words: string[]): Promise<View & Pick<Said, "code">> {
  const { out, code } = await made.say(...words, "--json");
  return { ...(JSON.parse(out) as View), code };
}

describe.concurrent("main with a remote", () => {
  it("is not moved: the work waits, and stint deliver brings it in and pushes it", async () => {
    const s = scene();
    withRemote(s, "main");
    const before = id(s, "main");
    const plan = await json<PlanView>(s, "plan", "prompt.md");
    expect(plan.delivery).toMatchObject({ deliver: "auto", branch: "main", kind: "wait" });
    const { out, code } = await s.say(...RUN, "--no-push");
    const { project_id } = s.state();
    expect(code).toBe(0);
    expect(out).toContain(
      `verified work waits on stint/prompt, because main is the shared default branch of origin; bring it in: stint deliver ${project_id}`,
    );
    expect(out).toContain("nothing is pushed: push: never is set");
    expect(out).toContain(`Work: waits on stint/prompt: main is the shared default branch of origin`);
    expect(out).toContain(`Next: stint deliver ${project_id}`);
    expect([id(s, "main"), s.exists("hello.txt")]).toEqual([before, false]);
    expect(s.read("prompt.md")).toBe(TWO_TASKS);
    expect(arrived(s)).toEqual({ main: before });
    const waits = { kind: "waiting", branch: "stint/prompt", held_by: "choice" };
    expect(s.state().delivery).toMatchObject(waits);
    expect((await json<StatusView>(s, "status")).delivery).toMatchObject(waits);
    const [listed] = (await json<ListView>(s, "list")).projects;
    expect(listed?.state).toMatchObject({ delivery: waits });

    const tip = id(s, "stint/prompt");
    const told = await json<DeliverView>(s, "deliver");
    expect(told).toMatchObject({
      code: 0,
      delivery: { kind: "delivered", branch: "main", commit: tip },
      commits: 2,
      files: 3,
      push: { kind: "none" },
    });
    expect([id(s, "main"), s.read("hello.txt"), s.read("hallo.txt")]).toEqual([
      tip,
      "Hello\n",
      "Hallo\n",
    ]);
    expect(s.git("status", "--porcelain", "-uno")).toBe("");
    expect(s.state().delivery).toEqual({ kind: "delivered", branch: "main", commit: tip });
    // The work is in, so nothing needs the workspace any longer.
    expect((await json<StatusView>(s, "status")).workspace).toBeNull();
    const again = await s.say("deliver");
    expect(again.code).toBe(0);
    expect(again.out).toContain("nothing waits; main holds the work");
  });

  it("the question about the new branch ends with stint deliver, and the plan tells of it", async () => {
    const s = scene();
    withRemote(s, "main");
    const { gates } = await json<PlanView>(s, "plan", "prompt.md");
    expect(gates.later).toEqual(["the push, at the end"]);
    expect((await json<PlanView>(s, "plan", "--no-push")).gates.later).toEqual([]);
    await s.say(...RUN);
    expect(s.state().approval_items).toMatchObject([{ kind: "push", status: "open" }]);
    expect(await json<DeliverView>(s, "deliver")).toMatchObject({ push: { kind: "pushed" } });
    expect(s.state().approval_items).toMatchObject([{ kind: "push", status: "withdrawn" }]);
    expect((await json<StatusView>(s, "status")).waiting_for_a_person).toEqual([]);
    expect((await s.say("resume", ...AGENT)).code).toBe(0);
  });

  it("the new branch is asked about once, and a yes pushes it with its upstream", async () => {
    const s = scene();
    withRemote(s, "main");
    const before = id(s, "main");
    const { out, code } = await s.say(...RUN);
    expect(code).toBe(3);
    expect(out).toContain("you are asked, at the end, before work is pushed to origin/stint/prompt");
    expect(s.state().approval_items).toMatchObject([
      { kind: "push", status: "open", reason: expect.stringContaining("a new branch on origin") },
    ]);
    expect(arrived(s)).toEqual({ main: before });
    expect((await s.say("approve", "a1")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
    expect(arrived(s)).toEqual({ main: before, "stint/prompt": id(s, "stint/prompt") });
    expect(s.git("rev-parse", "--abbrev-ref", "stint/prompt@{upstream}").trim()).toBe(
      "origin/stint/prompt",
    );
    // What a person brings in goes where their branch goes.
    const { push } = await json<DeliverView>(s, "deliver");
    expect(push.kind).toBe("pushed");
    expect(arrived(s)["main"]).toBe(id(s, "main"));
  });

  it("an act that opens a pull request sees the branch and pushes it itself; nobody is asked", async () => {
    const act = "- [ ] request - Open a pull request\n  - run: `$SCENE/gh pr create --fill`\n";
    const s = scene(`---\nrelease: auto\n---\n${TWO_TASKS}${act}`);
    withRemote(s, "main");
    const gh = `#!/bin/sh
git rev-parse --abbrev-ref HEAD >"${s.path}/seen"
git log --format=%s -2 >>"${s.path}/seen"
git push -q origin HEAD
`;
    s.program("gh", gh);
    const { code, out } = await s.sayIn({ env: { SCENE: s.path } }, ...RUN, "--isolation", "off");
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(readFileSync(join(s.path, "seen"), "utf8")).toBe(
      "stint/prompt\ngerman: Write hallo.txt\nenglish: Write hello.txt\n",
    );
    expect(s.state()).toMatchObject({ status: "Done", approval_items: [] });
    // The last commit holds the box of the act itself.
    expect(arrived(s)).toEqual({ main: id(s, "main"), "stint/prompt": id(s, "stint/prompt") });
  });

  it("push: auto, written, pushes the new branch after each task", async () => {
    const s = scene(`---\npush: auto\n---\n${TWO_TASKS}`);
    withRemote(s, "main");
    const { out } = await s.say(...RUN, "--sessions", "1");
    expect(out).toMatch(/when it is verified, work is pushed to origin\/stint\/prompt .*, as a new branch/);
    expect(arrived(s)["stint/prompt"]).toBe(id(s, "stint/prompt"));
    expect((await s.say("resume")).code).toBe(0);
    expect(arrived(s)["stint/prompt"]).toBe(id(s, "stint/prompt"));
    expect(id(s, "stint/prompt~2")).toBe(id(s, "main"));
  });

  it("deliver: checkout brings it in all the same, and pushes it", async () => {
    const s = scene(`---\ndeliver: checkout\n---\n${TWO_TASKS}`);
    withRemote(s, "main");
    const { out, code } = await s.say(...RUN);
    expect(code).toBe(0);
    expect(out).toContain("verified work goes to main");
    expect(id(s, "main")).toBe(id(s, "stint/prompt"));
    expect(arrived(s)).toEqual({ main: id(s, "main") });
  });
});

describe.concurrent("a branch of the person's own", () => {
  it("with an upstream: delivered and pushed after each task", async () => {
    const s = scene();
    withRemote(s, "feature");
    const { out } = await s.say(...RUN, "--sessions", "1");
    expect(out).toContain("verified work goes to feature");
    expect(out).toContain("when it is verified, work is pushed to origin/feature");
    expect([s.read("hello.txt"), arrived(s)["feature"]]).toEqual(["Hello\n", id(s, "feature")]);
    expect((await s.say("resume")).code).toBe(0);
    expect(arrived(s)["feature"]).toBe(id(s, "feature"));
    expect(arrived(s)["main"]).toBe(id(s, "feature~2"));
    expect(Object.keys(arrived(s))).toEqual(["feature", "main"]);
  });

  it("that follows the shared default branch: delivered, and its push there is asked about", async () => {
    const s = scene();
    withRemote(s, "main");
    s.git("switch", "-qc", "work", "origin/main");
    const { out, code } = await s.say(...RUN);
    expect(code).toBe(3);
    expect(out).toContain("verified work goes to work");
    expect(out).toContain("you are asked, at the end, before work is pushed to origin/main");
    expect(s.state().approval_items[0]?.reason).toContain(
      "work follows origin/main, and main is the shared default branch of origin",
    );
    expect([id(s, "work"), arrived(s)["main"]]).toEqual([id(s, "stint/prompt"), id(s, "main")]);
  });

  it("without any remote, main is one too, and nothing is said of a push", async () => {
    const s = scene();
    const { out, code } = await s.say(...RUN);
    expect(code).toBe(0);
    expect(out).toContain("verified work goes to main");
    expect(out).not.toContain("push");
    expect(id(s, "main")).toBe(id(s, "stint/prompt"));
  });

  it("deliver: branch leaves it alone; the flag wins over the file", async () => {
    const s = scene(`---\ndeliver: ask\n---\n${TWO_TASKS}`);
    const before = id(s, "main");
    const { out, code } = await s.say(...RUN, "--deliver", "branch");
    expect(code).toBe(0);
    expect(out).toContain("verified work waits on stint/prompt, because deliver: branch is set");
    expect(id(s, "main")).toBe(before);
  });

  it("moves while the person is elsewhere, and is what is pushed", async () => {
    const s = scene();
    withRemote(s, "feature");
    await s.say(...RUN, "--sessions", "1");
    s.git("switch", "-q", "main");
    const before = [s.git("status", "--porcelain"), s.git("ls-files", "-s"), id(s, "HEAD")];
    expect((await s.say("resume")).code).toBe(0);
    expect([s.git("status", "--porcelain"), s.git("ls-files", "-s"), id(s, "HEAD")]).toEqual(before);
    expect(s.exists("hello.txt")).toBe(false);
    expect(s.git("log", "--format=%s", "-2", "feature")).toBe(
      "german: Write hallo.txt\nenglish: Write hello.txt\n",
    );
    expect(arrived(s)).toEqual({ main: id(s, "main"), feature: id(s, "feature") });
  });
});

describe.concurrent("deliver: ask", () => {
  const ASKS = `---\ndeliver: ask\n---\n${TWO_TASKS}`;

  it("is one question at the end, and a yes delivers exactly what it showed", async () => {
    const s = scene(ASKS);
    const before = id(s, "main");
    const { out, code } = await s.say(...RUN);
    expect(code).toBe(3);
    expect(out).toContain("; you are asked at the end, before it goes to main");
    const tip = id(s, "stint/prompt");
    const [item] = s.state().approval_items;
    expect(item).toMatchObject({ id: "a1", kind: "deliver", status: "open" });
    expect(item?.subject).toBe(
      [
        "deliver stint/prompt into main",
        `from ${before} to ${tip}`,
        `${tip.slice(0, 10)} german: Write hallo.txt`,
        `${id(s, `${tip}~`).slice(0, 10)} english: Write hello.txt`,
      ].join("\n"),
    );
    expect([id(s, "main"), s.exists("hello.txt")]).toEqual([before, false]);
    // The boxes are checked where the work is.
    expect((await s.say("verify")).out).toContain("Intact: ");
    expect((await s.say("approve", "a1")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
    expect([id(s, "main"), s.read("hello.txt")]).toEqual([tip, "Hello\n"]);
    expect(s.state()).toMatchObject({
      status: "Done",
      delivery: { kind: "delivered", branch: "main", commit: tip },
    });
  });

  it("a no leaves it on its branch, and the work is done all the same", async () => {
    const s = scene(ASKS);
    const before = id(s, "main");
    await s.say(...RUN);
    expect((await s.say("deny", "a1", "--reason", "after the freeze")).code).toBe(0);
    const { out, code } = await s.say("resume");
    expect([code, s.state().status, id(s, "main")]).toEqual([0, "Done", before]);
    expect(out).toContain("said no: after the freeze");
    expect(s.state().delivery).toMatchObject({ kind: "waiting", held_by: "choice" });
    expect((await s.say("deliver")).code).toBe(0);
    expect(id(s, "main")).toBe(id(s, "stint/prompt"));
  });

  it("a yes to something that is there no longer is void, and asked anew", async () => {
    const s = scene(ASKS);
    await s.say(...RUN);
    expect((await s.say("approve", "a1")).code).toBe(0);
    // Another branch point than the one that was shown: an earlier commit of main.
    s.git("update-ref", "refs/heads/main", id(s, "main~"));
    s.git("reset", "-q");
    const moved = id(s, "main");
    const { code } = await s.say("resume");
    expect([code, id(s, "main")]).toEqual([3, moved]);
    const items = s.state().approval_items;
    expect(items).toMatchObject([
      { id: "a1", status: "granted" },
      { id: "a2", kind: "deliver", status: "open" },
    ]);
    expect(items[1]?.subject).toContain(`from ${moved} to ${id(s, "stint/prompt")}`);
  });

  it("a person who brings it in themselves is not asked any longer", async () => {
    const s = scene(ASKS);
    await s.say(...RUN);
    expect((await s.say("deliver")).code).toBe(0);
    expect(s.state().approval_items).toMatchObject([{ kind: "deliver", status: "withdrawn" }]);
    expect((await s.say("resume")).code).toBe(0);
    expect([s.state().status, id(s, "main")]).toEqual(["Done", id(s, "stint/prompt")]);
  });
});

describe.concurrent("stint deliver", () => {
  const WAITS = `---\ndeliver: branch\n---\n${TWO_TASKS}`;

  it("says what is in the way and what to do, and brings it in once that is gone", async () => {
    const s = scene(WAITS);
    await s.say(...RUN);
    s.write("hello.txt", "mine, and in the way\n");
    const { project_id } = s.state();
    const refused = await s.say("deliver");
    expect(refused.code).toBe(3);
    expect(refused.out).toContain(
      "the work stays on stint/prompt: files of yours that are in no commit are in the way: hello.txt",
    );
    expect(refused.out).toContain(
      `Next: Move them away or commit them, then: stint deliver ${project_id}`,
    );
    expect(s.read("hello.txt")).toBe("mine, and in the way\n");
    s.git("stash", "-qu", "--", "hello.txt");
    const { out, code } = await s.say("deliver", project_id);
    expect(code).toBe(0);
    expect(out).toContain("brought 2 commits with 3 files into main");
  });

  it("--into another branch, which the work belongs to from then on", async () => {
    const s = scene(WAITS);
    await s.say(...RUN, "--sessions", "1");
    const before = id(s, "main");
    s.git("branch", "release");
    const { out, code } = await s.say("deliver", "--into", "release");
    expect(code).toBe(0);
    expect(out).toContain("brought 1 commit with 2 files into release");
    expect([id(s, "release"), id(s, "main")]).toEqual([id(s, "stint/prompt"), before]);
    expect((await s.say("resume", "--deliver", "auto")).code).toBe(0);
    expect([id(s, "release"), id(s, "main")]).toEqual([id(s, "stint/prompt"), before]);
    expect(s.git("log", "--format=%s", "-1", "release")).toBe("german: Write hallo.txt\n");
  });

  it("of a project that began on no branch names one in every command that it is told", async () => {
    const s = scene(WAITS);
    s.git("checkout", "-q", "--detach");
    const run = await s.say(...RUN);
    const command = `stint deliver ${s.state().project_id} --into <branch>`;
    expect(run.out).toContain(`; bring it in: ${command}\n`);
    expect(run.out).toContain(`  Next: ${command}\n`);
    expect((await s.say("status")).out).toContain(`; bring it in: ${command}\n`);
    expect(run.out.replaceAll(command, "")).not.toContain("stint deliver");
    expect((await s.say("deliver")).code).toBe(3);
    expect((await s.say("log", "-n", "3")).out).toContain(
      "asked to bring the work in, and named no branch that it should go to",
    );
    expect((await s.say("deliver", "--into", "main")).code).toBe(0);
  });

  it.each([
    [["--into", "nowhere"], "there is no branch nowhere in "],
    [["--into", "--force"], "there is no branch --force in "],
    [["--into", "stint/prompt"], "stint/prompt is the branch where the work already waits"],
    [["p-unknown"], "p-unknown"],
    [["--onto", "main"], "unknown option '--onto'"],
  ])("refuses %j and changes nothing", async (words, text) => {
    const s = scene(WAITS);
    await s.say(...RUN, "--sessions", "1");
    const before = s.git("for-each-ref");
    const { code, err } = await s.say("deliver", ...words);
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
    expect(s.git("for-each-ref")).toBe(before);
  });

  it("refuses wrong words of run: --deliver and --push", async () => {
    const s = scene();
    expect((await s.say(...RUN, "--deliver", "main")).err).toContain('"main" is not a way to deliver');
    expect((await s.say(...RUN, "--push", "yes")).err).toContain('"yes" is not a way to push');
    s.write("prompt.md", `---\ndeliver: sometimes\n---\n${TWO_TASKS}`);
    const lint = await s.say("lint", "prompt.md");
    expect([lint.code, lint.out]).toEqual([
      2,
      expect.stringContaining("deliver is auto, checkout, branch or ask"),
    ]);
  });

  it("says what to do while a run is live", async () => {
    const s = scene(WAITS);
    writeFileSync(
      join(s.path, "script.json"),
      JSON.stringify({
        manifest: "prompt.md",
        tasks: {
          english: [english],
          german: [{ act: "run", command: `while [ ! -e ${s.path}/go ]; do sleep 0.05; done` }, german],
        },
      }),
    );
    const run = s.start(...RUN, "--isolation", "off");
    await run.until('attempt 1 of task t2 "Write hallo.txt" started');
    const before = s.git("for-each-ref");
    const { code, err } = await s.say("deliver");
    const { project_id } = s.state();
    expect(code).toBe(6);
    expect(err).toContain(
      `To do it now: stint pause ${project_id}; when the run has ended (stint status ${project_id}): stint deliver ${project_id}; then continue: stint resume ${project_id}`,
    );
    expect(s.git("for-each-ref")).toBe(before);
    // As it says.
    expect((await s.say("pause", project_id)).code).toBe(0);
    writeFileSync(join(s.path, "go"), "");
    await run.ended;
    expect((await s.say("deliver", project_id)).code).toBe(0);
    expect(s.read("hello.txt")).toBe("Hello\n");
    expect((await s.say("resume", project_id)).code).toBe(0);
  });

  it("is nobody's but a person's", async () => {
    const s = scene(WAITS);
    await s.say(...RUN, "--sessions", "1");
    const before = s.git("for-each-ref");
    const env = { STINT_RUN_ID: "r-0000000000" };
    const { code, err } = await s.sayIn({ env }, "deliver");
    expect([code, err]).toEqual([2, expect.stringContaining("is for a person")]);
    expect(s.git("for-each-ref")).toBe(before);
  });
});

it("has nothing to bring in before work is verified", async () => {
  const s = scene();
  expect((await s.say("run", "prompt.md", "--agent", "command:true", "--sessions", "1")).code).toBe(1);
  expect((await s.say("deliver")).out).toContain(": there is no verified work yet\n");
  expect((await s.say("status")).out).not.toContain("(delivered)");
});

describe.concurrent("a push that is refused", () => {
  it("tells the remote's words and which commits are here, and is never forced", async () => {
    const s = scene();
    withRemote(s, "feature");
    const hook = "#!/bin/sh\necho 'GH006: Protected branch update failed' >&2\nexit 1\n";
    s.write("../remote.git/hooks/pre-receive", hook, 0o755);
    const there = arrived(s);
    const { code, out } = await s.say(...RUN);
    expect(code).toBe(4);
    const commit = id(s, "feature");
    expect(out).toContain(`\nnotice: committed t1 "Write hello.txt" as ${commit}\n`);
    expect(out).toContain(`\n  Commits: ${commit.slice(0, 10)}\n`);
    // A run that only tries to push it again made no commit.
    const again = await s.say("resume", "--retry");
    expect(again.out).toContain("\n  Commits: none made\n");
    expect(again.out).not.toContain("committed t1");
    const reason = s.state().blockers[0]?.reason;
    expect(reason).toContain("could not be pushed to origin/feature: the branch is protected there (");
    expect(reason).toContain("pre-receive hook declined");
    expect(reason).toContain("Protected branch update failed");
    expect(reason).toContain(`. 1 commit not pushed: ${id(s, "feature").slice(0, 10)} english: Write hello.txt`);
    expect(arrived(s)).toEqual(there);
  });

  it("where the remote has moved on, too", async () => {
    const s = scene();
    withRemote(s, "feature");
    const theirs = colleaguePushes(s, "feature", "theirs.txt");
    expect((await s.say(...RUN)).code).toBe(4);
    expect(s.state().blockers[0]?.reason).toMatch(/could not be pushed to origin\/feature: the remote has commits that are not here \(fetch first\)/);
    expect(arrived(s)["feature"]).toBe(theirs);
  });
});
