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

/** What may stand after a name, as shown to a person. */
interface Choice {
  readonly name: string;
  readonly written: string;
  choose(rest: string | undefined, surroundings: AgentSurroundings): Agent;
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

const CHOICES: readonly Choice[] = [
  ...CODING_AGENTS.map((agent) => ({
    name: agent.name,
    written: agent.name,
    choose: (rest: string | undefined) => plain(agent, rest),
  })),
  {
    name: "command",
    written: "command:<program> [args]",
    choose: (rest, { calledFrom }) => commandAgent(rest ?? "", calledFrom),
  },
  {
    name: "scripted",
    written: "scripted:<script.json>",
    choose: (rest, { calledFrom, scriptedProgram }) =>
      scriptedAgent({
        program: scriptedProgram,
        script: rest === undefined || rest.trim() === "" ? undefined : rest.trim(),
        calledFrom,
      }),
  },
];

export const AGENT_NAMES: readonly string[] = CHOICES.map(({ name }) => name);

/** The agent that a spec such as `claude` or `command:./agent.sh --flag` names. */
export function chooseAgent(spec: string, surroundings: AgentSurroundings): Agent {
  const colon = spec.indexOf(":");
  const name = (colon === -1 ? spec : spec.slice(0, colon)).trim();
  const rest = colon === -1 ? undefined : spec.slice(colon + 1);
  const choice = CHOICES.find((known) => known.name === name);
  if (choice !== undefined) return choice.choose(rest, surroundings);
  const near = nearMiss(name.toLowerCase(), AGENT_NAMES);
  const written = CHOICES.map((known) => known.written).join(", ");
  throw new StintError(
    "bad-input",
    `There is no agent "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
    `Agents: ${written}`,
  );
}

function plain(agent: Agent, rest: string | undefined): Agent {
  if (rest === undefined) return agent;
  throw new StintError(
    "bad-input",
    `The agent ${agent.name} takes nothing after its name, but got "${rest}"`,
    `--agent ${agent.name}`,
  );
}
