// Work that somebody outside has, and a run that is killed around sending it and around taking it back: it is sent
// once and taken once, whatever the kill left of the message.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { between, evenly, revisionOf } from "../support/kill-window.ts";
import { RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 1_800_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const STORY: Story = {
  manifest: `# Goal

Greet.

# Steps

- [ ] logo - Draw the logo
  - after: none
  - check: file logo.svg
  - delegate: the design team
  - returns: message
- [ ] english - Write the English greeting
  - after: none
  - check: \`grep -q Hello english.txt\`
`,
  words: ["--isolation", "off", "--no-wait"],
  script: (ledger) => ({
    english: [
      { act: "append", path: ledger, text: "worked\n", hostile: true },
      { act: "write", path: "english.txt", text: "Hello\n" },
    ],
  }),
};

function inboxOf(scene: RunScene): string {
  return join(scene.root, "agents/stint/projects/prompt/inbox");
}

/** As the design team does it. */
function giveBack(scene: RunScene): void {
  scene.write("logo.svg", "<svg/>\n");
  scene.git("add", "logo.svg");
  scene.git("commit", "-q", "-m", "The logo");
  writeFileSync(join(inboxOf(scene), "d1.json"), '{"status":"done","result":"drawn"}');
}

function kinds(scene: RunScene): string[] {
  return scene.store.journal(scene.state().project_id).map(({ kind }) => kind);
}

/** Everything that no kill may change. */
function outcome(scene: RunScene) {
  const { status, files, uncommitted, tasks, problems } = scene.outcome();
  const all = kinds(scene);
  const count = (kind: string): number => all.filter((each) => each === kind).length;
  const logo = scene.state().tasks[0];
  return {
    status,
    files,
    uncommitted,
    tasks,
    problems,
    sent: count("dispatch-sent"),
    taken: count("result-consumed"),
    ignored: count("result-ignored"),
    attempts: logo?.attempts,
    dispatches: scene.state().dispatches.map(({ id, status: at }) => `${id} ${at}`),
    inbox: readdirSync(inboxOf(scene)),
  };
}

const WHOLE = {
  status: "Done",
  uncommitted: "",
  problems: [],
  sent: 1,
  taken: 1,
  ignored: 0,
  attempts: 1,
  dispatches: ["d1 returned"],
  inbox: [],
};

async function goOn(scene: RunScene) {
  const id = scene.projectId();
  const words = id === undefined ? ["run", "prompt.md"] : ["resume", id];
  return await scene.start([...words, "--no-wait"]).ended;
}

describe("S4-14 S4-15 a kill of the run", () => {
  it(
    "around the sending: the work is sent once, waited for, and taken back",
    async () => {
      const first = new RunScene(folder.path, STORY);
      expect(await first.run().ended).toMatchObject({ code: 1 });
      const sent = revisionOf(first, "dispatch-sent");
      const counted = new RunScene(folder.path, STORY);
      await counted.run(between(counted, sent - 1, sent + 1)).ended;
      const calls = readFileSync(join(counted.base, "count"), "utf8").split("\n").length - 1;
      expect(calls).toBeGreaterThan(4);
      const failures: string[] = [];
      await inParallel(evenly(calls, 4), 2, async (at) => {
        const scene = new RunScene(folder.path, STORY);
        const killed = await scene.run(between(scene, sent - 1, sent + 1, at + 1)).ended;
        if (killed.signal !== "SIGKILL") failures.push(`call ${at + 1} killed nothing`);
        const waits = await goOn(scene);
        if (waits.code !== 1) failures.push(`call ${at + 1}: ${waits.stdout}${waits.stderr}`);
        giveBack(scene);
        await goOn(scene);
        expect.soft(outcome(scene), `call ${at + 1}`).toMatchObject(WHOLE);
        scene.remove();
      });
      expect(failures).toEqual([]);
    },
    LONG_MS,
  );

  it(
    "around the taking: the message is taken once, found again it is known",
    async () => {
      const first = new RunScene(folder.path, STORY);
      await first.run().ended;
      giveBack(first);
      expect(await first.run().ended).toMatchObject({ code: 0 });
      expect(outcome(first)).toMatchObject(WHOLE);
      const taken = revisionOf(first, "result-consumed");
      const counted = new RunScene(folder.path, STORY);
      await counted.run().ended;
      giveBack(counted);
      await counted.run(between(counted, taken - 1, taken + 1)).ended;
      const names = readFileSync(join(counted.base, "count"), "utf8").split("\n").slice(0, -1);
      // The message is removed in between, after it was taken.
      expect(names.some((name) => /rmSync .*inbox\/d1\.json/.test(name))).toBe(true);
      const failures: string[] = [];
      await inParallel(evenly(names.length, 3), 2, async (at) => {
        const scene = new RunScene(folder.path, STORY);
        await scene.run().ended;
        giveBack(scene);
        const killed = await scene.run(between(scene, taken - 1, taken + 1, at + 1)).ended;
        if (killed.signal !== "SIGKILL") failures.push(`call ${at + 1} killed nothing`);
        const ended = await goOn(scene);
        if (ended.code !== 0) failures.push(`call ${at + 1}: ${ended.stdout}${ended.stderr}`);
        expect.soft(outcome(scene), names[at]).toMatchObject(WHOLE);
        scene.remove();
      });
      expect(failures).toEqual([]);
    },
    LONG_MS,
  );
});
