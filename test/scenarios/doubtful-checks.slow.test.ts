// Checks that do not say the same each time, work that no commit shows, and what a strict task lets pass: with the built
// executable, each beside a neighbour that is simply done.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Act, KEPT, type RunResult, Scenario } from "../support/scenario.ts";

const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

interface Given {
  readonly check: string;
  readonly keys?: readonly string[];
  readonly acts: readonly Act[] | ((scene: Scenario) => readonly Act[]);
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly attempts?: number;
}

interface Ended {
  readonly scene: Scenario;
  readonly result: RunResult;
  readonly out: string;
}

/** One task with one check and, as a rule, one attempt. `<path>` in the check is a folder outside of the repository. */
async function ended(given: Given): Promise<Ended> {
  const { check, keys = [], acts, files = {}, config = "", attempts = 1 } = given;
  const lines = [...keys, `check: \`${check}\``].map((line) => `  - ${line}\n`).join("");
  const manifest = `# Goal\n\nOne thing.\n\n# Steps\n\n- [ ] one - Make one thing\n${lines}`;
  const scene = new Scenario({ manifest, files, config: `attempts_per_task: ${attempts}\n${config}` });
  scenes.push(scene);
  scene.write("prompt.md", manifest.replaceAll("<path>", scene.path));
  scene.commit("where it is");
  const list = typeof acts === "function" ? acts(scene) : acts;
  const result = await scene.play({ one: list });
  return { scene, result, out: result.out.replaceAll(/\s+/g, " ") };
}

function labels({ scene }: Ended) {
  const { status, labels: found = [] } = scene.task("one");
  return { status, labels: found };
}

function evidence({ scene }: Ended): string[] {
  const folder = "agents/stint/projects/prompt/artifacts/evidence";
  return readdirSync(join(scene.root, folder, scene.task("one").id, "1")).toSorted();
}

const hello: Act = { act: "write", path: "hello.js", text: "Hello\n" };
const DONE = { status: "done", labels: [] };

describe.concurrent("a check that warms itself up", () => {
  const check = "test -f warm.log && exit 0; touch warm.log; echo cold; exit 1";

  it("is unreliable, and proves nothing where nothing changed", async () => {
    const all = await ended({ check, acts: [] });
    expect(labels(all).status).toBe("blocked");
    expect(all.out).toContain("is unreliable: it failed (cold), and passed when it was run once more");
  });

  it("is said to be so where something changed, with both runs as evidence", async () => {
    const all = await ended({ check, acts: [hello] });
    expect(labels(all)).toEqual({ status: "done", labels: ["unreliable"] });
    expect(evidence(all)).toEqual([
      "1-command-green-before.json",
      "1-command-red-before.json",
      "1-command.json",
    ]);
  });

  it("is none that says the same each time", async () => {
    expect(labels(await ended({ check: "test -f hello.js", acts: [hello] }))).toEqual(DONE);
  });
});

describe.concurrent("a check that passes once", () => {
  it("and fails when it is confirmed: failed, with both outputs", async () => {
    const check =
      "grep -q Hello hello.js && { test -f seen.log && echo again && exit 1; touch seen.log; echo once; }";
    const all = await ended({ check, acts: [hello] });
    expect(labels(all).status).toBe("blocked");
    const { last_failure } = all.scene.task("one");
    expect(last_failure?.excerpt).toMatch(/it passed, and when Stint ran it once more/);
    expect(last_failure?.excerpt).toMatch(/First it passed:\nonce\n\nThen it failed.*:\nagain/);
  });

  it("and is in its own way the second time gets the same files again", async () => {
    const check = "grep -q Hello hello.js && mkdir made && touch made/it.txt";
    expect(labels(await ended({ check, acts: [hello] }))).toEqual(DONE);
  });
});

describe.concurrent("a check that failed after a session, and passes later on exactly these files", () => {
  const numbered = (isGreen: string): string =>
    `grep -q Hello hello.js || exit 1; echo run >> <path>/runs; n=$(grep -c run <path>/runs); ${isGreen}`;

  it("is unreliable, if it had passed before it failed; the record of the failure stays", async () => {
    const all = await ended({ check: numbered("[ $n != 2 ]"), acts: [hello], attempts: 2 });
    expect(labels(all)).toEqual({ status: "done", labels: ["unreliable"] });
    expect(all.out).toContain("passed, failed and passes again on exactly these files");
    expect(evidence(all)).toEqual(["1-command-again.json", "1-command.json"]);
    const shown = (await all.scene.say("show", "one")).out;
    expect(shown).toMatch(/✗ `grep[^\n]*it passed, and when Stint ran it once more/);
    expect(shown).toMatch(/✓ `grep[^\n]*once more, before another attempt: it exited with code 0/);
  });

  it("turned green with nothing changed, if it had only failed", async () => {
    const all = await ended({ check: numbered("[ $n -gt 1 ]"), acts: [hello], attempts: 2 });
    expect(labels(all)).toEqual({ status: "done", labels: ["no-diff"] });
  });

  it("needs another session, if it fails when that is confirmed", async () => {
    const all = await ended({ check: numbered("[ $n = 2 ]"), acts: [hello], attempts: 2 });
    expect(labels(all)).toEqual({ status: "blocked", labels: [] });
  });

  it("is no such thing on other files", async () => {
    const more: Act = { act: "run", command: "echo Hello >> hello.js" };
    const check = numbered("[ $n != 2 ] && [ $n != 3 ]");
    expect(labels(await ended({ check, acts: [more], attempts: 2 }))).toEqual(DONE);
  });
});

describe.concurrent("a check that turns green while nothing in the repository changed", () => {
  const act = (scene: Scenario): Act => ({ act: "run", command: `touch ${scene.path}/flag` });

  it("is done, as it was red twice, and says so", async () => {
    const all = await ended({ check: "test -f <path>/flag", acts: (scene) => [act(scene)] });
    expect(labels(all)).toEqual({ status: "done", labels: ["no-diff"] });
    expect(all.out).toContain("is labelled no-diff: `test -f");
  });

  it("is no such thing where something did", async () => {
    const all = await ended({ check: "test -f <path>/flag", acts: (scene) => [act(scene), hello] });
    expect(labels(all)).toEqual(DONE);
  });
});

describe.concurrent("a strict task", () => {
  const files = { "judge.sh": "grep -q Hello hello.js\n" };
  const easy: Act = { act: "write", path: "judge.sh", text: "true\n" };

  it.each([
    ["by its own word", { keys: ["strict: true"] }],
    ["by the project's", { config: "strict: true\n" }],
  ])("%s fails where it judges itself, and says by which files", async (_, more) => {
    const all = await ended({ check: "sh judge.sh", files, acts: [easy], ...more });
    expect(labels(all).status).toBe("blocked");
    expect(all.scene.task("one").last_failure).toMatchObject({
      check: "self-judged: `sh judge.sh`",
      excerpt: expect.stringContaining("judge.sh, which decides `sh judge.sh`"),
    });
  });

  it("passes where its own word is that it is not, whatever the project says", async () => {
    const more = { keys: ["strict: false"], config: "strict: true\n" };
    const all = await ended({ check: "sh judge.sh", files, acts: [easy], ...more });
    expect(labels(all)).toEqual({ status: "done", labels: ["self-judged"] });
  });

  it("passes where the old judge agrees", async () => {
    const keys = ["strict: true"];
    const all = await ended({ check: "sh judge.sh", files, acts: [hello], keys });
    expect(labels(all)).toEqual(DONE);
  });
});

describe.concurrent("questions", () => {
  const files = { "judge.sh": "sleep 2; grep -q Hello hello.js\n" };
  const acts: Act[] = [hello, { act: "append", path: "judge.sh", text: "test -s hello.js\n" }];

  it("that take longer than they may are not answered, which is said", async () => {
    const config = "proof: { budget: 1s }\n";
    const all = await ended({ check: "sh judge.sh", files, acts, config });
    expect(labels(all)).toEqual({ status: "done", labels: ["judge-changed"] });
    expect(all.scene.task("one").label_reasons?.["judge-changed"]).toContain("proof.budget");
  });

  it("are answered within the time that they have", async () => {
    expect(labels(await ended({ check: "sh judge.sh", files, acts }))).toEqual(DONE);
  });
});

describe.concurrent("work that git ignores", () => {
  const build: Act = { act: "write", path: "dist.log", text: "built\n" };
  const check = "grep -q built dist.log";

  it("is not done by a command: which files, and that a clone would not have them", async () => {
    const all = await ended({ check, acts: [build] });
    expect(labels(all).status).toBe("blocked");
    expect(all.out).toContain("session 1 made or changed what git ignores: dist.log");
    expect(all.scene.task("one").last_failure).toMatchObject({
      check: "ignored: dist.log",
      excerpt: expect.stringContaining("a clone would not have"),
    });
  });

  it("is not done by a command either where the session itself has git ignore it", async () => {
    const acts: Act[] = [
      { act: "append", path: ".gitignore", text: "/out/\n" },
      { act: "write", path: "out/app.js", text: "built\n" },
    ];
    const all = await ended({ check: "grep -q built out/app.js", acts });
    expect(labels(all).status).toBe("blocked");
    expect(all.scene.task("one").last_failure?.check).toBe("ignored: out/");
  });

  it("is done where the task says that it may be, with its label", async () => {
    const all = await ended({ check, acts: [build], keys: ["ignored: ok"] });
    expect(labels(all)).toEqual({ status: "done", labels: ["ignored"] });
  });

  it("is named where there is other work as well, and in the brief of the next session", async () => {
    const manifest = `# Goal\n\nTwo.\n\n# Steps\n\n- [ ] one - Make one\n  - check: \`grep -q built dist.log\`\n- [ ] two - Make two\n  - check: file two.js\n`;
    const scene = new Scenario({ manifest });
    scenes.push(scene);
    const two: Act = { act: "write", path: "two.js", text: "2\n" };
    const result = await scene.play({ one: [build, hello], two: [two] });
    expect(scene.task("one").labels ?? []).toEqual([]);
    expect(result.out).toContain("session 1 made or changed what git ignores: dist.log");
    const logs = "agents/stint/projects/prompt/logs/sessions";
    expect(scene.read(`${logs}/2/brief.md`)).toMatch(/files that git ignores.*\n\n```\n- dist\.log\n/);
    expect(scene.journal()).toContain("made or changed what git ignores: dist.log");
  });

  it("is out of the way while a check is asked what it tells", async () => {
    // The old judge agrees only because of the ignored file: a clone would not.
    const files = { "judge.sh": "test -f dist.log\n" };
    const acts: Act[] = [build, hello, { act: "write", path: "judge.sh", text: "test -f hello.js\n" }];
    const all = await ended({ check: "sh judge.sh", files, acts });
    expect(labels(all)).toEqual({ status: "done", labels: ["own-tests"] });
  });
});

describe.concurrent("a run that is killed while it asks", () => {
  it.each([
    ["the old judges", "passes with judge.sh as it was before"],
    ["the new judges", "passes with judge.sh and nothing else of the work"],
  ])("%s asks again, with the files of before, and nothing else is done twice", async (_, words) => {
    // Without the ignored file, which lies aside while it is asked, no check passes; nor does it in a clone.
    const check = "test -f dist.log && sh judge.sh";
    const manifest = `---\nproof: never\n---\n\n# Goal\n\nOne.\n\n# Steps\n\n- [ ] one - Make one\n  - check: \`${check}\`\n`;
    const scene = new Scenario({ manifest, files: { "judge.sh": "sleep 1; exit 1\n" } });
    scenes.push(scene);
    const acts: Act[] = [
      hello,
      { act: "write", path: "dist.log", text: "built\n" },
      { act: "write", path: "judge.sh", text: "sleep 1; test -f hello.js\n" },
    ];
    const script = scene.program("script.json", JSON.stringify({ tasks: { one: acts } }));
    const agent = ["--agent", `scripted:${script}`];
    const run = scene.start("run", "prompt.md", "--plain", ...agent);
    await run.until(words);
    run.kill();
    await run.ended;
    expect(scene.task("one").status).toBe("validating");
    const result = await scene.run(...agent);
    expect(scene.judge(result, ["judge.sh"])).toMatchObject({ ...KEPT, code: 0, status: "Done" });
    expect(scene.task("one")).toMatchObject({ attempts: 1, labels: ["own-tests"] });
    expect(scene.state().counters.sessions).toBe(1);
  });
});
