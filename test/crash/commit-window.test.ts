// Layer (e), closer: from the revision that says "done" to the one that records the commit, the run is
// killed before every call of the file system and every start of a process, looks included.
//
// A look leaves the disk as the call before it did, so an even sample is as good as most of them; with
// STINT_ALL_KILL_POINTS set, every single one is tried.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { killAtEach } from "../support/kill-each.ts";
import { type Kill, RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const SAMPLE = 32;
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

/** Temporary files count too, so they lie where they are seen. */
const prepare = ({ base }: RunScene): void => mkdirSync(join(base, "tmp"));

/** Revisions have the same numbers in every run of the story. */
function between(scene: RunScene, from: number, to: number, at?: number): Kill {
  const link = (revision: number): string => `^linkSync .*/state/0*${revision}\\.json$`;
  return {
    node: ["--import", PRELOAD],
    env: {
      TMPDIR: join(scene.base, "tmp"),
      KILL_UNDER: scene.base,
      KILL_WIDE: "1",
      KILL_FROM: link(from),
      KILL_TO: link(to),
      KILL_COUNT: join(scene.base, "count"),
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  };
}

function revisionOf(scene: RunScene, kind: string): number {
  const entry = scene.store.journal(scene.state().project_id).find((each) => each.kind === kind);
  if (entry === undefined) throw new Error(`nothing in the journal is ${kind}`);
  return entry.revision;
}

function evenly(count: number, most: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index);
  if (process.env["STINT_ALL_KILL_POINTS"] !== undefined || count <= most) return all;
  return all.filter(
    (index) => Math.floor((index * most) / count) !== Math.floor(((index - 1) * most) / count),
  );
}

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
    prepare(whole);
    expect(await whole.run(between(whole, from, to)).ended).toMatchObject({ code: 0 });
    const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.filter((call) => call.startsWith("spawn ")).length).toBeGreaterThan(10);

    const points = evenly(calls.length, SAMPLE).map((index) => ({
      what: `before call ${index + 1} of ${calls.length}, ${calls[index]}`,
      kill: (scene: RunScene) => between(scene, from, to, index + 1),
    }));
    const examine = (scene: RunScene): void => expect(leftBy(scene)).toEqual([]);
    await killAtEach({ folder: folder.path, story, whole, points, prepare, examine });
  },
  LONG_MS,
);
