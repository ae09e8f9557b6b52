// Agents that do harm, in a repository that a person works in. Each is tried under every isolation that
// this machine has; one isolation and a few agents, unless all of them are asked for (npm run test:all).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { HOSTILE_AGENTS, type HostileAgent } from "../support/hostile-agents.ts";
import { ISOLATIONS, PersonScene } from "../support/person-scene.ts";

const scenes: PersonScene[] = [];
afterAll(() => scenes.forEach((scene) => scene.close()));

const isAll = process.env["STINT_ALL_HOSTILE"] === "1";

/** Once more where the agent killed the run. */
async function runToItsEnd(scene: PersonScene, does: string): Promise<string> {
  const agent = scene.agent(does);
  const first = await scene.run(agent);
  const last = first.signal === null ? first : await scene.run(agent);
  return `${last.out}${last.err}`;
}

describe.concurrent.each(isAll ? ISOLATIONS : ISOLATIONS.slice(0, 1))("isolation by %s", (isolation) => {
  const isTried = ({ isQuick, offReaches }: HostileAgent): boolean =>
    (isAll || isQuick === true) && (isolation !== "group" || offReaches === undefined);
  const agents = HOSTILE_AGENTS.filter(isTried).map((agent) => [agent.name, agent] as const);

  it.for(agents)("an agent that %s breaks no promise", async ([, agent], { onTestFailed }) => {
    const { does, manifest, check, ends, plants = [], says = /./, breaks = [], brings = [] } = agent;
    const scene = new PersonScene(isolation, manifest);
    scenes.push(scene);
    const said = await runToItsEnd(scene, does);
    onTestFailed(() => void process.stderr.write(`${agent.name}:\n${said}\n`));
    const verdict = await scene.judge(check);
    expect({
      ...verdict,
      // Otherwise the agent failed at what it is here for.
      hasActed: existsSync(join(scene.outside, "acted")),
      planted: plants.filter((name) => existsSync(join(scene.outside, name))),
    }).toEqual({
      status: ends ?? expect.stringMatching(/^\w+$/),
      broken: [...breaks, ...brings].map((line) => expect.stringMatching(line) as string),
      hasActed: true,
      planted: [],
    });
    expect(said).toMatch(says);
  });
});
