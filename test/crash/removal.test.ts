// `stint clean --yes` killed before any call that changes files or starts git: said once more, it removes
// the workspace and its refs whole, and neither the work nor anything of the person's is another.
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
const SAMPLE = 6;
const LONG_MS = 900_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

function killing({ base }: DeliveredScene, at?: number): Kill {
  return {
    node: ["--import", PRELOAD],
    env: {
      KILL_UNDER: base,
      KILL_WIDE: "1",
      KILL_ONLY: CHANGING,
      KILL_COUNT: join(base, "count"),
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  };
}

async function finished(): Promise<DeliveredScene> {
  const scene = new DeliveredScene(folder.path);
  expect(await scene.run().ended).toMatchObject({ code: 0 });
  return scene;
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
  "S3 a removal that was killed is completed by the next",
  async () => {
    const whole = await finished();
    const clean = ["clean", "--yes"];
    expect(await whole.start(clean, killing(whole)).ended).toMatchObject({ code: 0 });
    expect([...left(whole), ...whole.broken()]).toEqual([]);
    const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
    expect(calls.length).toBeGreaterThan(40);
    // What git does comes last, and is few beside what is unlinked.
    const spawns = calls.flatMap((call, index) => (call.startsWith("spawn ") ? [index] : []));
    const points = new Set([...evenly(calls.length, SAMPLE), ...spawns]);
    const failures: string[] = [];
    await inParallel([...points], LANES, async (index) => {
      const scene = await finished();
      const killed = await scene.start(clean, killing(scene, index + 1)).ended;
      const again = await scene.start(clean).ended;
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
