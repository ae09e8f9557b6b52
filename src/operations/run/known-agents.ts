// Agents that a person typed, or that the file of settings names: refused before anything is made, if there is none of
// that name. Those of a manifest are judged with its lines (`engine/people/agent-problems.ts`).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chooseAgent } from "../../agents/agents.ts";
import type { Config } from "../../core/schema/config.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Plan } from "../../manifest/plan.ts";
import type { System } from "../system.ts";
import { agentsIn, type TypedSettings } from "./run-settings.ts";

interface NamedIn {
  readonly plan: Pick<Plan, "settings">;
  readonly config: Config;
  readonly root: string;
}

/** @throws bad-input, with the file and the key where a file says it */
export function assertKnownAgents(
  { scriptedProgram, agents: own = [], cwd: calledFrom }: System,
  typed: Pick<TypedSettings, "agent" | "fallback">,
  { plan, config, root }: NamedIn,
): void {
  const assertKnown = (spec: string): void => {
    chooseAgent(spec, { calledFrom, scriptedProgram, own });
  };
  for (const spec of [typed.agent ?? [], typed.fallback ?? []].flat()) assertKnown(spec);
  // What a run would not use is not judged: another program may bring an agent of that name.
  if (typed.agent !== undefined || agentsIn(plan.settings) !== undefined) return;
  for (const spec of agentsIn(config) ?? []) {
    try {
      assertKnown(spec);
    } catch (error) {
      if (!(error instanceof StintError)) throw error;
      const key = config.agents === undefined ? "agent" : "agents";
      const place = `${settingsName(root)}: ${key}`;
      throw new StintError(error.code, `${place}: ${error.message}`, error.hint, { cause: error });
    }
  }
}

export function settingsName(root: string) {
  const names = ["stint.config.yml", "stint.config.json"] as const;
  return names.find((name) => existsSync(join(root, name))) ?? "stint.config.yaml";
}
