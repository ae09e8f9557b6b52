// Plays every scenario with every agent that was asked for, where only loopback can be reached.
import { join } from "node:path";
import { SETTINGS_AGENTS } from "../../src/agent-settings/settings-places.ts";
import { type AgentName, REAL_AGENTS } from "./real-agents.ts";
import { say } from "./say.ts";
import { Findings, type Scenario } from "./scenario.ts";
import { badKey } from "./scenarios/bad-key.ts";
import { budget } from "./scenarios/budget.ts";
import { killedRun } from "./scenarios/killed-run.ts";
import { mcpToolCalled } from "./scenarios/mcp-tool-called.ts";
import { mcpWithoutARun } from "./scenarios/mcp-without-a-run.ts";
import { providerGone, providerLost } from "./scenarios/provider-gone.ts";
import { skillListed } from "./scenarios/skill-listed.ts";
import { toDone, toDoneStrict } from "./scenarios/to-done.ts";
import { usageLimit } from "./scenarios/usage-limit.ts";
import { type Place, Scene } from "./scene.ts";
import { renderTable, type Row } from "./table.ts";

const OF_SESSIONS: readonly Scenario[] = [toDone, usageLimit, badKey, providerGone, killedRun];
const SCENARIOS: readonly Scenario[] = [...OF_SESSIONS, toDoneStrict, ...providerLost, skillListed];
const WITH_SERVERS: readonly Scenario[] = [mcpToolCalled, mcpWithoutARun];

const only = process.env["STINT_AGENTS_ONLY"]?.split(",");
const [repository = ".", prefix = ".", ...agents] = process.argv.slice(2);
const place = { stint: join(repository, "dist/main.cjs"), prefix };
const rows: Row[] = [];
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
process.setMaxListeners(100);
for (const agent of agents as AgentName[]) {
  for (const scenario of scenariosFor(agent)) {
    // One at a time: each of them starts programs that want a whole core.
    // oxlint-disable-next-line no-await-in-loop
    const row = await play(agent, scenario, place);
    say(`${row.agent}: ${row.scenario}: ${row.result} (${row.seconds.toFixed(1)} s)`);
    rows.push(row);
  }
}
say(`\n${renderTable(rows)}`);
const isAllWell = rows.every(({ result }) => result === "ok");
process.exit(isAllWell ? 0 : 1);

function scenariosFor(agent: AgentName): readonly Scenario[] {
  const { vendorOnly, overAcp, budget: limit } = REAL_AGENTS[agent];
  // Without its vendor it is logged out, and that is all there is to try. Skills and servers are the program's own, and
  // over ACP it takes no limit.
  if (vendorOnly === true) return [badKey].filter(isWanted);
  if (overAcp !== undefined) return OF_SESSIONS.filter(isWanted);
  const servers = SETTINGS_AGENTS.includes(agent) ? WITH_SERVERS : [];
  return [...SCENARIOS, ...servers, ...(limit === undefined ? [] : [budget])].filter(isWanted);
}

function isWanted({ name }: Scenario): boolean {
  return only?.includes(name) ?? true;
}

async function play(agent: AgentName, scenario: Scenario, at: Place): Promise<Row> {
  const began = performance.now();
  const findings = new Findings();
  const scene = await Scene.open(agent, at);
  let version = REAL_AGENTS[agent].package.version;
  try {
    version = scene.version();
    await scenario.play(scene, findings);
  } catch (error) {
    findings.wrong.push(error instanceof Error ? error.message : String(error));
  }
  if (findings.wrong.length > 0) {
    say(`what the model was asked:\n  ${scene.model.log.slice(-20).join("\n  ")}`);
    for (const wrong of findings.wrong) say(`wrong: ${wrong}`);
  }
  await scene.close();
  return {
    agent,
    version,
    scenario: scenario.name,
    result: summary(findings.wrong),
    seconds: (performance.now() - began) / 1000,
    tokens: findings.tokens,
    costUsd: findings.costUsd,
  };
}

function summary([first, ...others]: readonly string[]): string {
  if (first === undefined) return "ok";
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${first.slice(0, 120)}${more}`;
}
