// Nobody listens at the provider's address: the run pauses, and no attempt is spent, also where the CLI would try
// again for ever. Once the provider is back, the run goes to Done, though a connection is cut on the way.
import { attemptsSpent, type Scenario, sessionEnd, statusOf } from "../scenario.ts";
import { expectDone } from "./expect-done.ts";

export const providerGone: Scenario = {
  name: "provider gone",
  async play(scene, findings) {
    scene.configure("timeouts: { retrying: 20s }\n");
    await scene.model.close();
    findings.exits(await scene.runStint("--no-wait"), 1, "run");
    const status = await statusOf(scene);
    const how = sessionEnd(scene, status, 1)?.outcome.kind ?? "not recorded";
    findings.expect(how === "overloaded", `the session ended ${how}, not overloaded`);
    findings.expect(status.status === "Paused", `the project is ${status.status}, not Paused`);
    const pause = status.pause?.kind ?? "none";
    findings.expect(pause === "provider", `the pause is of kind ${pause}`);
    const spent = attemptsSpent(scene, status);
    findings.expect(spent === 0, `${spent} attempts were spent`);
    findings.expect(scene.alive().length === 0, `left alive: ${scene.alive().join("; ")}`);
    if (findings.wrong.length > 0) return;
    await scene.model.listen();
    scene.model.outage = { kind: "cut", after: 1, times: 1 };
    findings.exits(await scene.runStint("--now"), 0, "the second run");
    await expectDone(scene, findings);
  },
};
