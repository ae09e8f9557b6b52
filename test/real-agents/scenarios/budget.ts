// What is left of a budget is given to the CLI when it is started: it ends by itself, in good time, and says so.
import { REAL_AGENTS } from "../real-agents.ts";
import { type Scenario, sessionEnd, statusOf } from "../scenario.ts";

export const budget: Scenario = {
  name: "budget",
  async play(scene, findings) {
    const { budget: limit } = REAL_AGENTS[scene.agent];
    if (limit === undefined) throw new Error(`${scene.agent} takes no limit`);
    scene.model.behaviour = limit.behaviour ?? "work";
    const run = await scene.runStint(...limit.options, "--sessions", "1");
    const status = await statusOf(scene);
    const end = sessionEnd(scene, status, 1);
    const how = end?.outcome.kind ?? "not recorded";
    findings.expect(how === limit.outcome, `the session ended ${how}, not ${limit.outcome}`);
    // Ended by Stint it would have been killed, and would not have told what it used.
    findings.expect(end?.exit_code === limit.exitCode, `its exit code is ${end?.exit_code}`);
    findings.expect(end?.signal === null, `it was ended by ${end?.signal}`);
    findings.exits(run, 1, "run");
    findings.tokens = status.budget.tokens.used;
    findings.costUsd = status.budget.cost_usd.used;
    findings.expect((findings.tokens ?? 0) > 0, "no tokens were recorded");
    findings.expect(scene.alive().length === 0, `left alive: ${scene.alive().join("; ")}`);
  },
};
