// Sessions beside each other, as real processes: killed with everything that belongs to them while they work, and
// after every single revision. Whatever was out is ended, collected and judged; nothing that is done is done again.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { until } from "../support/children.ts";
import { between, evenly } from "../support/kill-window.ts";
import { killQuietly, processesOfRun, RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 1_800_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const NAMES = ["one", "two", "three"];

function manifestOf(names: readonly string[]): string {
  const tasks = names.map(
    (name) =>
      `- [ ] ${name} - Write ${name}\n  - after: none\n  - check: \`grep -q ${name} ${name}.txt\`\n`,
  );
  return `# Goal\n\nWrite.\n\n# Steps\n\n${tasks.join("")}`;
}

/** Each waits for the gate, if there is one, in the middle of its work. */
function storyOf(isolation: string, gate: (ledger: string) => string | null): Story {
  return {
    manifest: manifestOf(NAMES),
    words: ["--isolation", isolation, "--parallel", "3"],
    script: (ledger) => {
      const closed = gate(ledger);
      const wait =
        closed === null
          ? []
          : [{ act: "run", command: `while [ ! -e ${closed} ]; do sleep 0.05; done` }];
      return Object.fromEntries(
        NAMES.map((name) => [
          name,
          [
            { act: "append", path: ledger, text: `${name}\n`, hostile: true },
            { act: "write", path: `half-${name}.txt`, text: "half\n" },
            ...wait,
            { act: "write", path: `${name}.txt`, text: `${name}\n` },
          ],
        ]),
      );
    },
  };
}

/** Whatever the order in which they ended. */
function outcome(scene: RunScene) {
  const { status, files, uncommitted, tasks, problems, commits } = scene.outcome();
  const subjects = commits.map((line) => line.split("\t")[0] ?? "").toSorted();
  const out = scene.state().dispatches.filter((each) => each.status === "sent");
  return { status, files, uncommitted, tasks, problems, subjects, out };
}

/** So many revisions; with STINT_ALL_KILL_POINTS set, all. */
const SAMPLE = 8;

describe("S4-3 a kill of everything", () => {
  it.each(["off", "auto"])(
    "while three sessions work, isolation %s: the next run ends what is left, collects each, and finishes",
    async (isolation) => {
      const scene = new RunScene(
        folder.path,
        storyOf(isolation, (ledger) => `${ledger}-gate`),
      );
      const run = scene.run();
      await until("three are at work", () => scene.executed().length === 3);
      const first = scene.runId() ?? "";
      killQuietly(run.process.pid ?? 0);
      await run.ended;
      writeFileSync(`${scene.ledger}-gate`, "");
      const ended = await scene.resume();
      expect(ended).toMatchObject({ code: 0 });
      expect(processesOfRun(first)).toEqual([]);
      expect(outcome(scene)).toMatchObject({
        status: "Done",
        problems: [],
        out: [],
        uncommitted: "",
        subjects: ["Begin", "one: Write one", "three: Write three", "two: Write two"],
      });
      // What they had done lay in their lanes, and went on from there.
      expect(Object.keys(outcome(scene).files)).toEqual(
        expect.arrayContaining(NAMES.map((name) => `half-${name}.txt`)),
      );
    },
    LONG_MS,
  );

  it(
    "after each revision: it comes out the same",
    async () => {
      const story = storyOf("off", () => null);
      const whole = new RunScene(folder.path, story);
      expect(await whole.run().ended).toMatchObject({ code: 0 });
      const wanted = outcome(whole);
      expect(wanted).toMatchObject({ status: "Done", problems: [], out: [] });
      const { revision } = whole.state();
      const points = evenly(revision - 1, SAMPLE).map((index) => index + 1);
      const failures: string[] = [];
      await inParallel(points, 2, async (at) => {
        const scene = new RunScene(folder.path, story);
        await scene.run(between(scene, at, at + 1, 1)).ended;
        await scene.resume();
        const found = outcome(scene);
        if (JSON.stringify(found) !== JSON.stringify(wanted)) {
          failures.push(`revision ${at}: ${JSON.stringify(found)}`);
        }
        const twice = NAMES.filter(
          (name) => scene.executed().filter((each) => each === name).length > 2,
        );
        if (twice.length > 0) failures.push(`revision ${at}: ${twice.join()} more than twice`);
        scene.remove();
      });
      expect(failures).toEqual([]);
      expect(existsSync(join(whole.base, "state"))).toBe(true);
    },
    LONG_MS,
  );
});
