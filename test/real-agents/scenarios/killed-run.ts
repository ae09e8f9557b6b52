// kill -9 of the run while the CLI's tool is at work: nothing of the CLI outlives it, and the next
// run goes on to Done.
import type { Scenario } from "../scenario.ts";
import { eventually } from "../scene.ts";
import { HOLD, MANIFEST_NAME } from "../three-tasks.ts";
import { expectDone } from "./expect-done.ts";

const AT_WORK_MS = 60_000;
const GONE_MS = 5_000;

export const killedRun: Scenario = {
  name: "kill -9",
  async play(scene, findings) {
    scene.model.behaviour = "hold";
    const run = scene.start("run", MANIFEST_NAME, "--agent", scene.spec);
    const command = HOLD.kind === "shell" ? HOLD.command : "";
    const isAtWork = (): boolean => scene.alive().some((line) => line.includes(command));
    await eventually(() => isAtWork() || run.exitCode !== null, AT_WORK_MS);
    findings.expect(isAtWork(), `${command} was never seen: ${scene.alive().join("; ")}`);
    run.kill("SIGKILL");
    const isGone = await eventually(() => scene.alive().length === 0, GONE_MS);
    findings.expect(isGone, `outlived the run: ${scene.alive().join("; ")}`);
    scene.model.behaviour = "work";
    findings.exits(await scene.runStint(), 0, "the second run");
    await expectDone(scene, findings);
  },
};
