// A person's shell in the workspace: where it is, what becomes of changes, and who may not have one.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { english, german, Scenario } from "../support/scenario.ts";

let scene: Scenario;
beforeEach(() => {
  scene = new Scenario();
});
afterEach(() => scene.close());

const half = { act: "write", path: "hallo.txt", text: "Guten Tag\n" };
const PAUSED = { english: [english], german: [half] };

/** One task is done, the other has unfinished work. */
async function paused(): Promise<void> {
  const { state } = await scene.play(PAUSED, "--sessions", "2");
  expect(state.tasks.map(({ status }) => status)).toEqual(["done", "pending"]);
}

async function inShell(words: readonly string[], script: string) {
  return await scene.say("shell", ...words, "--", "sh", "-c", script);
}

it("hands a command the workspace with a task's unfinished work, and its exit code back", async () => {
  await paused();
  const { code, out, err } = await inShell(["german"], "cat hallo.txt; git status --short; exit 7");
  expect({ code, out }).toEqual({ code: 7, out: "Guten Tag\nA  hallo.txt\n" });
  expect(err).toContain("Your checkout is not touched");
  expect(err).toContain("count as work on t2");
  expect(scene.exists("hallo.txt")).toBe(false);
});

it("keeps what a person changes on a task that is not done, and its next attempt goes on from it", async () => {
  await paused();
  const { err } = await inShell(["t2"], "echo Hallo >> hallo.txt; echo more > more.txt");
  expect(err).toContain("Kept for the next attempt of t2");
  expect(err).toContain("hallo.txt, more.txt");
  expect((await inShell(["t2"], "cat hallo.txt more.txt")).out).toBe("Guten Tag\nHallo\nmore\n");
  const { state } = await scene.play({ german: [] });
  expect(state.status).toBe("Done");
  expect(scene.read("hallo.txt")).toBe("Guten Tag\nHallo\n");
  expect(scene.read("more.txt")).toBe("more\n");
});

it("keeps it also where no session has begun the task", async () => {
  await scene.play({ english: [english] }, "--sessions", "1");
  await inShell(["german"], "echo mine > beside.txt");
  await scene.play({ german: [german] });
  expect(scene.state().status).toBe("Done");
  expect(scene.read("beside.txt")).toBe("mine\n");
});

it.each([[[]], [["english"]]])(
  "throws away what is changed for no open task (%j), and names it",
  async (words) => {
    await paused();
    const { err } = await inShell(words, "echo x > new.txt; rm one.txt; echo y > debug.log");
    expect(err).toContain("discarded when you leave");
    expect(err).toContain("Thrown away: new.txt, one.txt");
    const seen = await inShell(words, "cat one.txt; test ! -e new.txt && cat debug.log");
    expect(seen.out).toBe("one\ny\n");
    expect(scene.read("one.txt")).toBe("one\n");
  },
);

it("loses nothing of a task's work when it is killed", async () => {
  await paused();
  const live = scene.start("shell", "t2", "--", "sh", "-c", "echo Hallo > hallo.txt; echo ready; sleep 60");
  await live.until("ready");
  live.kill();
  await live.ended;
  const { state } = await scene.play({ german: [] });
  expect(state.status).toBe("Done");
  expect(scene.read("hallo.txt")).toBe("Hallo\n");
});

it("is refused while a run is live, with who holds it and how to pause it", async () => {
  const waits = scene.program("agent.sh", `#!/bin/sh\necho working\nexec sleep 60\n`);
  const live = scene.start("run", "prompt.md", "--agent", `command:${waits}`);
  await live.until("started in session 1");
  const { code, err } = await inShell([], "echo never");
  expect(code).toBe(6);
  expect(err).toMatch(/is held by r-\w+/);
  const { project_id } = scene.state();
  const at = `stint pause ${project_id}; when the run has ended (stint status ${project_id})`;
  expect(err).toContain(`${at}: stint shell ${project_id}`);
  expect((await inShell(["t2"], "echo never")).err).toContain(`stint shell t2 ${project_id}`);
  live.kill("SIGTERM");
  await live.ended;
});

it("is a person's alone: nothing that a run started gets one, and nothing in one answers for a person", async () => {
  await paused();
  const shell = await scene.sayIn({ env: { STINT_RUN_ID: "r-0000000000" } }, "shell", "--", "true");
  expect(shell.code).toBe(2);
  expect(shell.err).toContain("was started by a run");
  const inner = await inShell([], "env | grep -c ^STINT_RUN_ID=");
  expect(inner.out).toBe("1\n");
});

it("is a plain shell in the folder where the project works in place", async () => {
  scene.commit("everything");
  await scene.play(PAUSED, "--sessions", "2", "--in-place");
  const { code, out, err } = await inShell([], "pwd -P; echo mine > made.txt");
  expect({ code, out }).toEqual({ code: 0, out: `${scene.root}\n` });
  expect(err).toContain("works in place; what you change is yours");
  expect(scene.read("made.txt")).toBe("mine\n");
});

it("opens $SHELL where no command is given, and takes the id of a project alone", async () => {
  await paused();
  const shell = scene.program("shell.sh", `#!/bin/sh\npwd -P > "${scene.path}/where"\nexit 9\n`);
  const { project_id } = scene.state();
  const said = await scene.sayIn({ env: { SHELL: shell } }, "shell", project_id);
  expect(said.code).toBe(0);
  expect(readFileSync(`${scene.path}/where`, "utf8")).toMatch(/repo\n$|tree\n$/);
  const json = await scene.say("shell", "--json");
  expect(json.code).toBe(2);
  expect(json.out).toContain("cannot print JSON");
});
