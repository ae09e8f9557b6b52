// Layer (e), closer: from the revision that says "done" to the one that records the commit, the run is
// killed before every call of the file system and every start of a process, looks included.
//
// A look leaves the disk as the call before it did, so an even sample is as good as most of them; with
// STINT_ALL_KILL_POINTS set, every single one is tried.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { killAtEach } from "../support/kill-each.ts";
import { between, evenly, revisionOf } from "../support/kill-window.ts";
import { RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SAMPLE = 3;
/** Dozens of runs one after another, on a machine that may be busy with other tests. */
const LONG_MS = 1_800_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const story: Story = {
  manifest:
    "# Goal\n\nGreet.\n\n# Steps\n\n- [ ] german - Write the German greeting\n  - check: `grep -q Hallo german.txt`\n",
  words: ["--isolation", "off"],
  script: (ledger) => ({
    german: [
      { act: "append", path: ledger, text: "german\n", hostile: true },
      { act: "write", path: "german.txt", text: "Hallo\n" },
      { act: "append", path: "list.txt", text: "german\n" },
    ],
  }),
};

function leftBy({ root, base }: RunScene): string[] {
  return [join(root, "agents"), join(base, "state")]
    .flatMap((path) => readdirSync(path, { recursive: true, encoding: "utf8" }))
    .filter((name) => /\.(?:stint|manifest)-tmp/.test(name));
}

it(
  "S3 killed at every call between the decision and the record of its commit: it comes out the same",
  async () => {
    const first = new RunScene(folder.path, story);
    expect(await first.run().ended).toMatchObject({ code: 0 });
    const from = revisionOf(first, "checks-recorded");
    const to = revisionOf(first, "commit-recorded");

    const whole = new RunScene(folder.path, story);
    expect(await whole.run(between(whole, from, to)).ended).toMatchObject({ code: 0 });
    const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.filter((call) => call.startsWith("spawn ")).length).toBeGreaterThan(4);

    const points = evenly(calls.length, SAMPLE).map((index) => ({
      what: `before call ${index + 1} of ${calls.length}, ${calls[index]}`,
      kill: (scene: RunScene) => between(scene, from, to, index + 1),
    }));
    const examine = (scene: RunScene): void => expect(leftBy(scene)).toEqual([]);
    await killAtEach({ folder: folder.path, story, whole, points, examine });
  },
  LONG_MS,
);
