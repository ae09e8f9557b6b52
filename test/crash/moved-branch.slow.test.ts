// The built run killed while verified work follows a branch that the person moved: between any two of its
// effects, and together with the git that moves refs or brings objects. Taken up again, every task is in the
// branch exactly once, its checks ran there, and nothing of the person's is another.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { LANES, toTheEnd } from "../support/kill-each.ts";
import { evenly, revisionOf } from "../support/kill-window.ts";
import { MovedScene } from "../support/moved-scene.ts";
import { type Kill, processesOfRun } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { canTrace, isChanging, troubledGit } from "../support/troubled-git.ts";

const LONG_MS = 1_800_000;
const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const folder = temporaryFolder();

afterAll(() => folder.remove());

/** From the look at the branch's history until nothing says any longer that work is moving. */
function within(scene: MovedScene, lastRevision: number, at?: number): Kill {
  return {
    node: ["--import", PRELOAD],
    env: {
      KILL_UNDER: scene.base,
      KILL_WIDE: "1",
      KILL_FROM: "^spawn git .* rev-list --cherry-mark ",
      KILL_TO: `^linkSync .*/state/0*${lastRevision}\\.json$`,
      KILL_ONLY: "^(?:spawn|open|renameSync|linkSync|unlinkSync|rmSync|mkdirSync|rmdirSync) ",
      KILL_COUNT: join(scene.base, "count"),
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  };
}

async function moved(isPushed: boolean): Promise<MovedScene> {
  const scene = new MovedScene(folder.path, isPushed);
  await scene.prepare();
  return scene;
}

/** @returns every promise that does not hold after a kill and what a person does then */
async function killed(isPushed: boolean, kill: (scene: MovedScene) => Kill): Promise<string[]> {
  const scene = await moved(isPushed);
  try {
    const ended = await scene.run(kill(scene)).ended;
    if (ended.signal !== "SIGKILL") return [`nobody killed it, it ended with ${ended.code}`];
    const run = scene.runId();
    await toTheEnd(scene);
    const alive = run === undefined ? [] : processesOfRun(run).map((pid) => `${pid} lives`);
    return [...scene.broken(), ...alive];
  } catch (error) {
    return [String(error)];
  } finally {
    scene.remove();
  }
}

describe.each([
  ["replayed on", false],
  ["merged with", true],
])("work is %s the branch", (_, isPushed) => {
  it(
    "and the run is killed between two effects",
    async () => {
      const first = await moved(isPushed);
      expect(await first.run().ended).toMatchObject({ code: 0, stderr: "" });
      expect(first.broken()).toEqual([]);
      // The revision after it comes once the move is forgotten.
      const last = revisionOf(first, "work-moved") + 1;
      const whole = await moved(isPushed);
      expect(await whole.run(within(whole, last)).ended).toMatchObject({ code: 0 });
      const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
      expect(calls.length).toBeGreaterThan(100);
      const text = calls.join("\n");
      for (const part of ["branch-move.json", "record.json", "update-ref", " read-tree -m -u "]) {
        expect(text).toContain(part);
      }
      const failures: string[] = [];
      await inParallel(evenly(calls.length, 4), LANES, async (index) => {
        const broken = await killed(isPushed, (scene) => within(scene, last, index + 1));
        if (broken.length > 0) failures.push(`before ${calls[index]}: ${broken.join("; ")}`);
      });
      expect(failures).toEqual([]);
    },
    LONG_MS,
  );

  it.skipIf(!canTrace).each([
    ["brings objects", " unpack-objects ", 2],
    ["moves refs", " update-ref -m stint --stdin ", 2],
  ])(
    "and the run is killed together with the git that %s",
    async (_what, words, sample) => {
      const whole = await moved(isPushed);
      const traced = troubledGit(whole.base, { words, what: "trace" });
      expect(await whole.run(traced).ended).toMatchObject({ code: 0, stderr: "" });
      // The first of them is the move's; the others are of the task after it.
      const points = traced.calls(1).filter(isChanging);
      expect(points.length).toBeGreaterThan(3);
      const failures: string[] = [];
      await inParallel(evenly(points.length, sample), LANES, async (index) => {
        const { name, number, line } = points[index] ?? { name: "", number: 0, line: "" };
        const trouble = { words, at: 1, what: `kill:${name}:${number}` };
        const broken = await killed(isPushed, (scene) => troubledGit(scene.base, trouble));
        if (broken.length > 0) failures.push(`at ${line}: ${broken.join("; ")}`);
      });
      expect(failures).toEqual([]);
    },
    LONG_MS,
  );
});
