// Every agent Stint can start: the programs of others that it knows, any that speaks the Agent Client Protocol as
// `acp:<program> [args]`, any program at all as `command:./agent.sh --flag`, and the scripted one; and the one function
// that finds the agent a person named.
import { parseAgentId } from "../core/ids.ts";
import { nearMiss } from "../core/words/edit-distance.ts";
import { StintError } from "../core/stint-error.ts";
import type { StatePlace } from "../core/written/wall-places.ts";
import type { Agent } from "./agent.ts";
import { auggie } from "./auggie.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { qodercli } from "./qodercli.ts";
import { qwen } from "./qwen.ts";
import { acpAgent } from "./acp/acp-agent.ts";
import { scriptedAgent } from "./scripted/scripted.ts";
import { basename, isAbsolute, resolve } from "node:path";
import { splitWords } from "../core/written/commands.ts";
import { judgeExit } from "./judge-end.ts";
import { sessionEnv } from "./session-command.ts";

export interface AgentSurroundings {
  /** The folder where the person called `run`. */
  readonly calledFrom: string;
  /** Where the bundled scripted program lies. */
  readonly scriptedProgram: string;
  /** What a program that uses the library brought along. */
  readonly own?: readonly Agent[];
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
  kimi,
  qodercli,
  auggie,
];

/** What an agent may write of its own. A program that is not known may start any of those that are installed. */
export function statePlaces({ state }: Pick<Agent, "state">): readonly StatePlace[] {
  if (state !== undefined) return state;
  return CODING_AGENTS.flatMap((agent) => agent.state ?? []).map((place) => ({
    ...place,
    isOptional: true,
  }));
}

/** What a run takes when nobody says anything else. */
export const DEFAULT_AGENT = "claude";

/** How each is written; what follows a colon is its own. */
const WRITTEN = [
  ...CODING_AGENTS.map(({ name }) => name),
  "acp:<program> [args]",
  "command:<program> [args]",
  "scripted:<script.json>",
];

const AGENT_NAMES: readonly string[] = WRITTEN.map((written) => written.replace(/:.*/, ""));

/** All that may be named, agents of one's own included. */
export function agentNames(own: readonly Agent[] = []): readonly string[] {
  return [...AGENT_NAMES, ...own.map(({ name }) => name)];
}

/** What a manifest may name: one word says all. The others need a program after their name. */
export function namesForManifest(own: readonly Agent[] = []): readonly string[] {
  return agentNames(own).filter((name) => name !== "acp" && name !== "command");
}

/** A name is a word of the command line and of the state, and means one agent. @throws bad-input */
export function assertOwnNames(own: readonly Agent[]): void {
  for (const [index, { name }] of own.entries()) {
    const before = agentNames(own.slice(0, index));
    if (parseAgentId(name) !== undefined && !before.includes(name)) continue;
    const why = before.includes(name)
      ? "an agent with that name exists already"
      : "a name is made of lower-case letters, digits and hyphens";
    throw new StintError(
      "bad-input",
      `The agent ${JSON.stringify(name)} cannot be added: ${why}`,
      `Give it another name, such as "my-agent"; taken: ${before.join(", ")}`,
    );
  }
}

/** The agent that a spec such as `claude` or `command:./agent.sh --flag` names. */
export function chooseAgent(spec: string, surroundings: AgentSurroundings): Agent {
  const { calledFrom, scriptedProgram: program, own = [] } = surroundings;
  const colon = spec.indexOf(":");
  const name = (colon === -1 ? spec : spec.slice(0, colon)).trim();
  const rest = colon === -1 ? undefined : spec.slice(colon + 1);
  if (name === "command") return commandAgent(rest ?? "", calledFrom);
  if (name === "acp") return anyAcpAgent(rest ?? "", calledFrom);
  if (name === "scripted") {
    return scriptedAgent({ program, script: rest?.trim() || undefined, calledFrom });
  }
  const agent = [...CODING_AGENTS, ...own].find((known) => known.name === name);
  if (agent === undefined) {
    const near = nearMiss(name.toLowerCase(), agentNames(own));
    throw new StintError(
      "bad-input",
      `There is no agent "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
      `Agents: ${[...WRITTEN, ...own.map((known) => known.name)].join(", ")}`,
    );
  }
  if (rest === undefined) return agent;
  throw new StintError(
    "bad-input",
    `The agent ${name} takes nothing after its name, but got "${rest}"`,
    `--agent ${name}`,
  );
}

const ITS_OWN = "the program itself decides what it may do";
const EXAMPLE = `--agent 'command:./agent.sh --flag "two words"'`;
const ACP_EXAMPLE = "--agent 'acp:goose acp'";

/** Any program that speaks the Agent Client Protocol on its stdin and stdout. No shell is involved. */
function anyAcpAgent(line: string, calledFrom: string): Agent {
  const [program, ...args] = wordsOf(line, ACP_EXAMPLE);
  const resolved = resolveProgram(program, calledFrom);
  // A program that Stint knows writes where it always does, over whichever protocol.
  const state = CODING_AGENTS.find(({ name }) => name === basename(program))?.state;
  return acpAgent({
    ...(state !== undefined && { state }),
    name: "acp",
    describe: `the program ${program}, over the Agent Client Protocol`,
    installHint: `check that ${resolved} exists and may be executed`,
    loginHint: `log in with ${program} itself`,
    program: resolved,
    args,
  });
}

/**
 * It gets the brief on stdin and in a file, and says by its exit code and the marker how it ended. No shell is involved.
 * `calledFrom` is the folder where `run` was called: relative programs are found from there.
 */
export function commandAgent(line: string, calledFrom: string): Agent {
  const [program, ...args] = wordsOf(line, EXAMPLE);
  const resolved = resolveProgram(program, calledFrom);
  const installHint = `check that ${resolved} exists and may be executed`;
  return {
    name: "command",
    describe: `the program ${program}`,
    installHint,
    loginHint: `${program} logs in by itself`,
    modes: { default: ITS_OWN, "read-only": ITS_OWN, dangerous: ITS_OWN },
    buildCommand: (request) => ({
      program: resolved,
      args,
      env: sessionEnv(request),
      stdin: request.brief,
    }),
    readLine: (text) => (text === "" ? [] : [{ kind: "text", text }]),
    outcome: (facts) => judgeExit(facts, { installHint }),
  };
}

function wordsOf(line: string, example: string): readonly [program: string, ...args: string[]] {
  const split = splitWords(line);
  if (!split.ok) {
    throw new StintError(
      "bad-input",
      `The agent command cannot be split into words: ${split.reason}: ${line}`,
      `Quote it like this: ${example}`,
    );
  }
  const [program = "", ...args] = split.words;
  if (program === "") {
    throw new StintError("bad-input", "The agent command names no program", `Try ${example}`);
  }
  return [program, ...args];
}

/** A bare name is looked up in PATH; a path is taken from where the person stood. */
function resolveProgram(program: string, calledFrom: string): string {
  return isAbsolute(program) || !program.includes("/") ? program : resolve(calledFrom, program);
}
