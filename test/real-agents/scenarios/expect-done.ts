// What holds when a run came to Done, however it got there.
import { REAL_AGENTS } from "../real-agents.ts";
import type { Scene } from "../scene.ts";
import { type Findings, lastSession, sessionEnd, statusOf } from "../scenario.ts";

const TASKS = ["english", "german", "count"];

export async function expectDone(scene: Scene, findings: Findings): Promise<void> {
  const status = await statusOf(scene);
  findings.expect(status.status === "Done", `the project is ${status.status}, not Done`);
  findings.exits(await scene.stint("verify"), 0, "verify");
  const trailers = scene
    .git("log", "--format=%(trailers:key=Stint-Task,valueonly,separator=%x2C)")
    .split("\n")
    .filter(Boolean);
  findings.expect(trailers.length === 3, `${trailers.length} commits have a task, not 3`);
  const alive = scene.alive();
  findings.expect(alive.length === 0, `left alive: ${alive.join("; ")}`);
  const told = [...scene.model.sessions.values()].flatMap((tasks) => [...tasks]);
  findings.expect(
    TASKS.every((task) => told.includes(task)),
    `the model was asked about ${told.join(", ") || "nothing"}`,
  );
  const last = sessionEnd(scene, status, lastSession(scene, status));
  const how = last?.outcome.kind ?? "not recorded";
  findings.expect(how === "finished", `the last session ended ${how}`);
  findings.tokens = status.budget.tokens.used;
  findings.costUsd = status.budget.cost_usd.used;
  const { tells } = REAL_AGENTS[scene.agent];
  findings.expect(!tells.tokens || (findings.tokens ?? 0) > 0, "no tokens were recorded");
  findings.expect(!tells.cost || (findings.costUsd ?? 0) > 0, "no cost was recorded");
}
