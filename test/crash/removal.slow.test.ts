// The workspace goes when its project is done and delivered. The run killed before any call of that: what
// is left is removed by `stint clean`, the refs with it, and neither the work nor anything of the person's
// is another.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { DeliveredScene } from "../support/delivered-scene.ts";
import { LANES } from "../support/kill-each.ts";
import { evenly } from "../support/kill-window.ts";
import type { Kill } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const CHANGING = "^(?:renameSync|unlinkSync|rmdirSync|rmSync|linkSync|open|spawn) ";
const SAMPLE = 3;
const LONG_MS = 900_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

/** From the revision that says Done to the end of the run. */
function killing({ base }: DeliveredScene, done: number, at?: number): Kill {
  return {
    node: ["--import", PRELOAD],
    env: {
      KILL_UNDER: base,
      KILL_WIDE: "1",
      KILL_FROM: String.raw`^linkSync .*/state/0*${done}\.json$`,
      KILL_ONLY: CHANGING,
      KILL_COUNT: join(base, "count"),
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  };
}

function left(scene: DeliveredScene): string[] {
  const workspaces = join(scene.base, "state/stint/workspaces");
  const refs = scene.git("for-each-ref", "--format=%(refname)", "refs/stint").split("\n");
  return [
    ...(existsSync(workspaces) ? readdirSync(workspaces) : []),
    ...refs.filter((ref) => ref !== ""),
  ];
}

it(
  "S3 a removal that was killed is completed by stint clean",
  async () => {
    const first = new DeliveredScene(folder.path);
    expect(await first.run().ended).toMatchObject({ code: 0 });
    const done = first.state().revision;
    const whole = new DeliveredScene(folder.path);
    expect(await whole.run(killing(whole, done)).ended).toMatchObject({ code: 0 });
    expect([...left(whole), ...whole.broken()]).toEqual([]);
    const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
    expect(calls.length).toBeGreaterThan(40);
    const failures: string[] = [];
    // What git does is little beside what is unlinked.
    const ofGit = calls.flatMap((call, index) => (call.startsWith("spawn ") ? [index] : []));
    const points = new Set([...evenly(calls.length, SAMPLE), ...ofGit]);
    await inParallel([...points], LANES, async (index) => {
      const scene = new DeliveredScene(folder.path);
      const killed = await scene.run(killing(scene, done, index + 1)).ended;
      const again = await scene.start(["clean", "--yes"]).ended;
      const found = [
        ...(killed.signal === "SIGKILL" ? [] : ["nobody killed it"]),
        ...(again.code === 0 ? [] : [`exit ${again.code}: ${again.stderr}`]),
        ...left(scene).map((what) => `${what} is left`),
        ...scene.broken(),
      ];
      if (found.length > 0) failures.push(`before ${calls[index]}: ${found.join("; ")}`);
      scene.remove();
    });
    expect(failures).toEqual([]);
  },
  LONG_MS,
);
