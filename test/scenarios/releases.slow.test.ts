// What leaves the machine waits for a person: release steps, and work that is not plainly Stint's own
// to push. And answers that came too late.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { giveAnswer } from "../../src/operations/answers/send-answer.ts";
import { ENGLISH, LimitedRun } from "../support/limited-run.ts";
import { english, german, Scenario, TWO_TASKS } from "../support/scenario.ts";
import { Transcript } from "../support/transcript.ts";

const scenes: Scenario[] = [];

function scene(manifest: string): Scenario {
  const made = new Scenario({ manifest });
  scenes.push(made);
  const tasks = { english: [english], german: [german] };
  writeFileSync(
    join(made.path, "script.json"),
    JSON.stringify({ manifest: "prompt.md", tasks }),
  );
  return made;
}

/** A remote with what is there now, and a branch of the person's own that follows it. */
function withRemote(made: Scenario): string {
  const remote = join(made.path, "remote.git");
  made.git("init", "-q", "--bare", remote);
  made.git("remote", "add", "origin", remote);
  made.git("switch", "-qc", "work");
  made.git("push", "-q", "-u", "origin", "HEAD");
  return remote;
}

function arrived(made: Scenario): string {
  return made.git("ls-remote", "--heads", "origin").split("\t")[0] ?? "";
}

function head(made: Scenario): string {
  return made.git("rev-parse", "HEAD").trim();
}

afterAll(() => {
  for (const made of scenes) made.close();
});

const AGENT = ["--agent", "scripted:../script.json"];
const STEPS = TWO_TASKS.replace(
  "- [ ] german",
  "- [ ] release - Publish the greeting\n  - run: `./publish.sh hello.txt`\n- [ ] german",
);
const PUBLISH = "#!/bin/sh\ncat \"$1\" >>../published\n";

describe.concurrent("a release step", () => {
  function published(made: Scenario): boolean {
    return existsSync(join(made.path, "published"));
  }

  function withScript(manifest: string): Scenario {
    const made = scene(manifest);
    made.write("publish.sh", PUBLISH, 0o755);
    made.git("add", "publish.sh");
    made.git("commit", "-qm", "how it is published");
    return made;
  }

  it("waits for a yes to exactly what it would do, and then happens once", async () => {
    const s = withScript(STEPS);
    const t = new Transcript(s);
    await t.run("run", "prompt.md", ...AGENT);
    expect(published(s)).toBe(false);
    await t.type("diff", "a1");
    await t.type("approve", "a1");
    await t.run("resume");
    expect(s.read("../published")).toBe("Hello\n");
    expect(t.text).toBe(`
$ stint run prompt.md --agent scripted:../script.json
attempt 1 of task t1 "Write hello.txt" started in session 1
check passed: \`grep -q Hello hello.txt\`
done task t1 "Write hello.txt"
asked for approval a1: t2 "Publish the greeting" is a release step; it needs your yes before it starts
waits for a person
  Next: stint diff a1 ID  then  stint approve a1 ID  or  stint deny a1 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
$ stint diff a1
a1: t2 "Publish the greeting" is a release step; it needs your yes before it starts
start t2: Publish the greeting
- run: \`./publish.sh hello.txt\`
  Digest: DIGEST
  Yes: the task starts
  No: the task is blocked; nothing is executed
  Next: stint approve a1 ID
  Or: stint deny a1 ID --reason "why not"
→ 0
$ stint approve a1
✓ ID: ada granted approval a1; it is Ready to continue
  Next: stint resume ID
→ 0
$ stint resume
done task t2 "Publish the greeting"
attempt 1 of task t3 "Write hallo.txt" started in session 2
check passed: \`grep -q Hallo hallo.txt\`
done task t3 "Write hallo.txt"
  Next: stint verify ID
→ 0
`);
  });

  it("denied, it is not done, and what depends on it does not start", async () => {
    const s = withScript(STEPS);
    await s.say("run", "prompt.md", ...AGENT);
    expect((await s.say("deny", "a1", "--reason", "not today")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(4);
    expect([published(s), s.task("german").status]).toEqual([false, "pending"]);
  });

  it("is found in a script: of the person, or of the session before; plan and lint say the same", async () => {
    const steps = TWO_TASKS.replace(
      "- [ ] german",
      "- [ ] last - Finish\n  - run: `npm run last`\n- [ ] german",
    );
    const made = scene(steps);
    const pack = (last: string): string => JSON.stringify({ scripts: { last } });
    made.write("package.json", pack("sh tools/last.sh"));
    made.write("tools/last.sh", "cd .. && git push ../nowhere HEAD\n");
    made.git("add", "package.json", "tools");
    made.git("commit", "-qm", "how it is finished");
    const { out: plan } = await made.say("plan", "prompt.md");
    expect(plan).toContain("before it starts, because it is a release step");
    const asked = await made.say("run", "prompt.md", ...AGENT);
    expect(asked.out).toContain('t2 "Finish" is a release step; it needs your yes before it starts');
    expect(asked.code).toBe(3);
    made.write("reviewed.md", steps.replace("`npm run last`", '`npm run last`\n  - check: agent codex "Fine?"'));
    expect((await made.say("lint", "reviewed.md")).out).toContain("[agent-review-of-release]");

    const written = scene(steps);
    written.write("package.json", pack("sh tools/last.sh"));
    written.write("tools/last.sh", "true\n");
    written.git("add", "package.json", "tools");
    written.git("commit", "-qm", "how it is finished");
    const act = { act: "write", path: "tools/last.sh", text: "git push ../nowhere HEAD\n" };
    writeFileSync(
      join(written.path, "script.json"),
      JSON.stringify({ manifest: "prompt.md", tasks: { english: [english, act], german: [german] } }),
    );
    expect((await written.say("plan", "prompt.md")).out).not.toContain("release step");
    const held = await written.say("run", "prompt.md", ...AGENT);
    expect(held.out).toContain('t2 "Finish" is a release step');
    expect(held.code).toBe(3);
  });

  it("goes ahead where a person wrote release: auto", async () => {
    const s = withScript(`---\nrelease: auto\n---\n${STEPS}`);
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    expect(published(s)).toBe(true);
  });
});

describe.concurrent("S0-22 work that is not plainly Stint's own to push", () => {
  it("push: ask is one question at the end, and a yes pushes exactly what it showed", async () => {
    const s = scene(`---\npush: ask\n---\n${TWO_TASKS}`);
    withRemote(s);
    const before = head(s);
    const t = new Transcript(s);
    const { out } = await t.run("run", "prompt.md", ...AGENT);
    expect(out).toContain(
      `you are asked, at the end, before work is pushed to origin/work (${join(s.path, "remote.git")})`,
    );
    expect(arrived(s)).toBe(before);
    const verified = head(s);
    const first = s.git("rev-parse", "HEAD~").trim();
    await t.type("diff", "a1");
    await t.type("approve", "a1");
    t.note("a person commits something of their own");
    s.git("commit", "-q", "--allow-empty", "-m", "mine");
    await t.run("resume");
    expect(arrived(s)).toBe(verified);
    expect(t.text).toBe(`
$ stint run prompt.md --agent scripted:../script.json
attempt 1 of task t1 "Write hello.txt" started in session 1
check passed: \`grep -q Hello hello.txt\`
done task t1 "Write hello.txt"
attempt 1 of task t2 "Write hallo.txt" started in session 2
check passed: \`grep -q Hallo hallo.txt\`
done task t2 "Write hallo.txt"
asked for approval a1: verified work is not pushed yet: push: ask is set; 2 commits for origin/work
waits for a person
  Next: stint diff a1 ID  then  stint approve a1 ID  or  stint deny a1 ID --reason "why not"
  Then: when it is answered: stint resume ID
→ 3
$ stint diff a1
a1: verified work is not pushed yet: push: ask is set; 2 commits for origin/work
git push origin COMMIT:refs/heads/work refs/notes/stint
to PLACE/remote.git
${verified.slice(0, 10)} german: Write hallo.txt
${first.slice(0, 10)} english: Write hello.txt
  Digest: DIGEST
  Yes: exactly this is pushed
  No: it stays committed here; nothing is pushed
  Next: stint approve a1 ID
  Or: stint deny a1 ID --reason "why not"
→ 0
$ stint approve a1
✓ ID: ada granted approval a1; it is Ready to continue
  Next: stint resume ID
→ 0
# a person commits something of their own
$ stint resume
notice: what was approved (a1) is pushed to origin/work (PLACE/remote.git); you are asked before anything else is
  Next: stint verify ID
→ 0
`);
  });

  it("a no leaves it here, and the work is done all the same", async () => {
    const s = scene(`---\npush: ask\n---\n${TWO_TASKS}`);
    withRemote(s);
    const before = head(s);
    await s.say("run", "prompt.md", ...AGENT);
    expect((await s.say("deny", "a1", "--reason", "I push it myself")).code).toBe(0);
    const { code } = await s.say("resume");
    expect([code, s.state().status, arrived(s)]).toEqual([0, "Done", before]);
  });

  it("commits of others are asked about before they leave with verified ones", async () => {
    const s = scene(TWO_TASKS);
    withRemote(s);
    s.git("commit", "-q", "--allow-empty", "-m", "a person's, not pushed yet");
    const { code } = await s.say("run", "prompt.md", ...AGENT);
    expect([code, s.state().status]).toEqual([3, "AwaitingApproval"]);
    expect(s.state().tasks.map(({ status }) => status)).toEqual(["done", "done"]);
    expect(s.state().approval_items).toMatchObject([
      { kind: "push", reason: expect.stringContaining("neither Stint nor its sessions") as string },
    ]);
    await s.say("approve", "a1");
    expect((await s.say("resume")).code).toBe(0);
    expect(arrived(s)).toBe(head(s));
  });

  it("pushed by hand meanwhile, nothing is asked any longer", async () => {
    const s = scene(`---\npush: ask\n---\n${TWO_TASKS}`);
    withRemote(s);
    await s.say("run", "prompt.md", ...AGENT);
    s.git("push", "-q");
    expect((await s.say("resume")).code).toBe(0);
    expect(s.state().approval_items).toMatchObject([{ status: "withdrawn" }]);
  });

  it("a remote that does not take it blocks with its words, and is tried again", async () => {
    const s = scene(`---\npush: ask\n---\n${TWO_TASKS}`);
    const remote = withRemote(s);
    await s.say("run", "prompt.md", ...AGENT);
    await s.say("approve", "a1");
    s.write("../remote.git/hooks/pre-receive", "#!/bin/sh\necho frozen until Monday >&2\nexit 1\n", 0o755);
    const refused = await s.say("resume");
    expect(refused.code).toBe(4);
    expect(refused.out).toContain("frozen until Monday");
    s.write("../remote.git/hooks/pre-receive", "#!/bin/sh\n", 0o755);
    expect((await s.say("resume")).code).toBe(0);
    expect([arrived(s), existsSync(remote)]).toEqual([head(s), true]);
  });
});

describe("an approval that nobody answered in time", () => {
  const HOUR_MS = 3_600_000;

  it.each(["approve: before", "approve: after"])(
    "%s takes no late yes; it is looked at and asked anew, and no work is done twice",
    async (key) => {
      const s = new LimitedRun(`---
approvals: { expire: 2h }
---
## Goal
Say hello.

## Steps
- [ ] english - Write hello.txt
  - check: file hello.txt
  - ${key}
`);
      try {
        const agent = s.agent("a", [ENGLISH]);
        expect((await s.run({ agent })).status.status).toBe("AwaitingApproval");
        const { sessions } = s.snapshot.state.counters;
        s.pass(3 * HOUR_MS);
        await expect(giveAnswer(s.system, "approve", { subject: "a1" })).rejects.toMatchObject({
          message: expect.stringMatching(/a1 expired at .*, before you answered$/) as string,
          hint: expect.stringContaining("stint resume") as string,
        });
        expect((await s.run({ agent })).status).toMatchObject({
          status: "AwaitingApproval",
          waiting_for_a_person: [{ id: "a2", expires_at: expect.any(String) as string }],
        });
        expect(s.snapshot.state.counters.sessions).toBe(sessions);
        await giveAnswer(s.system, "approve", { subject: "a2" });
        expect((await s.run({ agent })).status.status).toBe("Done");
        expect(s.snapshot.state.counters.sessions).toBe(1);
      } finally {
        s.close();
      }
    },
  );
});
