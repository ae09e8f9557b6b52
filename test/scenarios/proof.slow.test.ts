// Proof in a fresh clone, in whole runs of the built executable: what it catches, what it lets pass, what it says.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Proof } from "../../src/core/schema/project.ts";
import type { ProofRecord } from "../../src/core/schema/proof-record.ts";
import { availableKinds } from "../support/available-kinds.ts";
import { type Act, KEPT, type RunResult, Scenario } from "../support/scenario.ts";

/** Where there are none, a clone is seen where it lies, and sees everything outside. */
const hasNoNamespaces = availableKinds().length === 1;

let scene: Scenario;
afterEach(() => scene.close());

const DONE = { ...KEPT, code: 0, status: "Done" };
const write = (path: string, text = "x\n"): Act => ({ act: "write", path, text });
const run = (command: string): Act => ({ act: "run", command });

function manifest(steps: string, front = ""): string {
  const settings = front === "" ? "" : `---\n${front}\n---\n\n`;
  return `${settings}# Goal\n\nIt works.\n\n# Steps\n\n${steps}`;
}

function begin(
  steps: string,
  more: { readonly front?: string; readonly files?: Record<string, string> } = {},
): void {
  scene = new Scenario({ manifest: manifest(steps, more.front), files: more.files ?? {} });
}

function proofOf({ state }: RunResult): Proof | undefined {
  return state.proof;
}

function record(): ProofRecord {
  const { proof } = scene.state();
  if (proof === undefined || proof.kind === "not-proven") throw new Error("nothing was recorded");
  const path = join(scene.root, "agents/stint/projects/prompt", proof.path);
  return JSON.parse(readFileSync(path, "utf8")) as ProofRecord;
}

/** What is left of a clone. */
function clones(): string[] {
  const home = join(scene.path, "state/stint/workspaces", scene.state().project_id, "1");
  return existsSync(home) ? readdirSync(home).filter((name) => name.startsWith("clone")) : [];
}

const ONE = "- [ ] one - Write one file\n  - check: `test -f made.txt`\n";

describe("work that a clone has too", () => {
  it("is proven at its last commit, with its record; the summary says so", async () => {
    begin(`${ONE}- [ ] two - Write another\n  - check: file more.txt\n`);
    const result = await scene.play({ one: [write("made.txt")], two: [write("more.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one", "two"] });
    const commit = scene.git("rev-parse", "HEAD").trim();
    expect(proofOf(result)).toMatchObject({
      kind: "proven",
      commit,
      checks: 2,
      superseded: [],
      elsewhere: [],
    });
    expect(result.out).toContain(`Proven in a fresh clone at ${commit.slice(0, 10)}`);
    expect(record().clones.map(({ asked, checks }) => [asked, checks.length])).toEqual([["tip", 2]]);
    expect(clones()).toEqual([]);
  });

  it.skipIf(hasNoNamespaces)("is seen at the repository's own path, with the person's local variables and nothing else", async () => {
    begin("- [ ] one - Write one\n  - check: `pwd; ls -A; test -f made.txt`\n", {
      files: { ".gitignore": "*.log\n.env*\nnode_modules/\n" },
    });
    scene.write(".env.local", "KEY=1\n");
    scene.write("node_modules/x/index.js", "");
    const result = await scene.play({ one: [write("made.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    const said = record().clones[0]?.checks[0]?.output.split("\n") ?? [];
    expect(said[0]).toBe(scene.root);
    expect(said).toContain(".env.local");
    expect(said).not.toContain("node_modules");
    expect(said).not.toContain("mine.txt");
  });

  it("is set up and served as the workspace is", async () => {
    const server = `require("node:http").createServer((q, a) => a.end(require("node:fs").readFileSync("dep.log"))).listen(process.env.STINT_PORT, "127.0.0.1");`;
    begin(
      '- [ ] one - Write one\n  - check: `node -e "fetch(\'http://localhost:\'+process.env.STINT_PORT).then(r=>r.text()).then(t=>process.exit(t===\'made\'?0:1))" && test -f made.txt`\n',
      {
        front:
          'setup: ["printf made > dep.log"]\nserve: "node server.cjs ready GET http://localhost:$STINT_PORT/"',
        files: { "server.cjs": server },
      },
    );
    const result = await scene.play({ one: [write("made.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    expect(proofOf(result)).toMatchObject({ kind: "proven", checks: 1 });
    expect(record().clones[0]?.setup).toMatchObject([{ exit_code: 0 }]);
  });

  it("is proven in the person's own folder as well, from what was committed", async () => {
    begin(ONE);
    const result = await scene.play({ one: [write("made.txt")] }, "--in-place");
    expect(result.state.status).toBe("Done");
    expect(proofOf(result)).toMatchObject({
      kind: "proven",
      commit: scene.git("rev-parse", "HEAD").trim(),
    });
  });
});

describe("work that passes only here", () => {
  const blocked = (result: RunResult): string => {
    expect([result.state.status, proofOf(result)?.kind]).toEqual(["Blocked", "failed"]);
    expect(clones()).toEqual([]);
    return result.state.blockers[0]?.reason ?? "";
  };

  it("an ignored generated file", async () => {
    begin("- [ ] one - Generate\n  - check: `node app.cjs`\n", {
      files: { ".gitignore": "gen/\n*.log\n" },
    });
    const app = 'console.log(require("./gen/data.json").value)\n';
    const result = await scene.play({
      one: [write("app.cjs", app), write("gen/data.json", '{"value":1}')],
    });
    const reason = blocked(result);
    expect(reason).toContain("passes only here");
    expect(reason).toContain("Cannot find module './gen/data.json'");
    expect(reason).toContain("Likely: git ignores gen/, which is here but not committed");
    expect(result.out).toContain("a fresh clone");
  });

  it("a dependency that package.json does not name", async () => {
    begin("- [ ] one - Use it\n  - check: `node app.cjs`\n", {
      files: { ".gitignore": "node_modules/\n*.log\n", "package.json": '{"name":"x"}\n' },
    });
    const result = await scene.play({
      one: [
        write("app.cjs", 'require("left-pad")\n'),
        write("node_modules/left-pad/index.js", "module.exports = 1;\n"),
      ],
    });
    expect(blocked(result)).toContain(
      "Likely: left-pad is not among the repository's dependencies; add left-pad to them",
    );
  });

  it("a name that the commit has in other letters", async () => {
    begin("- [ ] one - Read it\n  - check: `cat data.json`\n", {
      files: { ".gitignore": "data.json\n*.log\n" },
    });
    const result = await scene.play({ one: [write("Data.json", "{}\n"), write("data.json", "{}\n")] });
    expect(blocked(result)).toContain(
      "Likely: it asks for data.json, and the commit has Data.json: a clone treats them as different",
    );
  });

  it.skipIf(hasNoNamespaces)("a file outside of the repository", async () => {
    begin("- [ ] one - Read it\n  - check: `test -f made.txt && grep -q yes ../beside.txt`\n");
    const result = await scene.play({
      one: [write("made.txt"), run("echo yes > ../beside.txt")],
    });
    expect(blocked(result)).toContain(
      `Likely: it needs a file outside the repository: ${join(scene.path, "beside.txt")}`,
    );
  });

  it("a file outside, without namespaces: the clone lies elsewhere, and the path leads nowhere", async () => {
    begin("- [ ] one - Read it\n  - check: `test -f made.txt && grep -q yes ../beside.txt`\n");
    const acts = [write("made.txt"), run("echo yes > ../beside.txt")];
    const result = await scene.play({ one: acts }, "--isolation", "off");
    expect(blocked(result)).toContain("passes only here");
  });

  it.skipIf(hasNoNamespaces)("a folder for temporary files", async () => {
    begin("- [ ] one - Read it\n  - check: `test -f made.txt && test -f \"$(cat made.txt)/in.txt\"`\n");
    const result = await scene.play({ one: [run("d=$(mktemp -d /tmp/stint-proof-XXXXXX) && touch $d/in.txt && echo $d > made.txt")],
    });
    rmSync(scene.read("made.txt").trim(), { recursive: true });
    expect(blocked(result)).toContain("Likely: it needs a file outside the repository");
  });

  it("is put right by the person, and goes on to Done", async () => {
    begin("- [ ] one - Generate\n  - check: `test -f gen/data.json`\n", {
      files: { ".gitignore": "gen/\n*.log\n" },
    });
    const result = await scene.play({ one: [write("app.txt"), write("gen/data.json", "{}")] });
    blocked(result);
    scene.write(".gitignore", "*.log\n");
    scene.write("gen/data.json", "{}");
    scene.git("add", ".gitignore", "gen");
    scene.git("commit", "-q", "-m", "what was ignored");
    const again = await scene.play({ one: [] });
    expect([again.code, again.state.status, proofOf(again)?.kind]).toEqual([0, "Done", "proven"]);
  });
});

describe("a commit of the person's that breaks a task", () => {
  it("is no later task's doing, although the commit of one has it below: the work is not Done", async () => {
    const steps = [
      "- [ ] one - Say one\n  - check: `grep -q one said.txt`\n",
      "- [ ] two - Something else\n  - check: file other.txt\n",
    ].join("");
    begin(steps);
    const waits: readonly Act[] = [
      { act: "say", text: "at work" },
      { act: "run", command: "while [ ! -e ../go ]; do sleep 0.05; done" },
    ];
    const tasks = { one: [write("said.txt", "one\n")], two: [...waits, write("other.txt")] };
    writeFileSync(join(scene.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
    const run = scene.start("run", "prompt.md", "--agent", "scripted:../script.json");
    await run.until("agent: at work");
    scene.write("said.txt", "other\n");
    scene.git("commit", "-q", "-m", "the person's", "--", "said.txt");
    writeFileSync(join(scene.path, "go"), "");
    const { code, out } = await run.ended;
    expect([code, scene.state().status]).toEqual([4, "Blocked"]);
    expect(scene.state().proof).toMatchObject({
      kind: "failed",
      failing: [{ task_id: "t1", check: "`grep -q one said.txt`" }],
    });
    expect(out).toContain("A commit that belongs to no task changed that");
    scene.write("said.txt", "one\n");
    scene.git("commit", "-q", "-m", "put right", "--", "said.txt");
    expect((await scene.say("resume")).code).toBe(0);
    expect([scene.state().status, scene.state().proof?.kind]).toEqual(["Done", "proven"]);
  });
});

describe("what does not block", () => {
  it("a check that a later task made void, which is named", async () => {
    const steps = [
      "- [ ] one - Say one\n  - check: `grep -q one said.txt`\n",
      "- [ ] two - Something else\n  - check: file other.txt\n",
      "- [ ] three - Say three\n  - check: `grep -q three said.txt`\n",
    ].join("");
    begin(steps);
    const result = await scene.play({
      one: [write("said.txt", "one\n")],
      two: [write("other.txt")],
      three: [write("said.txt", "three\n")],
    });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one", "two", "three"] });
    expect(proofOf(result)).toMatchObject({
      kind: "proven",
      checks: 2,
      superseded: [{ task_id: "t1", check: "`grep -q one said.txt`", by: "t3" }],
    });
    expect(result.out).toContain("`grep -q one said.txt` of t1 is superseded by t3");
  });

  it("a setup that fails: not proven, with its output", async () => {
    // It succeeds where sessions work, once.
    begin(ONE, { front: 'setup: ["test ! -f .fresh && echo no network >&2; test -f brought.log"]' });
    scene.write("brought.log", "");
    scene.write("stint.config.yaml", "bring: [default, brought.log]\n");
    scene.commit("settings");
    const result = await scene.play({ one: [write("made.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    expect(proofOf(result)).toMatchObject({
      kind: "not-proven",
      why: expect.stringContaining("the clone could not be set up") as string,
    });
    expect(result.out).toContain("not proven in a fresh clone: the clone could not be set up");
  });

  it("a repository whose setup nobody wrote down: it is said which line is missing", async () => {
    const files = { "package.json": '{"dependencies":{"x":"1"}}\n', "package-lock.json": "{}\n" };
    begin(ONE, { files });
    const result = await scene.play({ one: [write("made.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    expect(proofOf(result)).toMatchObject({
      kind: "not-proven",
      why: "package.json lists dependencies, and nothing says how to install them",
      hint: "Write it into the manifest or stint.config.yaml: setup: [npm ci]",
    });
    expect(result.out).toContain("setup: [npm ci]");
    scene.close();
    begin(ONE, { files, front: "proof: always" });
    expect(proofOf(await scene.play({ one: [write("made.txt")] }))?.kind).toBe("proven");
    scene.close();
    begin(ONE, { files, front: "proof: never" });
    expect(proofOf(await scene.play({ one: [write("made.txt")] }))).toBeUndefined();
  });

  it("an act of the manifest whose effect is in no commit", async () => {
    begin(`${ONE}- [ ] build - Build it\n  - run: \`mkdir -p out && touch out/app.log\`\n  - check: \`test -f out/app.log\`\n`);
    const result = await scene.play({ one: [write("made.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one", "build"] });
    expect(proofOf(result)).toMatchObject({ kind: "proven", elsewhere: [{ task_id: "t2" }] });
  });

  it.skipIf(hasNoNamespaces)("a check that says something else each time: not proven", async () => {
    const flag = "$STINT_WORK_TREE/../flag";
    const first = `test -f brought.log || { test -s ${flag}; r=$?; echo x >> ${flag}; exit $r; }`;
    begin(`- [ ] one - Write one\n  - check: \`test -f made.txt && { ${first}; }\`\n`);
    writeFileSync(join(scene.path, "flag"), "");
    scene.write("brought.log", "");
    scene.write("stint.config.yaml", "bring: [default, brought.log]\n");
    scene.commit("settings");
    const result = await scene.play({ one: [write("made.txt")] });
    expect(proofOf(result)).toMatchObject({
      kind: "not-proven",
      why: expect.stringContaining("failed once and passed once") as string,
    });
  });
});

describe("when it is asked", () => {
  const OUT = "- [ ] out - Publish it\n  - run: `sh publish.sh`\n";
  const PUBLISH = { "publish.sh": "echo published >> ../published.txt\n" };

  it.skipIf(hasNoNamespaces)("before a release step starts, and not again where only boxes were checked since", async () => {
    begin(`${ONE}${OUT}`, { files: PUBLISH });
    const waits = await scene.play({ one: [write("made.txt")] });
    expect(waits.state.status).toBe("AwaitingApproval");
    expect(proofOf(waits)?.kind).toBe("proven");
    const [asked] = waits.state.approval_items.filter(({ status }) => status === "open");
    await scene.say("approve", asked?.id ?? "");
    const result = await scene.play({ one: [] });
    expect(result.state.status).toBe("Done");
    expect(readFileSync(join(scene.path, "published.txt"), "utf8")).toBe("published\n");
    const recorded = scene.journal().split('"kind":"proof-recorded"').length - 1;
    expect(recorded).toBe(1);
  });

  it("never lets a release start that a clone fails", async () => {
    begin(
      `- [ ] one - Generate\n  - check: \`test -f gen.log\`\n${OUT}`,
      { front: "release: auto", files: PUBLISH },
    );
    const result = await scene.play({ one: [write("made.txt"), write("gen.log")] });
    expect(result.state.status).toBe("Blocked");
    expect(existsSync(join(scene.path, "published.txt"))).toBe(false);
  });

  it("once for a commit, also after the project was opened again", async () => {
    begin(ONE);
    writeFileSync(join(scene.path, "unused"), "");
    await scene.play({ one: [write("made.txt")] });
    const again = await scene.say("run", "prompt.md");
    expect(again.code).toBe(0);
    expect(scene.journal().split('"kind":"proof-recorded"').length - 1).toBe(1);
  });

  it("of boxes that a person had checked too", async () => {
    begin(`- [x] old - Was done\n  - check: \`test -f never.txt\`\n${ONE}`);
    const result = await scene.play({ one: [write("made.txt")] });
    expect(result.state.status).toBe("Blocked");
    const { reason, unblock } = result.state.blockers[0] ?? {};
    expect(reason).toContain(
      "was never run by Stint, because a person had checked the box; it fails",
    );
    expect(reason).not.toContain("Likely");
    const box = `uncheck the box of t1 in ${join(scene.root, "prompt.md")}, or see ${scene.root}/`;
    expect(unblock?.startsWith(box)).toBe(true);
    expect((await scene.say("show", "t1")).out).toContain(
      "  Why: marked by you, not verified by Stint\n",
    );
    scene.write("prompt.md", scene.read("prompt.md").replace("- [x] old", "- [ ] old"));
    const again = await scene.play({ old: [write("never.txt")], one: [write("made.txt")] });
    expect(again.state.status).toBe("Done");
  });
});

describe("a run that is killed while it proves", () => {
  it.skipIf(hasNoNamespaces)("leaves a clone, which the next run removes; everything is asked again, and nothing is done twice", async () => {
    const flag = "$STINT_WORK_TREE/../flag";
    // In the first clone it waits for its end.
    const first = `test -f brought.log || test -s ${flag} || { echo waiting >> ${flag}; sleep 600; }`;
    begin(`- [ ] one - Write one\n  - check: \`test -f made.txt && { ${first}; }\`\n`);
    writeFileSync(join(scene.path, "flag"), "");
    scene.write("brought.log", "");
    scene.write("stint.config.yaml", "bring: [default, brought.log]\n");
    scene.commit("settings");
    const script = join(scene.path, "script.json");
    const tasks = { one: [write("made.txt")] };
    writeFileSync(script, JSON.stringify({ manifest: "prompt.md", tasks }));
    const live = scene.start("run", "prompt.md", "--agent", `scripted:${script}`);
    await live.until("committed task t1");
    await vi.waitUntil(() => readFileSync(join(scene.path, "flag"), "utf8") !== "", {
      timeout: 60_000,
    });
    live.kill();
    await live.ended;
    expect(scene.state()).toMatchObject({ status: "Running" });
    expect(scene.state().proof).toBeUndefined();
    expect(clones()).toEqual(["clone"]);
    const result = await scene.play(tasks);
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    expect(proofOf(result)).toMatchObject({ kind: "proven", checks: 1 });
    expect(result.state.counters.sessions).toBe(1);
    expect(clones()).toEqual([]);
  });
});

describe("stint verify --fresh", () => {
  it("proves what is committed at any time, says so, and changes nothing else", async () => {
    begin(`${ONE}- [ ] two - Write another\n  - check: file more.txt\n`);
    await scene.play({ one: [write("made.txt")], two: [write("more.txt")] }, "--sessions", "1");
    expect(scene.state()).toMatchObject({ status: "Paused" });
    expect(scene.state().proof).toBeUndefined();
    const said = await scene.say("verify", "--fresh");
    expect(said.code).toBe(0);
    // A busy machine is told that it is still at work.
    expect(said.err).toMatch(/^(?:stint: proving the work in a fresh clone at \w+ …\n)?$/);
    const commit = scene.git("rev-parse", "HEAD").trim();
    expect(said.out).toContain(`Proof: Proven in a fresh clone at ${commit.slice(0, 10)}: 1 check`);
    expect(said.out).toContain("Open: 1 not done yet: t2");
    expect(scene.state()).toMatchObject({ status: "Paused", proof: { kind: "proven", commit } });
    expect(clones()).toEqual([]);
  });

  it("of a project that is Done asks about what was delivered, and finds what is wrong", async () => {
    begin("- [ ] one - Generate\n  - check: `test -f gen.log`\n", { front: "proof: never" });
    const result = await scene.play({ one: [write("made.txt"), write("gen.log")] });
    expect([result.state.status, proofOf(result)]).toEqual(["Done", undefined]);
    const said = await scene.say("verify", "--fresh", "--json");
    expect(said.code).toBe(4);
    expect(JSON.parse(said.out)).toMatchObject({
      passed: true,
      proof: { kind: "failed", failing: [{ task_id: "t1", check: "`test -f gen.log`" }] },
    });
    expect(scene.state().status).toBe("Done");
  });

  it("asks about the branch as it is by now: what a later commit removed fails, and passes when it is back", async () => {
    begin(`${ONE}- [ ] two - Write another\n  - check: file more.txt\n`);
    await scene.play({ one: [write("made.txt")], two: [write("more.txt")] });
    expect(scene.state()).toMatchObject({ status: "Done", proof: { kind: "proven" } });
    scene.git("rm", "-q", "more.txt");
    scene.git("commit", "-q", "-m", "Remove it");
    const commit = scene.git("rev-parse", "HEAD").trim();
    const gone = await scene.say("verify", "--fresh");
    expect(gone.code).toBe(4);
    expect(scene.state().proof).toMatchObject({
      kind: "failed",
      commit,
      checks: 1,
      failing: [
        {
          task_id: "t2",
          reason: expect.stringContaining("A commit that belongs to no task changed that") as string,
        },
      ],
    });
    scene.git("revert", "--no-edit", "HEAD");
    const back = await scene.say("verify", "--fresh", "--json");
    expect([back.code, JSON.parse(back.out)]).toMatchObject([0, { later: null }]);
  });

  it("clears what a proof had blocked, once it passes", async () => {
    begin("- [ ] one - Generate\n  - check: `test -f gen.log`\n");
    const result = await scene.play({ one: [write("made.txt"), write("gen.log")] });
    expect(result.state.status).toBe("Blocked");
    scene.write("gen.log", "");
    scene.git("add", "-f", "gen.log");
    scene.git("commit", "-q", "-m", "what was ignored");
    expect((await scene.say("verify", "--fresh")).code).toBe(0);
    expect(scene.state()).toMatchObject({ status: "Running", blockers: [] });
    expect((await scene.say("resume")).code).toBe(0);
  });

  it("does not work beside a run, and says what to do", async () => {
    begin(ONE);
    const live = scene.start("run", "prompt.md", "--agent", `scripted:${hanging()}`);
    await live.until("agent: waiting");
    const said = await scene.say("verify", "--fresh");
    expect(said.code).toBe(6);
    expect(said.err).toContain("stint pause");
    live.kill("SIGTERM");
    await live.ended;
  });
});

function hanging(): string {
  const file = join(scene.path, "hanging.json");
  const acts = [{ act: "say", text: "waiting" }, { act: "hang" }];
  writeFileSync(file, JSON.stringify({ manifest: "prompt.md", tasks: { "*": acts } }));
  return file;
}
