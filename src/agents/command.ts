// Any program as an agent: `command:./agent.sh --flag`. It gets the brief on stdin and in a file, and
// says by its exit code and the marker how it ended. No shell is involved.
import { isAbsolute, resolve } from "node:path";
import { splitWords } from "../core/written/commands.ts";
import { StintError } from "../core/stint-error.ts";
import type { Agent } from "./agent.ts";
import { judgeExit } from "./judge-end.ts";
import { sessionEnv } from "./session-command.ts";

const ITS_OWN = "what the program may do is its own affair";
const EXAMPLE = `--agent 'command:./agent.sh --flag "two words"'`;

/** `calledFrom` is the folder where `run` was called: relative programs are found from there. */
export function commandAgent(line: string, calledFrom: string): Agent {
  const [program, ...args] = wordsOf(line);
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

function wordsOf(line: string): readonly [program: string, ...args: string[]] {
  const split = splitWords(line);
  if (!split.ok) {
    throw new StintError(
      "bad-input",
      `The agent command cannot be split into words: ${split.reason}: ${line}`,
      `Quote it like this: ${EXAMPLE}`,
    );
  }
  const [program = "", ...args] = split.words;
  if (program === "") {
    throw new StintError("bad-input", "The agent command names no program", `Try ${EXAMPLE}`);
  }
  return [program, ...args];
}

/** A bare name is looked up in PATH; a path is taken from where the person stood. */
function resolveProgram(program: string, calledFrom: string): string {
  return isAbsolute(program) || !program.includes("/") ? program : resolve(calledFrom, program);
}
