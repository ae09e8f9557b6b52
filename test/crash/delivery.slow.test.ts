// The run killed inside git: at the calls of the system by which one of its commands changes files, git and
// run at once. Taken up again, the work is committed once and delivered whole, and nothing that the person
// has in the checkout, in the index or in the repository is another.
import { afterAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { DeliveredScene } from "../support/delivered-scene.ts";
import { LANES, toTheEnd } from "../support/kill-each.ts";
import { evenly } from "../support/kill-window.ts";
import { processesOfRun } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { canTrace, isChanging, type Trouble, troubledGit } from "../support/troubled-git.ts";

const LONG_MS = 1_800_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

if (!canTrace) process.stderr.write("strace is not usable here: nothing is killed inside git\n");

/** The words of the command, how many of its calls are tried, and how many there are at least. */
const COMMANDS = [
  ["the new files and the index, prepared", " read-tree -m -u ", 4, 40],
  ["the index, once the files are in place", " update-index -q --refresh ", 3, 5],
  ["the branch that moves", " update-ref -m stint deliver", 3, 5],
  ["the objects of the commit, brought to the person", " unpack-objects ", 3, 5],
  ["the refs that hold the start and the commit", " update-ref -m stint --stdin ", 3, 10],
  ["the files of a new workspace", " read-tree ", 3, 20],
] as const;

describe.skipIf(!canTrace)("S3 the run is killed with its git, inside of it", () => {
  it.each(COMMANDS)(
    "%s",
    async (_what, words, sample, least) => {
      const whole = new DeliveredScene(folder.path);
      const traced = troubledGit(whole.base, { words, what: "trace" });
      expect(await whole.run(traced).ended).toMatchObject({ code: 0, stderr: "" });
      expect(whole.broken()).toEqual([]);
      const points = traced.commands().flatMap((command, index) =>
        traced
          .calls(index + 1)
          .filter(isChanging)
          .map(({ name, number, line }) => ({
            trouble: { words, at: index + 1, what: `kill:${name}:${number}` },
            where: `${line} of git ${command}`,
          })),
      );
      expect(points.length).toBeGreaterThanOrEqual(least);
      const failures: string[] = [];
      await inParallel(evenly(points.length, sample), LANES, async (index) => {
        const point = points[index];
        if (point === undefined) return;
        const broken = await killedAt(point.trouble);
        if (broken.length > 0) failures.push(`killed at ${point.where}: ${broken.join("; ")}`);
      });
      expect(failures).toEqual([]);
    },
    LONG_MS,
  );
});

async function killedAt(trouble: Trouble): Promise<string[]> {
  const scene = new DeliveredScene(folder.path);
  try {
    const ended = await scene.run(troubledGit(scene.base, trouble)).ended;
    if (ended.signal !== "SIGKILL") return [`nobody killed it, it ended with ${ended.code}`];
    const killed = scene.runId();
    await toTheEnd(scene);
    const alive = killed === undefined ? [] : processesOfRun(killed).map((pid) => `${pid} lives`);
    const done = scene.executed().length === 1 ? [] : [`executed ${scene.executed().join()}`];
    return [...scene.broken(), ...alive, ...done];
  } catch (error) {
    return [String(error)];
  } finally {
    scene.remove();
  }
}
