// Kills a run at each of many points, takes it up again as a person would, and compares what comes out
// with the run that nobody killed.
import { expect } from "vitest";
import { inParallel } from "./child.ts";
import { type Kill, processesOfRun, RunScene, type Story } from "./run-scene.ts";

/** What every whole run comes to. */
export const DONE = { status: "Done", uncommitted: "", problems: [] };

export const LANES = 2;

export interface KillPoint {
  readonly what: string;
  readonly kill: (scene: RunScene) => Kill;
}

export interface KilledRuns {
  readonly folder: string;
  readonly story: Story;
  readonly whole: RunScene;
  readonly points: readonly KillPoint[];
  /** Before its first run, where a scene needs more than its story. */
  readonly prepare?: (scene: RunScene) => void;
  /** After its last run: what must hold beside the outcome. */
  readonly examine?: (scene: RunScene) => void;
}

export async function killAtEach(runs: KilledRuns): Promise<void> {
  const { folder, story, points, prepare, examine } = runs;
  const wanted = runs.whole.outcome();
  expect(wanted).toMatchObject(DONE);
  const failures: string[] = [];
  await inParallel(points, LANES, async ({ what, kill }) => {
    const scene = new RunScene(folder, story);
    try {
      prepare?.(scene);
      expect((await scene.run(kill(scene)).ended).signal).toBe("SIGKILL");
      const killed = scene.runId();
      await toTheEnd(scene);
      expect(scene.outcome()).toEqual(wanted);
      expect(killed === undefined ? [] : processesOfRun(killed)).toEqual([]);
      examine?.(scene);
      scene.remove();
    } catch (error) {
      failures.push(`killed ${what}: ${String(error)}`);
    }
  });
  expect(failures).toEqual([]);
}

/** Resumes as a person would: again after a pause, and once more where it says that it needs them. */
export async function toTheEnd(scene: RunScene): Promise<void> {
  const said: string[] = [];
  for (let round = 0; round < 4; round++) {
    // oxlint-disable-next-line no-await-in-loop
    const { code, stdout, stderr } = await scene.resume();
    if (code === 0) return;
    said.push(`exit ${code}: ${stdout}${stderr}`);
    if (code !== 4) break;
    // oxlint-disable-next-line no-await-in-loop
    const retried = await scene.run({}, "--retry").ended;
    if (retried.code === 0) return;
    said.push(`retried, exit ${retried.code}: ${retried.stdout}${retried.stderr}`);
  }
  throw new Error(said.join("\n"));
}
