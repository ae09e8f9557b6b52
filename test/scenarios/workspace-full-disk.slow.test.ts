// A disk that is full where workspaces are, because of what an agent writes: the run ends with a reason,
// and nothing of the person's is another. Only where a small file system can be mounted.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ISOLATIONS, PersonScene } from "../support/person-scene.ts";

const scenes: PersonScene[] = [];
afterAll(() => scenes.forEach((scene) => scene.close()));

const IN_OWN_MOUNTS =
  process.getuid?.() === 0
    ? ["unshare", "--mount"]
    : ["unshare", "--user", "--map-root-user", "--mount"];

const canMount =
  ISOLATIONS.length > 1 &&
  spawnSync(IN_OWN_MOUNTS[0] ?? "", [...IN_OWN_MOUNTS.slice(1), "mount", "-t", "tmpfs", "none", "/mnt"])
    .status === 0;

/** Runs a command with little space for the state folder, which is kept after it. */
const WITH_LITTLE_SPACE = `set -eu; STATE=$1; KEPT=$2; shift 2
mount --bind "$STATE" "$KEPT"; mount -t tmpfs -o size=300m none "$STATE"
CODE=0; "$@" || CODE=$?
rm -f "$STATE"/stint/workspaces/*/*/tree/big.bin; cp -a "$STATE/." "$KEPT/"; exit "$CODE"`;

it.skipIf(!canMount)("an agent that fills the disk breaks no promise, and the run says why it ended", async () => {
  const scene = new PersonScene(ISOLATIONS[0] ?? "group");
  scenes.push(scene);
  const [state, kept] = [join(scene.outside, "state"), join(scene.outside, "kept")];
  for (const folder of [state, kept]) mkdirSync(folder);
  // Where sessions work in the checkout there is enough space, and the limit ends the writing.
  const agent = scene.agent(
    `( ulimit -f 1000000; cat /dev/zero > big.bin ) || true; echo Hello > hello.txt || true`,
  );
  const wrapper = [...IN_OWN_MOUNTS, "sh", "-c", WITH_LITTLE_SPACE, "sh", state, kept];
  const { code, out, err } = await scene.run(agent, wrapper);
  expect(await scene.judge()).toMatchObject({ broken: [] });
  expect(code).not.toBe(0);
  expect(`${out}${err}`).toMatch(/no space|disk is full|ENOSPC/i);
});
