// The provider says that the allowance is used up: the run pauses, and no attempt is spent.
// Once there is an allowance again, the same command goes on to Done.
import { REAL_AGENTS } from "../real-agents.ts";
import { attemptsSpent, type Scenario, sessionEnd, statusOf } from "../scenario.ts";
import { expectDone } from "./expect-done.ts";

export const usageLimit: Scenario = {
  name: "usage limit",
  async play(scene, findings) {
    const { subscription, limitLooksLike = "usage-limited" } = REAL_AGENTS[scene.agent];
    const isSilent = REAL_AGENTS[scene.agent].isSilentWhenLimited === true;
    if (isSilent) scene.configure("timeouts: { idle: 100s }\n");
    if (subscription !== undefined) {
      scene.forget(...Object.keys(REAL_AGENTS[scene.agent].setUp(scene.provider).env));
      scene.setUp(subscription(scene.provider));
    }
    scene.model.behaviour = "usage-limit";
    findings.exits(await scene.runStint("--no-wait"), 1, "run");
    const status = await statusOf(scene);
    const how = sessionEnd(scene, status, 1)?.outcome.kind ?? "not recorded";
    findings.expect(how === limitLooksLike, `the session ended ${how}, not ${limitLooksLike}`);
    findings.expect(status.status === "Paused", `the project is ${status.status}, not Paused`);
    const pause = status.pause?.kind ?? "none";
    const awaited = limitLooksLike === "overloaded" ? "provider" : "usage-limit";
    findings.expect(pause === awaited, `the pause is of kind ${pause}`);
    const spent = attemptsSpent(scene, status);
    findings.expect(spent === 0, `${spent} attempts were spent`);
    findings.expect(scene.alive().length === 0, `left alive: ${scene.alive().join("; ")}`);
    if (findings.wrong.length > 0) return;
    if (isSilent) scene.configure("timeouts: { idle: 5m }\n");
    scene.model.behaviour = "work";
    findings.exits(await scene.runStint("--now"), 0, "the second run");
    await expectDone(scene, findings);
  },
};
