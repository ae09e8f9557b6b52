// The provider cannot be reached, from the start or in the middle of a session: the run pauses, and no attempt is spent,
// also where the CLI would try again for ever. Once the provider is back, the run goes to Done, though a connection is
// cut on the way.
import type { Outage } from "../model-server.ts";
import { attemptsSpent, type Scenario, sessionEnd, statusOf } from "../scenario.ts";
import { expectDone } from "./expect-done.ts";

export const providerGone: Scenario = gone("provider gone", "before");

export const providerLost: readonly Scenario[] = [
  gone("provider gone at work", { kind: "closed", after: 1, times: Infinity }),
  gone("name not found", { kind: "no-name", after: 0, times: Infinity }),
  gone("answers cut at work", { kind: "cut", after: 1, times: Infinity }),
];

function gone(name: string, outage: Outage | "before"): Scenario {
  return {
    name,
    async play(scene, findings) {
      scene.configure("timeouts: { retrying: 20s }\n");
      await scene.lose(outage);
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
      await scene.find();
      if (outage === "before") await scene.lose({ kind: "cut", after: 1, times: 1 });
      findings.exits(await scene.runStint("--now"), 0, "the second run");
      await expectDone(scene, findings);
    },
  };
}
