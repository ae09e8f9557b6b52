// `stint deliver`, killed before a call that it makes: said again, it brings the work in once and whole, and
// everything of the person's is as it was.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { DELIVERY_STORY, DeliveredScene } from "../support/delivered-scene.ts";
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

/** A finished project whose work waits. */
async function waiting(): Promise<DeliveredScene> {
  const words = [...DELIVERY_STORY.words, "--deliver", "branch"];
  const scene = new DeliveredScene(folder.path, { ...DELIVERY_STORY, words });
  expect(await scene.run().ended).toMatchObject({ code: 0 });
  expect(scene.state().delivery).toMatchObject({ kind: "waiting", held_by: "choice" });
  return scene;
}

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

function broken(scene: DeliveredScene): string[] {
  const { delivery } = scene.state();
  const tip = scene.git("rev-parse", "main").trim();
  const wanted = { kind: "delivered", branch: "main", commit: tip };
  const isRecorded = JSON.stringify(delivery) === JSON.stringify(wanted);
  return [...(isRecorded ? [] : [`recorded is ${JSON.stringify(delivery)}`]), ...scene.broken()];
}

it(
  "S3 a delivery by hand that was killed is completed by saying it again",
  async () => {
    const whole = await waiting();
    expect(await whole.start(["deliver"], killing(whole)).ended).toMatchObject({ code: 0 });
    expect(broken(whole)).toEqual([]);
    const all = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
    // What is left of a workspace that was being removed is for `stint clean`: removal.test.ts.
    const calls = all.slice(
      0,
      all.findIndex((call) => call.includes("/1.gone")),
    );
    const move = calls.findIndex((call) => /^spawn git .*\bupdate-ref -m stint deliver/.test(call));
    expect(move).toBeGreaterThan(0);
    const points = new Set([...evenly(calls.length, SAMPLE), move, move + 1]);
    const failures: string[] = [];
    await inParallel([...points], LANES, async (index) => {
      const scene = await waiting();
      const killed = await scene.start(["deliver"], killing(scene, index + 1)).ended;
      const again = await scene.start(["deliver"]).ended;
      const found = [
        ...(killed.signal === "SIGKILL" ? [] : [`it was not killed: ${killed.stderr}`]),
        ...(again.code === 0 ? [] : [`exit ${again.code}: ${again.stdout}${again.stderr}`]),
        ...broken(scene),
      ];
      if (found.length > 0) failures.push(`before ${calls[index]}: ${found.join("; ")}`);
      else scene.remove();
    });
    expect(failures).toEqual([]);
  },
  LONG_MS,
);
