// What a manifest has executed for its workspace, in whole runs of the built executable: the setup, the
// server, and the folder in which work starts.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Act, KEPT, Scenario } from "../support/scenario.ts";

let scene: Scenario;
afterEach(() => scene.close());

const DONE = { ...KEPT, code: 0, status: "Done" };
const LOCK = "package-lock.json";
const write = (path: string, text = "x\n"): Act => ({ act: "write", path, text });

/** A server of the files in the folder it starts in. */
const SERVER = `import { createServer } from "node:http";
import { readFileSync } from "node:fs";
createServer(({ url }, answer) => {
  try {
    answer.end(url === "/" ? "up" : readFileSync("." + url));
  } catch {
    answer.writeHead(404).end();
  }
}).listen(Number(process.env.STINT_PORT), "127.0.0.1");
`;
const SERVE = 'serve: "node server.mjs ready GET http://localhost:$STINT_PORT/"';

function manifest(front: string, steps: string): string {
  return `---\n${front}\n---\n\n# Goal\n\nIt works.\n\n# Steps\n\n${steps}`;
}

const ONE = "- [ ] one - Write one file\n  - check: `test -f made.txt`\n";

/** With a `setup:` whose commands tell outside of every workspace that they ran. */
function withSetup(
  commands: (told: string) => string[],
  steps: (told: string) => string = () => ONE,
): void {
  scene = new Scenario({ files: { [LOCK]: "1\n" } });
  const list = commands(told()).map((command) => `  - ${JSON.stringify(command)}\n`);
  scene.write("prompt.md", manifest(`setup:\n${list.join("").trimEnd()}`, steps(told())));
  scene.commit("a manifest with a setup");
}

function told(): string {
  return join(scene.path, "told.txt");
}

/** What the commands of the setup told, in order. */
function ran(): string[] {
  return existsSync(told()) ? readFileSync(told(), "utf8").trimEnd().split("\n") : [];
}

function kept(...names: string[]): string {
  return readFileSync(join(scene.root, "agents/stint/projects/prompt", ...names), "utf8");
}

describe("a setup", () => {
  it("runs once, in order, before the first check; nothing of it is committed or delivered", async () => {
    const steps = (file: string) =>
      `${ONE}  - check: \`cat one.txt >> ${file} && test -f dep.log\`\n- [ ] two - Write more\n  - check: file more.txt\n`;
    withSetup(
      (file) => [
        `echo first >> ${file}; pwd; touch dep.log`,
        `echo second >> ${file}; echo spoiled > one.txt; echo stray > stray.txt`,
      ],
      steps,
    );
    const result = await scene.play({ one: [write("made.txt")], two: [write("more.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one", "two"] });
    // Before, after and once more to confirm it: each time the check sees the file as it is committed.
    expect(ran()).toEqual(["first", "second", "one", "one", "one"]);
    expect(scene.git("log", "-2", "--name-only", "--format=").split("\n").toSorted()).toEqual(
      ["", "made.txt", "more.txt", "prompt.md", "prompt.md"].toSorted(),
    );
    expect([scene.exists("dep.log"), scene.exists("stray.txt")]).toEqual([false, false]);
    expect(JSON.parse(kept("logs/setup.json"))).toMatchObject({
      finished: true,
      lock_files: { [LOCK]: scene.git("rev-parse", `HEAD:${LOCK}`).trim() },
      ran: [
        { exit_code: 0, log: "setup/1.log" },
        { exit_code: 0, log: "setup/2.log" },
      ],
    });
    expect(kept("logs/setup/1.log")).toMatch(/^\/.+\n$/);
  });

  it("is not run before a person approved the plan", async () => {
    withSetup((file) => [`echo ran >> ${file}`]);
    scene.write("prompt.md", scene.read("prompt.md").replace("setup:", "plan: review\nsetup:"));
    scene.commit("a plan to be reviewed");
    const asked = await scene.play({ one: [write("made.txt")] });
    expect([asked.state.status, ran()]).toEqual(["Draft", []]);
    const result = await scene.play({ one: [write("made.txt")] }, "--approve-plan");
    expect([scene.judge(result).status, ran()]).toEqual(["Done", ["ran"]]);
  });

  it("runs again when a session changed a lock file, before its checks", async () => {
    const steps = "- [ ] one - Add a dependency\n  - check: `grep -q 2 installed.log`\n";
    withSetup(
      (file) => [`cat ${LOCK} >> ${file}; cp ${LOCK} installed.log`],
      () => `${steps}- [ ] two - Write more\n  - check: \`test -f more.txt\`\n`,
    );
    const result = await scene.play({ one: [write(LOCK, "2\n")], two: [write("more.txt")] });
    expect(scene.judge(result, [LOCK])).toEqual({ ...DONE, done: ["one", "two"] });
    expect(ran()).toEqual(["1", "2"]);
  });

  it("runs again in a new workspace, and for the same one only once", async () => {
    withSetup((file) => [`echo ran >> ${file}`]);
    const script = {
      one: [write("made.txt")],
      two: [write("more.txt")],
      three: [write("third.txt")],
    };
    scene.write("prompt.md", `${scene.read("prompt.md")}- [ ] two - Two\n  - check: \`test -f more.txt\`\n`);
    await scene.play(script);
    expect([scene.state().status, ran()]).toEqual(["Done", ["ran"]]);
    // What is done and delivered needs no workspace any longer: the next work has a new one.
    expect(readdirSync(join(scene.path, "state/stint/workspaces"))).toEqual([]);
    scene.write("prompt.md", `${scene.read("prompt.md")}- [ ] three - Three\n  - check: \`test -f third.txt\`\n`);
    await scene.play(script);
    expect([scene.state().status, ran()]).toEqual(["Done", ["ran", "ran"]]);
  });

  it("that fails blocks the project with its last words and uses no attempt; resume tries again", async () => {
    withSetup((file) => [`echo ran >> ${file}; test -e ${file}.mended || { echo no network; exit 7; }`]);
    const result = await scene.play({ one: [write("made.txt")] });
    expect(scene.judge(result)).toMatchObject({ ...KEPT, code: 4, status: "Blocked", done: [] });
    expect(scene.task("one").attempts).toBe(0);
    const [blocker] = result.state.blockers;
    expect(blocker?.reason).toMatch(/could not be set up: ".+" exited with code 7\. Its last output: no network$/);
    expect(blocker?.unblock).toContain("logs/setup/1.log");
    writeFileSync(`${told()}.mended`, "");
    const again = await scene.say("resume");
    expect([again.code, scene.state().status, ran()]).toEqual([0, "Done", ["ran", "ran"]]);
  });

  it("that fails by what a session did to a lock file is a failed attempt, and told to the next", async () => {
    withSetup((file) => [`cat ${LOCK} >> ${file}; grep -q broken ${LOCK} && { echo bad lock; exit 1; }; true`]);
    const result = await scene.play({
      one: [[write(LOCK, "broken\n"), write("made.txt")], [write(LOCK, "3\n")]],
    });
    expect(scene.judge(result, [LOCK])).toEqual({ ...DONE, done: ["one"] });
    expect([scene.task("one").attempts, ran()]).toEqual([2, ["1", "broken", "3"]]);
    const brief = kept("logs/sessions/2/brief.md");
    expect(brief).toContain("the workspace could not be set up:");
    expect(brief).toContain("```\nbad lock\n```");
  });

  it("that kill -9 cut short is repeated by the next run, and leaves nothing alive", async () => {
    withSetup((file) => [`echo ran >> ${file}; test -e ${file}.go || sleep 1000`]);
    const script = join(scene.path, "one.json");
    writeFileSync(script, JSON.stringify({ tasks: { one: [write("made.txt")] } }));
    const words = ["run", "prompt.md", "--agent", `scripted:${script}`];
    const cut = scene.start(...words);
    await cut.until("setting up: ");
    cut.kill();
    await cut.ended;
    writeFileSync(`${told()}.go`, "");
    const result = await scene.run(...words.slice(2));
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    expect(ran()).toEqual(["ran", "ran"]);
  });

  it("is ended by SIGINT, and the run pauses", async () => {
    withSetup((file) => [`echo ran >> ${file}; test -e ${file}.go || sleep 1000`]);
    const script = join(scene.path, "one.json");
    writeFileSync(script, JSON.stringify({ tasks: { one: [write("made.txt")] } }));
    const live = scene.start("run", "prompt.md", "--agent", `scripted:${script}`);
    await live.until("setting up: ");
    live.kill("SIGINT");
    await live.ended;
    expect([scene.state().status, scene.task("one").attempts]).toEqual(["Paused", 0]);
    writeFileSync(`${told()}.go`, "");
    const said = await scene.say("resume");
    expect([said.code, scene.state().status, ran()]).toEqual([0, "Done", ["ran", "ran"]]);
  });
});

describe("a server", () => {
  it("serves each session and its checks the files as they are, on a port that they are shown", async () => {
    const call = (path: string) =>
      `fetch("http://localhost:" + process.env.STINT_PORT + "/${path}").then((a) => a.text())`;
    const seen = `${call("page.txt")}.then((text) => process.exit(text === "hello\\n" ? 0 : 1))`;
    const steps =
      '- [ ] one - Write page.txt\n  - check: GET http://localhost:$STINT_PORT/page.txt 200 contains "hello"\n' +
      `  - check: \`node -e '${seen}'\`\n`;
    scene = new Scenario({ manifest: manifest(SERVE, steps), files: { "server.mjs": SERVER } });
    const asks = `${call("one.txt")}.then((text) => require("node:fs").writeFileSync("asked.txt", text))`;
    const result = await scene.play({
      one: [{ act: "run", command: `node -e '${asks}'` }, write("page.txt", "hello\n")],
    });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    expect([scene.read("asked.txt"), scene.task("one").attempts]).toEqual(["one\n", 1]);
  });

  it("that is not there yet may be the task: its last words are those of the failed check", async () => {
    const steps = "- [ ] one - Write the server\n  - check: GET http://localhost:$STINT_PORT/one.txt 200\n";
    scene = new Scenario({ manifest: manifest(SERVE, steps) });
    const result = await scene.play({ one: [[write("other.txt")], [write("server.mjs", SERVER)]] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    expect(scene.task("one").attempts).toBe(2);
    const brief = kept("logs/sessions/2/brief.md");
    expect(brief).toContain("the server of the workspace (node server.mjs) is not ready: it exited with code 1");
    expect(brief).toContain("Cannot find module");
    expect(kept("logs/serve/t1-before.log")).toContain("Cannot find module");
  });

  it("that never gets ready fails its checks within a bounded time, and is ended", async () => {
    const serve = 'serve: "echo warming up; sleep 1000 ready GET http://localhost:$STINT_PORT/"';
    const steps = "- [ ] one - Serve\n  - check: GET http://localhost:$STINT_PORT/ 200\n";
    const config = "timeouts: { check: 1s }\nattempts_per_task: 1\n";
    scene = new Scenario({ manifest: manifest(serve, steps), config });
    const result = await scene.play({ one: [write("made.txt")] });
    expect(scene.judge(result)).toMatchObject({ ...KEPT, status: "Blocked", done: [] });
    const excerpt = scene.task("one").last_failure?.excerpt ?? "";
    expect(excerpt).toContain("did not answer GET http://localhost:$STINT_PORT/ within 1 s");
    expect(excerpt).toContain("warming up");
  });

  it("does not outlive a run that was killed", async () => {
    const steps = "- [ ] one - Write page.txt\n  - check: file page.txt\n";
    scene = new Scenario({ manifest: manifest(SERVE, steps), files: { "server.mjs": SERVER } });
    const script = join(scene.path, "one.json");
    const hanging = [{ act: "say", text: "at work" }, { act: "hang" }];
    writeFileSync(script, JSON.stringify({ tasks: { one: [hanging, [write("page.txt")]] } }));
    const words = ["run", "prompt.md", "--agent", `scripted:${script}`];
    const cut = scene.start(...words);
    await cut.until("at work");
    cut.kill();
    await cut.ended;
    const result = await scene.run(...words.slice(2));
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
  });
});

describe("a folder to start in", () => {
  const files = { "packages/web/here.txt": "web\n", "packages/api/here.txt": "api\n" };

  it("is where sessions, checks and acts of a task start; a task's own wins", async () => {
    const steps =
      "- [ ] web - Write for the web\n  - check: `grep -q web here.txt && test -f made.txt`\n" +
      "- [ ] api - Write for the api\n  - dir: packages/api\n  - check: `grep -q api here.txt && test -f made.txt`\n" +
      "- [ ] act - Note it\n  - run: `cp here.txt noted.txt`\n" +
      "- [ ] root - Write at the root\n  - dir: .\n  - check: `test -f one.txt && test -f top.txt`\n";
    scene = new Scenario({ manifest: manifest("dir: packages/web", steps), files });
    const result = await scene.play(
      { web: [write("made.txt")], api: [write("made.txt")], root: [write("top.txt")] },
      "--session",
      "batch:6",
    );
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["web", "api", "act", "root"] });
    // Tasks of different folders are no batch.
    expect(result.state.counters.sessions).toBe(3);
    expect(scene.read("packages/web/noted.txt")).toBe("web\n");
    expect([scene.exists("packages/api/made.txt"), scene.exists("top.txt")]).toEqual([true, true]);
  });

  it("that is missing starts the session at the root, fails its checks, and is told to it", async () => {
    const steps = "- [ ] one - Make the package\n  - dir: packages/new\n  - check: `test -f made.txt`\n";
    scene = new Scenario({ manifest: manifest("push: never", steps), files });
    const result = await scene.play({ one: [write("packages/new/made.txt")] });
    expect(scene.judge(result)).toEqual({ ...DONE, done: ["one"] });
    const problem = "dir: packages/new is not in the work tree (packages/new is missing)";
    expect(kept("logs/sessions/1/brief.md")).toContain(`You start in the root: ${problem}.`);
  });

  it("is no link: it could lead anywhere", async () => {
    const steps = "- [ ] one - Write\n  - dir: packages/new\n  - check: `test -f mine.txt`\n";
    const config = "attempts_per_task: 1\n";
    scene = new Scenario({ manifest: manifest("push: never", steps), files, config });
    const result = await scene.play({
      one: [{ act: "run", command: `ln -s ../.. packages/new` }],
    });
    expect(result.state.status).toBe("Blocked");
    expect(scene.task("one").last_failure?.excerpt).toContain(
      "dir: packages/new leads through a link (packages/new)",
    );
  });
});
