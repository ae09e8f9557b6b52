// A terminal that is closed, an output that nobody reads any more, and a person who presses Ctrl-C twice: each ends the
// run in order, with isolation and without. The agent here does not heed SIGTERM, and has ten minutes before it is killed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { until } from "../support/children.ts";
import { STINT } from "../support/built-stint.ts";
import { Child } from "../support/child.ts";
import { processesOfRun, RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

afterAll(() => folder.remove());

const TASK = "# Goal\n\nGreet.\n\n# Steps\n\n- [ ] english - Write the English greeting\n";

/** Its first attempt says that it is there and lasts for ever, the next one does the task. */
function greeting(...first: readonly object[]): Story {
  return {
    manifest: `${TASK}  - check: \`grep -q Hello english.txt\`\n`,
    words: [],
    script: (ledger) => ({
      english: [
        [
          ...first,
          { act: "append", path: `${ledger}.there`, text: "", hostile: true },
          { act: "hang" },
        ],
        [{ act: "write", path: "english.txt", text: "Hello\n" }],
      ],
    }),
  };
}

const PLAIN: Story = {
  ...greeting(),
  script: () => ({ english: [{ act: "write", path: "english.txt", text: "Hello\n" }] }),
};
const STUBBORN = greeting({ act: "ignore-sigterm" });
const PATIENT = "timeouts: { kill: 10m }\n";

async function atWork(scene: RunScene): Promise<string> {
  await until("the session is at work", () => existsSync(`${scene.ledger}.there`));
  return scene.runId() ?? "";
}

/** Paused, the attempt given back, nothing running; and the next run takes it to Done. */
async function expectPaused(
  scene: RunScene,
  runId: string,
  reason: string,
  task: object = { status: "pending", attempts: 1, extra_attempts: 1 },
): Promise<void> {
  expect(processesOfRun(runId)).toEqual([]);
  expect(scene.state()).toMatchObject({
    status: "Paused",
    pause: { kind: "signal", reason },
    tasks: [task],
  });
  expect(scene.problems()).toEqual([]);
  writeFileSync(join(scene.root, "stint.config.yaml"), "");
  expect(await scene.resume()).toMatchObject({ code: 0 });
  expect(scene.state()).toMatchObject({ status: "Done" });
}

describe.each(["on", "off"])("with isolation %s", (isolation) => {
  const words = ["--isolation", isolation];

  it("SIGHUP pauses like Ctrl-C", async () => {
    const scene = new RunScene(folder.path, greeting());
    const run = scene.run({}, ...words);
    const runId = await atWork(scene);
    run.process.kill("SIGHUP");
    expect(await run.ended).toMatchObject({ code: 1, signal: null });
    await expectPaused(scene, runId, "its terminal was closed (SIGHUP)");
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "a second %s kills what does not end by itself, and pauses in order at once",
    async (signal) => {
      const scene = new RunScene(folder.path, STUBBORN);
      scene.write("stint.config.yaml", PATIENT);
      const run = scene.run({}, ...words);
      const runId = await atWork(scene);
      run.process.kill(signal);
      await run.saysAside(`${signal}: ending what runs and pausing`);
      run.process.kill(signal);
      const { code, signal: by, stderr } = await run.ended;
      expect({ code, by }).toEqual({ code: 1, by: null });
      expect(stderr).toContain(`${signal} again: killing what runs and pausing`);
      await expectPaused(scene, runId, `${signal} was received`);
    },
  );

  it("a terminal that is closed pauses, and is no reason to crash", async () => {
    const scene = new RunScene(folder.path, greeting());
    const terminal = inTerminal(scene, "", words);
    const runId = await atWork(scene);
    terminal.process.kill("SIGKILL");
    await terminal.ended;
    expect(await exitCode(scene)).toBe("1");
    await expectPaused(scene, runId, "its terminal was closed (SIGHUP)");
  });

  it("a terminal that is gone without a signal is noticed by writing to it, and pauses", async () => {
    const scene = new RunScene(folder.path, greeting());
    const terminal = inTerminal(scene, "setsid --wait", words);
    const runId = await atWork(scene);
    terminal.process.kill("SIGKILL");
    await terminal.ended;
    expect(await exitCode(scene)).toBe("1");
    await expectPaused(scene, runId, "its terminal was closed (EIO)");
  });

  it("a pipe that nobody reads any more pauses", async () => {
    const scene = new RunScene(folder.path, PLAIN);
    const run = scene.run({}, ...words);
    run.process.stdout?.destroy();
    expect(await run.ended).toMatchObject({
      code: 1,
      signal: null,
      stderr: expect.stringMatching(
        /^nobody reads its output any more \(EPIPE\): ending what runs and pausing …\n$/,
      ),
    });
    await expectPaused(scene, scene.runId() ?? "", "nobody reads its output any more (EPIPE)", {
      status: "pending",
      attempts: 0,
    });
  });
});

/**
 * `script` holds the other side of a terminal. The shell that it starts gets SIGHUP when that is closed, and dies; the one
 * below stays to say how the run ended.
 */
function inTerminal(scene: RunScene, before: string, words: readonly string[]): Child {
  const agent = `scripted:${join(scene.base, "script.json")}`;
  const run = [process.execPath, STINT, "run", "prompt.md", "--agent", agent, ...words].join(" ");
  const line = `stty rows 24 cols 80; (trap '' HUP; ${before} ${run}; echo $? >${scene.base}/code); true`;
  return new Child(
    "script",
    ["-qec", line, "/dev/null"],
    { ...scene.env, TERM: "xterm" },
    scene.root,
  );
}

async function exitCode(scene: RunScene): Promise<string> {
  const path = join(scene.base, "code");
  await until("the run has ended", () => existsSync(path) && readFileSync(path, "utf8") !== "");
  return readFileSync(path, "utf8").trim();
}
