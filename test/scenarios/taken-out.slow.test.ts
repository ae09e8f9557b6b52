// What a person does to their branch after the work was delivered: Stint says what is true now, and calls nothing lost
// that is there under another id or name.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { StatusView, VerifyView } from "../../src/core/schema/views.ts";
import { english, german, Scenario, TWO_TASKS } from "../support/scenario.ts";

const scenes: Scenario[] = [];
afterAll(() => {
  for (const made of scenes) made.close();
});

async function done(...words: string[]): Promise<Scenario> {
  const made = new Scenario({ manifest: TWO_TASKS });
  scenes.push(made);
  const tasks = { english: [english], german: [german] };
  writeFileSync(join(made.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
  const said = await made.say("run", "prompt.md", "--agent", "scripted:../script.json", ...words);
  expect(said).toMatchObject({ code: 0 });
  return made;
}

async function deliveryOf(made: Scenario): Promise<StatusView["delivery"]> {
  return (JSON.parse((await made.say("status", "--json")).out) as StatusView).delivery;
}

async function verified(made: Scenario): Promise<{ passed: boolean; problems: string[] }> {
  const view = JSON.parse((await made.say("verify", "--json")).out) as VerifyView;
  return { passed: view.passed, problems: view.criteria.flatMap(({ problems }) => problems) };
}

const head = (made: Scenario, revision = "HEAD"): string =>
  made.git("rev-parse", "--verify", revision).trim();

describe.concurrent("S3 delivered work that a person takes out of the branch", () => {
  it("by reset is said by status, verify and deliver, and the command they name brings it back", async () => {
    const made = await done();
    const commit = head(made);
    const branch = made.git("symbolic-ref", "--short", "HEAD").trim();
    made.git("reset", "-q", "--hard", "HEAD~1");
    const [, task] = made.state().tasks;
    expect(await deliveryOf(made)).toEqual({
      kind: "taken-out",
      branch,
      tasks: [task?.id],
      commits: [commit],
      why: `${branch} no longer contains 1 commit of ${task?.id}`,
      hint: `To have it back on ${branch}: git cherry-pick ${commit.slice(0, 10)}`,
    });
    expect((await made.say("status")).out.replaceAll(/\s+/g, " ")).toContain(
      `delivered, but ${branch} no longer contains 1 commit of ${task?.id}. To have it back on ${branch}: git cherry-pick ${commit.slice(0, 10)}`,
    );
    expect((await made.say("verify")).code).toBe(5);
    expect(await verified(made)).toEqual({
      passed: false,
      problems: expect.arrayContaining([
        `${task?.id}: its commit ${commit} is no longer on ${branch}, nor is the same change. To have it back on ${branch}: git cherry-pick ${commit.slice(0, 10)}`,
      ]),
    });
    const deliver = await made.say("deliver");
    expect(deliver.code).toBe(2);
    expect(deliver.err.replaceAll(/\s+/g, " ")).toContain(
      `${branch} no longer contains 1 commit of ${task?.id}`,
    );
    made.git("cherry-pick", commit.slice(0, 10));
    expect(await deliveryOf(made)).toMatchObject({ kind: "delivered", branch });
    expect(await verified(made)).toEqual({ passed: true, problems: [] });
  });

  it("with the branch itself: no branch contains it", async () => {
    const made = await done();
    const branch = made.git("symbolic-ref", "--short", "HEAD").trim();
    made.git("checkout", "-q", "-b", "elsewhere", "HEAD~2");
    for (const each of [branch, "stint/prompt"]) {
      if (made.git("branch", "--list", each).trim() !== "") made.git("branch", "-q", "-D", each);
    }
    expect(await deliveryOf(made)).toMatchObject({
      kind: "taken-out",
      branch: null,
      why: "no branch contains 2 commits of t1, t2",
    });
    expect((await verified(made)).passed).toBe(false);
  });

  it("by reset where it was done in place", async () => {
    const made = await done("--in-place");
    expect(await deliveryOf(made)).toEqual({ kind: "in-place" });
    made.git("reset", "-q", "--hard", "HEAD~1");
    expect(await deliveryOf(made)).toMatchObject({ kind: "taken-out", branch: null });
    expect((await verified(made)).passed).toBe(false);
  });

  it("so that git has lost it says so, and how to have it done again", async () => {
    const made = await done();
    made.git("reset", "-q", "--hard", "HEAD~1");
    const names = made.git("for-each-ref", "--format=%(refname)", "refs/stint", "refs/heads/stint");
    for (const name of names.split("\n").filter((each) => each !== "")) {
      made.git("update-ref", "-d", name);
    }
    made.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
    made.git("gc", "-q", "--prune=now");
    expect(await deliveryOf(made)).toMatchObject({
      kind: "taken-out",
      hint: `Git no longer has it; fetch it if a remote does, or have it done again: stint reopen t2 ${made.state().project_id} --reason "its commit is gone"`,
    });
    expect((await verified(made)).passed).toBe(false);
  });
});

describe.concurrent("S3 delivered work that a person only rewrites or moves is still delivered", () => {
  const ACTS: Record<string, (made: Scenario) => void> = {
    "amended, with another file": (made) => {
      made.write("own.txt", "mine\n");
      made.git("add", "own.txt");
      made.git("commit", "-q", "--amend", "--no-edit");
    },
    "amended to other words, without trailers": (made) => {
      made.git("commit", "-q", "--amend", "-m", "hallo");
    },
    "rebased on something else": (made) => {
      const branch = made.git("symbolic-ref", "--short", "HEAD").trim();
      made.git("checkout", "-q", "-b", "base", "HEAD~2");
      made.write("own.txt", "mine\n");
      made.git("add", "own.txt");
      made.git("commit", "-q", "-m", "mine");
      made.git("rebase", "-q", "base", branch);
    },
    "reverted by a commit": (made) => {
      made.git("revert", "--no-edit", "HEAD");
    },
    "continued": (made) => {
      made.write("own.txt", "mine\n");
      made.git("add", "own.txt");
      made.git("commit", "-q", "-m", "mine");
    },
    "squashed into another branch, and its own deleted": (made) => {
      const branch = made.git("symbolic-ref", "--short", "HEAD").trim();
      made.git("checkout", "-q", "-b", "trunk", "HEAD~2");
      made.git("merge", "-q", "--squash", branch);
      made.git("commit", "-q", "--no-edit");
      made.git("branch", "-q", "-D", branch);
    },
  };

  it("whatever they do", async () => {
    const made = await done();
    const branch = made.git("symbolic-ref", "--short", "HEAD").trim();
    const commit = head(made);
    const told: Record<string, unknown> = {};
    for (const [name, act] of Object.entries(ACTS)) {
      act(made);
      // oxlint-disable-next-line no-await-in-loop
      const [delivery, deliver, { problems }] = await Promise.all([
        deliveryOf(made),
        made.say("deliver"),
        verified(made),
      ]);
      const lost = problems.filter((text) => text.includes("no longer on"));
      told[name] = { kind: delivery?.kind, code: deliver.code, lost };
      made.git("checkout", "-q", "-f", "-B", branch, commit);
      for (const other of ["base", "trunk"]) made.git("update-ref", "-d", `refs/heads/${other}`);
    }
    const well = { kind: "delivered", code: 0, lost: [] };
    expect(told).toEqual(Object.fromEntries(Object.keys(ACTS).map((name) => [name, well])));

    made.git("branch", "-m", "renamed");
    expect(await deliveryOf(made)).toMatchObject({ kind: "delivered", branch: "renamed" });
    expect((await made.say("status")).out).toContain("on renamed (delivered)");
  });
});
