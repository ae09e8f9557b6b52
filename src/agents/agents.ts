// Every agent Stint can start, and the one function that finds the agent a person named.
import { nearMiss } from "../core/words/edit-distance.ts";
import { StintError } from "../core/stint-error.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { commandAgent } from "./command.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";
import { scriptedAgent } from "./scripted/scripted.ts";

export interface AgentSurroundings {
  /** The folder where the person called `run`. */
  readonly calledFrom: string;
  /** Where the bundled scripted program lies. */
  readonly scriptedProgram: string;
}

/** The programs of others that Stint knows how to drive. */
export const CODING_AGENTS: readonly Agent[] = [
  claude,
  codex,
  gemini,
  opencode,
  copilot,
  qwen,
  cline,
];

/** What a run takes when nobody says anything else. */
export const DEFAULT_AGENT = "claude";

/** How each is written; what follows a colon is its own. */
const WRITTEN = [
  ...CODING_AGENTS.map(({ name }) => name),
  "command:<program> [args]",
  "scripted:<script.json>",
];

export const AGENT_NAMES: readonly string[] = WRITTEN.map((written) => written.replace(/:.*/, ""));

/** The agent that a spec such as `claude` or `command:./agent.sh --flag` names. */
export function chooseAgent(spec: string, surroundings: AgentSurroundings): Agent {
  const { calledFrom, scriptedProgram: program } = surroundings;
  const colon = spec.indexOf(":");
  const name = (colon === -1 ? spec : spec.slice(0, colon)).trim();
  const rest = colon === -1 ? undefined : spec.slice(colon + 1);
  if (name === "command") return commandAgent(rest ?? "", calledFrom);
  if (name === "scripted") {
    return scriptedAgent({ program, script: rest?.trim() || undefined, calledFrom });
  }
  const agent = CODING_AGENTS.find((known) => known.name === name);
  if (agent === undefined) {
    const near = nearMiss(name.toLowerCase(), AGENT_NAMES);
    throw new StintError(
      "bad-input",
      `There is no agent "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
      `Agents: ${WRITTEN.join(", ")}`,
    );
  }
  if (rest === undefined) return agent;
  throw new StintError(
    "bad-input",
    `The agent ${name} takes nothing after its name, but got "${rest}"`,
    `--agent ${name}`,
  );
}
