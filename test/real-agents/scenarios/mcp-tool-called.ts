// Stint's server is in the person's settings: the CLI starts it in a session, its model calls a tool, and what it said is
// kept as the words of that session. The server ends with the CLI, and goes from the settings as it came.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Scenario, statusOf } from "../scenario.ts";
import { TOLD } from "../three-tasks.ts";

const ANSWER = "Noted. It will be in the next session's brief, below Notes.";

export const mcpToolCalled: Scenario = {
  name: "mcp tool called",
  async play(scene, findings) {
    const ofAgent = ["--user", "--agent", scene.agent];
    findings.exits(await scene.stint("mcp", "install", ...ofAgent), 0, "mcp install");
    scene.model.behaviour = "tell";
    // Where a CLI asks about every server that it was not given for the session, nobody is there to say yes.
    const ended = await scene.runStint("--sessions", "1", "--permission", "dangerous");
    findings.exits(ended, 1, "run");
    const { project } = await statusOf(scene);
    const words = join(scene.root, project.folder, "logs/sessions/1/words.json");
    findings.expect(read(words).includes(TOLD), "what was said over MCP is not kept");
    const isAnswered = scene.model.bodies.some((body) => body.includes(ANSWER));
    findings.expect(isAnswered, "the model did not see the answer of the tool");
    const alive = scene.alive();
    findings.expect(alive.length === 0, `left running: ${alive.join(", ")}`);
    findings.exits(await scene.stint("mcp", "remove", ...ofAgent), 0, "mcp remove");
  },
};

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
