// A delivery that was killed in the middle is said by `status` and `doctor`, and ended by whatever command
// comes next and works on the project. A sample; all with STINT_ALL_KILL_POINTS.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { StatusView } from "../../src/core/schema/views.ts";
import { DeliveredScene } from "../support/delivered-scene.ts";
import { toTheEnd } from "../support/kill-each.ts";
import { evenly } from "../support/kill-window.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { canTrace, troubledGit } from "../support/troubled-git.ts";

const LONG_MS = 600_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

if (!canTrace) process.stderr.write("strace is not usable here: no delivery is cut short\n");

/** Where git is killed with its run: the files are in place, and the branch has not moved or has. */
const MOMENTS = [
  ["before the branch moves", "kill:openat:1"],
  ["after it has moved", "kill:exit_group:1"],
] as const;

const COMMANDS = [
  ["run", "prompt.md"],
  ["resume"],
  ["shell", "--", "true"],
  ["plan"],
  ["doctor", "--repair"],
] as const;

describe.skipIf(!canTrace)("S3 a delivery that was cut short", () => {
  const all = MOMENTS.flatMap((moment) => COMMANDS.map((words) => [...moment, words] as const));
  const sample = new Set(evenly(all.length, 3));
  it.each(all.filter((_, at) => sample.has(at)))(
    "%s (%s), ended by stint %j",
    async (_when, what, words) => {
      const scene = new DeliveredScene(folder.path);
      const git = troubledGit(scene.base, { words: " update-ref -m stint deliver", at: 1, what });
      expect((await scene.run(git).ended).signal).toBe("SIGKILL");
      expect(isLocked(scene)).toBe(true);
      const said = /^a delivery into \S+ was interrupted/;
      expect((await statusOf(scene)).delivery_cut_short).toMatch(said);
      expect((await scene.start(["status"]).ended).stdout).toMatch(
        /stint doctor --repair p-\w+ ends it/,
      );
      expect((await scene.start(["doctor"]).ended).stdout).toMatch(/was interrupted/);
      const { code, stderr } = await scene.start(words).ended;
      expect({ code, stderr }).toMatchObject({ code: expect.any(Number) });
      expect((await statusOf(scene)).delivery_cut_short).toBeNull();
      expect(isLocked(scene)).toBe(false);
      await toTheEnd(scene);
      expect(scene.broken()).toEqual([]);
      scene.remove();
    },
    LONG_MS,
  );
});

function isLocked({ root }: DeliveredScene): boolean {
  return existsSync(join(root, ".git/index.lock"));
}

async function statusOf(scene: DeliveredScene): Promise<StatusView> {
  return JSON.parse((await scene.start(["status", "--json"]).ended).stdout) as StatusView;
}
