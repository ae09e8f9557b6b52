// The provider refuses the key, or nobody is logged in: the project is blocked and says how to log in.
import { REAL_AGENTS } from "../real-agents.ts";
import { attemptsSpent, type Scenario, sessionEnd, statusOf } from "../scenario.ts";

export const badKey: Scenario = {
  name: "bad key",
  async play(scene, findings) {
    scene.model.behaviour = "bad-key";
    const run = await scene.runStint();
    findings.exits(run, 4, "run");
    const status = await statusOf(scene);
    const how = sessionEnd(scene, status, 1)?.outcome.kind ?? "not recorded";
    findings.expect(how === "auth-failed", `the session ended ${how}, not auth-failed`);
    findings.expect(status.status === "Blocked", `the project is ${status.status}, not Blocked`);
    const blocker = status.blockers[0];
    findings.expect(
      blocker?.kind === "missing-access",
      `the blocker is of kind ${blocker?.kind ?? "none"}`,
    );
    const { login } = REAL_AGENTS[scene.agent];
    findings.expect(run.out.includes(login), `the end of the run does not say: ${login}`);
    const spent = attemptsSpent(scene, status);
    findings.expect(spent === 0, `${spent} attempts were spent`);
    findings.expect(scene.alive().length === 0, `left alive: ${scene.alive().join("; ")}`);
  },
};
