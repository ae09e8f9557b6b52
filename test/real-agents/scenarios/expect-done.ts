// What holds when a run came to Done, however it got there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REAL_AGENTS } from "../real-agents.ts";
import type { Scene } from "../scene.ts";
import { type Findings, lastSession, sessionEnd, statusOf } from "../scenario.ts";
import { OWN_FILES } from "../three-tasks.ts";

const TASKS = ["english", "german", "count"];

export async function expectDone(scene: Scene, findings: Findings): Promise<void> {
  const status = await statusOf(scene);
  findings.expect(status.status === "Done", `the project is ${status.status}, not Done`);
  findings.exits(await scene.stint("verify"), 0, "verify");
  const trailers = scene
    .git("log", "--format=%(trailers:key=Stint-Task,valueonly,separator=%x2C)")
    .split("\n")
    .filter(Boolean);
  // The branch that the person is on has no upstream, so the work is delivered to it.
  findings.expect(trailers.length === 3, `${trailers.length} commits have a task, not 3`);
  expectUntouched(scene, findings);
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

/** What the person had beside the tasks is as it was, and in no commit. */
function expectUntouched(scene: Scene, findings: Findings): void {
  for (const [path, content] of Object.entries(OWN_FILES)) {
    const file = join(scene.root, path);
    const isThere = existsSync(file) && readFileSync(file, "utf8") === content;
    findings.expect(isThere, `${path} of the person is gone or another`);
    const said = scene.git("status", "--porcelain", "--", path).trim();
    findings.expect(said === `?? ${path}`, `git says of the person's file: ${said || "committed"}`);
  }
}
