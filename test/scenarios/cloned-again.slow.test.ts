// The checkout is deleted and cloned again, or its `.git` is made anew, while work of a project is in no other repository.
// Nothing goes on in silence, and nothing is called done whose commit is nowhere.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { git } from "../support/git.ts";
import { english, german, Scenario, TWO_TASKS } from "../support/scenario.ts";

const scenes: Scenario[] = [];
afterAll(() => {
  for (const made of scenes) made.close();
});

/** One of two tasks is done and delivered. @returns the state of the repository before it, to clone from */
async function begun(): Promise<{ made: Scenario; origin: string }> {
  const made = new Scenario({ manifest: TWO_TASKS });
  scenes.push(made);
  const origin = join(made.path, "origin.git");
  made.git("clone", "-q", "--bare", made.root, origin);
  const tasks = { english: [english, english], german: [german] };
  writeFileSync(join(made.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
  const words = ["run", "prompt.md", "--agent", "scripted:../script.json", "--sessions", "1"];
  expect(await made.say(...words)).toMatchObject({ code: 1 });
  return { made, origin };
}

function cloneAgain(made: Scenario, origin: string): void {
  const branch = made.git("symbolic-ref", "--short", "HEAD").trim();
  rmSync(made.root, { recursive: true });
  git(made.path, "clone", "-q", "--no-local", "-b", branch, origin, made.root);
  // Else it would wait to be delivered and pushed there.
  made.git("remote", "remove", "origin");
  made.git("config", "user.name", "Ada");
  made.git("config", "user.email", "ada@example.com");
}

function makeAnew(made: Scenario): void {
  const branch = made.git("symbolic-ref", "--short", "HEAD").trim();
  rmSync(join(made.root, ".git"), { recursive: true });
  rmSync(join(made.root, "hello.txt"), { force: true });
  made.git("init", "-q", "-b", branch);
  made.git("config", "user.name", "Ada");
  made.git("config", "user.email", "ada@example.com");
  made.git("add", "prompt.md");
  made.git("commit", "-q", "-m", "other");
}

function fine({ code, out, err }: { code: number | null; out: string; err: string }): void {
  expect(code === 0 ? "" : `exit ${code}: ${out}${err}`).toBe("");
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

describe.concurrent("S3 verified work whose commit is nowhere any more", () => {
  it.each([
    ["its checkout is cloned again", cloneAgain],
    ["its .git is made anew", (made: Scenario) => makeAnew(made)],
  ])("is said by a run that starts nothing, and done again by a person's word: %s", async (...row) => {
    const { made, origin } = await begun();
    const [first] = made.state().tasks;
    const commit = first?.status === "done" ? (first.commit ?? "") : "";
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    const sessions = made.state().counters.sessions;
    const id = made.state().project_id;
    row[1](made, origin);

    const refused = await made.say("resume", id);
    expect(refused.code).toBe(5);
    expect(oneLine(refused.err)).toContain(
      `no longer has verified work: ${commit.slice(0, 10)} of ${first?.id}.`,
    );
    expect(oneLine(refused.err)).toContain(`to do it again: stint resume ${id} --unverified`);
    expect(made.state().counters.sessions).toBe(sessions);
    expect(oneLine((await made.say("status")).out)).toContain(`stint resume ${id} --unverified`);

    const again = await made.say("resume", id, "--unverified");
    fine(again);
    expect(made.state().status).toBe("Done");
    expect(made.state().counters.sessions).toBe(sessions + 2);
    fine(await made.say("verify"));
    expect(made.git("show", "HEAD:prompt.md").match(/- \[x\]/g)).toHaveLength(2);
    expect(existsSync(join(made.root, "hello.txt"))).toBe(true);
    // Stint's own folder is no file of the new repository either.
    expect(made.git("status", "--porcelain")).not.toContain("agents");
  });

  it("is nothing to be said where the new clone has it under another id", async () => {
    const { made, origin } = await begun();
    made.git("commit", "-q", "--amend", "--no-edit", "--date", "2001-01-01T00:00:00Z");
    made.git("push", "-q", origin, "HEAD");
    const id = made.state().project_id;
    cloneAgain(made, origin);
    fine(await made.say("resume", id));
    expect(made.state().status).toBe("Done");
    expect(made.state().counters.sessions).toBe(2);
    fine(await made.say("verify"));
  });

  it("is fetched where another clone has it, and the run goes on", async () => {
    const { made, origin } = await begun();
    const other = join(made.path, "other.git");
    made.git("clone", "-q", "--bare", made.root, other);
    const id = made.state().project_id;
    cloneAgain(made, origin);
    expect((await made.say("resume", id)).code).toBe(5);
    made.git("pull", "-q", "--ff-only", other, "HEAD");
    fine(await made.say("resume", id));
    expect(made.state().counters.sessions).toBe(2);
    fine(await made.say("verify"));
  });
});
