// A person's own agent, started by nobody but them: it finds Stint's server in their settings, creates a project over MCP
// and reads how it stands. Nobody has approved anything by that.
import { request } from "../../support/session-fixture.ts";
import { CODING_AGENTS } from "../../../src/agents/agents.ts";
import { type Scenario, statusOf } from "../scenario.ts";

const PROMPT = `# Session 1 of project p-0123456789: greetings

Task t1 (manage), attempt 1 of 3
`;

export const mcpWithoutARun: Scenario = {
  name: "mcp without a run",
  async play(scene, findings) {
    const agent = CODING_AGENTS.find(({ name }) => name === scene.agent);
    if (agent === undefined) throw new Error(`${scene.agent} is not in src/agents/agents.ts`);
    const ofAgent = ["--user", "--agent", scene.agent];
    findings.exits(await scene.stint("mcp", "install", ...ofAgent), 0, "mcp install");
    const { root, configFolder, acpProgram } = scene;
    const places = { workTree: root, root, configFolder, acpProgram };
    const asked = { brief: PROMPT, permission: "dangerous", isolated: true, ...places } as const;
    findings.exits(await scene.agentEnded(agent.buildCommand(request(asked))), 0, scene.agent);
    const bodies = scene.model.bodies.join("\n");
    findings.expect(bodies.includes("Created greetings with id p-"), "no project was created");
    findings.expect(/greetings {2}p-\w+ {2}Draft/.test(bodies), "its status was not read");
    const { status } = await statusOf(scene);
    findings.expect(status === "Draft", `the project is ${status}, not Draft`);
    const alive = scene.alive();
    findings.expect(alive.length === 0, `left running: ${alive.join(", ")}`);
  },
};
