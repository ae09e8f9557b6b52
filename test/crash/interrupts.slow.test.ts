// Ctrl-C, or SIGTERM, while something of the run takes its time: it is ended at once, counts as not
// done, and the next run goes on from there. Each of these would otherwise last ten minutes.
import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { until } from "../support/children.ts";
import { processesOfRun, RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

afterAll(() => folder.remove());

const DONE = { status: "Done", uncommitted: "", problems: [] };

/** Says that it is there, then lasts for ever, unless it is told not to. */
const FOR_EVER = `[ -e "$LEDGER.go" ] || { echo >"$LEDGER.there"; sleep 600; }`;

const TASK = "# Goal\n\nGreet.\n\n# Steps\n\n- [ ] english - Write the English greeting\n";

function greeting(check: string): Story {
  return {
    manifest: `${TASK}  - check: \`${check}\`\n`,
    words: [],
    script: (ledger) => ({
      english: [
        { act: "append", path: ledger, text: "worked\n", hostile: true },
        { act: "write", path: "english.txt", text: "Hello\n" },
      ],
    }),
  };
}

const PLAIN = greeting("grep -q Hello english.txt");

async function interrupt(
  scene: RunScene,
  signal: NodeJS.Signals,
  ...words: string[]
): Promise<void> {
  const run = scene.run({}, ...words);
  await until("it takes its time", () => existsSync(`${scene.ledger}.there`));
  const { lease } = scene.store.read(scene.state().project_id).lease;
  run.process.kill(signal);
  expect(await run.ended).toMatchObject({ code: 1, signal: null });
  expect(processesOfRun(lease?.run_id ?? "")).toEqual([]);
  expect(scene.state()).toMatchObject({
    status: "Paused",
    pause: {
      kind: "signal",
      reason: signal === "SIGHUP" ? "its terminal was closed (SIGHUP)" : `${signal} was received`,
    },
  });
  const kinds = scene.store.journal(scene.state().project_id).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "interrupted")).toHaveLength(1);
  expect(scene.problems().filter((problem) => !problem.includes("no commit recorded"))).toEqual([]);
}

/** What held it up is gone. */
function letGo(scene: RunScene): void {
  rmSync(`${scene.ledger}.there`);
  scene.write("../ledger.go", "");
}

function hook(scene: RunScene, name: string, text: string): void {
  const path = join(".git", "hooks", name);
  scene.write(path, `#!/bin/sh\n${text}\n`);
  chmodSync(join(scene.root, path), 0o755);
}

describe("a signal while something takes its time pauses at once", () => {
  it("a check before the session: no session was started", async () => {
    const scene = new RunScene(folder.path, greeting(`${FOR_EVER}; grep -q Hello english.txt`));
    await interrupt(scene, "SIGINT");
    expect(scene.state().counters.sessions).toBe(0);
    letGo(scene);
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["worked"] });
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s in a check after the session: it counts as not run, no attempt is lost, nothing is done again",
    async (signal) => {
      const scene = new RunScene(folder.path, greeting(`test -e english.txt && { ${FOR_EVER}; }`));
      await interrupt(scene, signal);
      const id = scene.state().project_id;
      const [task] = scene.state().tasks;
      expect(task).toMatchObject({ status: "validating", attempts: 1 });
      const { folder: place } = scene.store.read(id).entry;
      expect(JSON.parse(scene.read(join(place, "state.json")))).toMatchObject({
        interrupted: true,
      });
      letGo(scene);
      expect(await scene.resume()).toMatchObject({ code: 0 });
      expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["worked"] });
      expect(scene.state().counters.sessions).toBe(1);
      // Looked at twice, the same work is no less progress.
      const ends = scene.store.journal(id).filter(({ kind }) => kind === "session-ended");
      expect(ends).toHaveLength(2);
      expect(new Set(ends.map(({ data }) => data?.["progress"])).size).toBe(1);
    },
  );

  it("a hook of the commit, also one that does not heed the signal: committed once, later", async () => {
    const scene = new RunScene(folder.path, PLAIN);
    hook(scene, "pre-commit", `trap '' TERM; ${FOR_EVER}`);
    await interrupt(scene, "SIGINT");
    letGo(scene);
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["worked"] });
    expect(scene.git("log", "--format=%s").trim().split("\n")).toHaveLength(2);
  });

  it("a push: the work is committed, and pushed by the next run", async () => {
    const scene = new RunScene(folder.path, PLAIN);
    scene.git("init", "-q", "--bare", join(scene.base, "remote.git"));
    scene.git("remote", "add", "origin", join(scene.base, "remote.git"));
    scene.git("push", "-q", "-u", "origin", "main");
    hook(scene, "pre-push", FOR_EVER);
    await interrupt(scene, "SIGTERM", "--deliver", "checkout");
    expect(scene.git("rev-list", "--count", "origin/main..main").trim()).toBe("1");
    letGo(scene);
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.git("rev-list", "--count", "origin/main..main").trim()).toBe("0");
    expect(scene.outcome()).toMatchObject({ ...DONE, executed: ["worked"] });
  });

  it("a command of the manifest: whether it took effect is unknown, so a person is asked", async () => {
    const act = `echo begun >>"$LEDGER"; ${FOR_EVER}`;
    const manifest = `${TASK}  - run: \`${act}\`\n`;
    const scene = new RunScene(folder.path, { manifest, words: [], script: () => ({}) });
    await interrupt(scene, "SIGINT");
    letGo(scene);
    const { code, stdout } = await scene.resume();
    expect(code).toBe(4);
    expect(stdout).toContain("whether it took effect is unknown");
    expect(scene.executed()).toEqual(["begun"]);
    expect(await scene.run({}, "--retry").ended).toMatchObject({ code: 0 });
    expect(scene.executed()).toEqual(["begun", "begun"]);
  });

  it("a webhook that does not answer: the same", async () => {
    const scene = new RunScene(folder.path, { manifest: TASK, words: [], script: () => ({}) });
    let calls = 0;
    const server = createServer(() => {
      calls += 1;
      scene.write("../ledger.there", "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      scene.write("prompt.md", `${TASK}  - webhook: http://127.0.0.1:${port}/publish\n`);
      scene.git("commit", "-q", "-a", "-m", "Name the address");
      await interrupt(scene, "SIGTERM");
      expect(await scene.resume()).toMatchObject({ code: 4 });
      expect(calls).toBe(1);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
