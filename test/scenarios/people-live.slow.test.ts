// Answers while a run is at work, from another terminal: taken up at once, once, and never lost.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Act, english, german, Scenario, type Script } from "../support/scenario.ts";

const scenes: Scenario[] = [];

function scene(manifest: string, script: Script): Scenario {
  const made = new Scenario({ manifest });
  scenes.push(made);
  const file = join(made.path, "script.json");
  writeFileSync(file, JSON.stringify({ manifest: "prompt.md", tasks: script }));
  return made;
}

afterAll(() => {
  for (const made of scenes) made.close();
});

const AGENT = ["--agent", "scripted:../script.json"];

/** A session that is at work until somebody lets it go. */
const working: readonly Act[] = [
  { act: "say", text: "at work" },
  { act: "run", command: "while [ ! -e ../go ]; do sleep 0.05; done" },
];

function letGo(s: Scenario): void {
  writeFileSync(join(s.path, "go"), "");
}

const INDEPENDENT = `## Goal

Say hello in two languages.

## Steps

- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
  - approve: KIND
- [ ] german - Write hallo.txt
  - check: \`grep -q Hallo hallo.txt\`
  - after: none
`;

const PLAIN = INDEPENDENT.replace("  - approve: KIND\n", "").replace("  - after: none\n", "");

function letters(s: Scenario): string[] {
  const folder = join(s.shadow(), "answers");
  return existsSync(folder) ? readdirSync(folder) : [];
}

function answersIn(s: Scenario): number {
  return s.journal().split("\n").filter((line) => line.includes('"answer_id"')).length;
}

describe.concurrent("while a session is at work", () => {
  it("S3-6 S3-7 a yes is taken up at once, and the task goes on without another run", async () => {
    const s = scene(INDEPENDENT.replace("KIND", "before"), {
      english: [english],
      german: [...working, german],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    const said = await s.say("approve", "a1");
    expect([said.code, said.out]).toEqual([
      0,
      expect.stringContaining(`${s.person} granted approval a1; the run applied it and is Running now`),
    ]);
    await run.until("granted approval a1");
    expect(s.state().approval_items[0]).toMatchObject({ status: "granted", by: s.person });
    expect(letters(s)).toEqual([]);
    const again = await s.say("approve", "a1");
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing changed")]);
    const denied = await s.say("deny", "a1", "--reason", "late");
    expect([denied.code, denied.err]).toEqual([2, expect.stringContaining("cannot be taken back")]);
    letGo(s);
    expect((await run.ended).code).toBe(0);
    expect(s.state().status).toBe("Done");
    expect(answersIn(s)).toBe(1);
  });

  it("a yes to an output is verified by its checks when its turn comes, without another session", async () => {
    const s = scene(INDEPENDENT.replace("KIND", "after"), {
      english: [english],
      german: [...working, german],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    expect((await s.say("approve", "a1")).code).toBe(0);
    letGo(s);
    const { code, out } = await run.ended;
    expect([code, s.state().status, s.state().counters.sessions]).toEqual([0, "Done", 2]);
    expect(out.match(/check passed: `grep -q Hello hello.txt`/g)).toHaveLength(2);
    expect(s.task("english")).toMatchObject({ status: "done", attempts: 1 });
  });

  it("a yes to an output is no yes to what another session makes of its files meanwhile", async () => {
    const s = scene(INDEPENDENT.replace("KIND", "after"), {
      english: [english],
      german: [
        { act: "write", path: "hello.txt", text: "Hello, and more\n" },
        ...working,
        german,
      ],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    expect((await s.say("approve", "a1")).code).toBe(0);
    letGo(s);
    const { code, out } = await run.ended;
    expect(s.git("show", "HEAD:hello.txt")).toBe("Hello, and more\n");
    expect(out).toContain("changed by others since: hello.txt. t1 continues from their version; its own is kept");
    expect([code, s.task("english").status]).toEqual([3, "awaiting_approval"]);
    expect(s.state().approval_items.map(({ status }) => status)).toEqual(["granted", "open"]);
    expect(s.kept("english", 1, "hello.txt")).toBe("Hello\n");
  });

  it("S3-28 pause lets the session and its checks finish; the run ends, and resume goes on", async () => {
    const s = scene(PLAIN, { english: [...working, english], german: [german] });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    const said = await s.say("pause", "--reason", "lunch");
    const stops = `the run stops when its current work is finished, as ${s.person} asked: lunch`;
    const next = `  Next: stint status ${s.state().project_id}\n  Or: stint stop --now ${s.state().project_id}\n`;
    expect([said.code, said.out]).toEqual([0, `✓ ${s.state().project_id}: ${stops}\n${next}`]);
    const { out } = await s.say("status");
    expect(out).toContain(`  Stops     ${stops} at `);
    expect(out).toContain(`  At once   stint stop --now ${s.state().project_id}\n`);
    const again = await s.say("stop");
    expect([again.code, again.out]).toEqual([
      0,
      `= ${s.state().project_id}: a stop was asked for already: ${stops}; nothing changed\n${next}`,
    ]);
    letGo(s);
    expect((await run.ended).code).toBe(1);
    expect(s.state()).toMatchObject({ status: "Paused", pause: { reason: "lunch" } });
    expect(s.state().tasks.map(({ status }) => status)).toEqual(["done", "pending"]);
    expect((await s.say("resume")).code).toBe(0);
  });

  it("stop --now ends the session, whose attempt does not count against the task", async () => {
    const s = scene(PLAIN, { english: [[...working, english], [english]], german: [german] });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    expect((await s.say("stop", "--now")).code).toBe(0);
    expect((await run.ended).code).toBe(1);
    expect(s.state().status).toBe("Paused");
    expect(s.task("english")).toMatchObject({ attempts: 1, extra_attempts: 1 });
    expect((await s.say("resume")).code).toBe(0);
  });

  it("skip of the task in hand ends its session, settles what it left, and goes on with the next", async () => {
    const s = scene(PLAIN, {
      english: [
        { act: "edit-manifest", replace: "two languages", with: "no language" },
        ...working,
        english,
      ],
      german: [german],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    const said = await s.say("skip", "english", "--reason", "not needed");
    expect([said.code, said.out]).toEqual([0, expect.stringContaining("skipped task t1")]);
    // What the session wanted of the manifest is still set aside.
    expect((await run.ended).code).toBe(3);
    expect(s.state().tasks.map(({ status }) => status)).toEqual(["skipped", "done"]);
    expect(s.read("prompt.md")).toContain("two languages");
  });

  it("abandon ends everything for good", async () => {
    const s = scene(PLAIN, { english: [...working, english], german: [german] });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    expect((await s.say("abandon", "--reason", "enough")).code).toBe(0);
    expect((await run.ended).code).toBe(4);
    expect(s.state().status).toBe("Abandoned");
  });
});

describe.concurrent("while a check is at work", () => {
  const SLOW = INDEPENDENT.replace("KIND", "before").replace(
    "`grep -q Hallo hallo.txt`",
    "`touch ../checking; while [ ! -e ../go ]; do sleep 0.05; done; grep -q Hallo hallo.txt`",
  );

  it("a yes is taken up, and what the check found is recorded all the same", async () => {
    const s = scene(SLOW, { english: [english], german: [german] });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("asked for approval a1");
    while (!existsSync(join(s.path, "checking"))) {
      // oxlint-disable-next-line no-await-in-loop -- the check itself says when it has begun
      await s.say("status", "--json");
    }
    expect((await s.say("approve", "a1")).out).toContain("granted approval a1; the run applied it");
    letGo(s);
    expect((await run.ended).code).toBe(0);
    expect(s.state().tasks.map(({ status }) => status)).toEqual(["done", "done"]);
  });
});

describe.concurrent("a gate", () => {
  it("S3-1 S3-8 holds through kill -9 of the run and of everything it started, as often as it comes", async () => {
    const s = scene(INDEPENDENT.replace("KIND", "before"), {
      english: [english],
      german: [[...working, german], [...working, german], [german]],
    });
    for (const words of [["run", "prompt.md", ...AGENT], ["resume"]]) {
      const run = s.start(...words);
      // oxlint-disable-next-line no-await-in-loop -- one life after another
      await run.until("agent: at work");
      run.kill();
      // oxlint-disable-next-line no-await-in-loop
      expect((await run.ended).signal).toBe("SIGKILL");
      expect(s.state().approval_items).toMatchObject([{ id: "a1", status: "open" }]);
    }
    // Answered while it is down, after the kill: the next run finds the answer, and only that one.
    letGo(s);
    const resumed = await s.say("resume");
    expect(resumed.code).toBe(3);
    expect(s.task("german").status).toBe("done");
    expect(s.task("english")).toMatchObject({ status: "awaiting_approval", attempts: 0 });
    expect(s.state().approval_items).toHaveLength(1);
    expect((await s.say("approve", "a1")).code).toBe(0);
    expect((await s.say("resume")).code).toBe(0);
  });

  it("S3-1 is answered while its run lies dead in the middle of a session", async () => {
    const s = scene(INDEPENDENT.replace("KIND", "before"), {
      english: [english],
      german: [[...working, german], [german]],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    run.kill();
    await run.ended;
    expect((await s.say("approve", "a1")).code).toBe(0);
    expect((await s.say("skip", "german", "--reason", "no German")).code).toBe(0);
    letGo(s);
    expect((await s.say("resume")).code).toBe(0);
    expect(s.state().tasks.map(({ status }) => status)).toEqual(["done", "skipped"]);
  });
});

describe.concurrent("a letter that a person cannot have written", () => {
  it.each([
    ["a text", "yes please"],
    ["a forged seal", JSON.stringify({ letter: "{}", seal: "0".repeat(64) })],
  ])("%s is ignored, kept aside and journalled", async (_what, text) => {
    const s = scene(INDEPENDENT.replace("KIND", "before"), {
      english: [english],
      german: [...working, german],
    });
    const run = s.start("run", "prompt.md", ...AGENT);
    await run.until("agent: at work");
    const folder = join(s.shadow(), "answers");
    mkdirSync(folder, { recursive: true });
    const temp = join(s.path, "letter");
    writeFileSync(temp, text);
    renameSync(temp, join(folder, "n-0123456789.json"));
    await run.until("was ignored");
    letGo(s);
    expect((await run.ended).code).toBe(3);
    expect(letters(s)).toEqual([]);
    expect(s.journal()).toContain("answer-foreign");
    expect(readdirSync(join(s.shadow(), "foreign")).join()).toContain("answer-");
    expect(s.state().approval_items[0]?.status).toBe("open");
  });
});
