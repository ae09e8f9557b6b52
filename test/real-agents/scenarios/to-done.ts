// Three tasks, three sessions, each a fresh conversation about its own task; then Done. Also where every cache is empty
// and private, and nothing but the agent's own state can be written at home.
import { type Scenario, sessionEnd, statusOf } from "../scenario.ts";
import { expectDone } from "./expect-done.ts";

export const toDone: Scenario = goesToDone("to Done");

export const toDoneStrict: Scenario = goesToDone("to Done strict", "--protect", "strict");

function goesToDone(name: string, ...options: readonly string[]): Scenario {
  return {
    name,
    async play(scene, findings) {
      findings.exits(await scene.runStint(...options), 0, "run");
      await expectDone(scene, findings);
      const status = await statusOf(scene);
      for (const session of [1, 2, 3]) {
        const how = sessionEnd(scene, status, session)?.outcome.kind ?? "not recorded";
        findings.expect(how === "finished", `session ${session} ended ${how}`);
        const tasks = [...(scene.model.sessions.get(session) ?? [])];
        findings.expect(tasks.length === 1, `session ${session} was about ${tasks.join(", ")}`);
      }
      const { used } = status.budget.sessions;
      findings.expect(used === 3, `${used} sessions were needed, not 3`);
    },
  };
}
