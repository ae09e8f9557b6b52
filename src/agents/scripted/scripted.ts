// The built-in agent: a program that does what a script says, without a model or credentials. Demos
// and tests use it; the format of a script is in docs/scripted-agent.md.
import { resolve } from "node:path";
import type { Agent } from "../agent.ts";
import { judgeStreamEnd } from "../judge-end.ts";
import { jsonLines } from "../json-lines.ts";
import { readScriptedEvent } from "./scripted-event.ts";
import { sessionEnv } from "../session-env.ts";

export interface ScriptedOptions {
  /** The bundled program, absolute. */
  readonly program: string;
  /** Relative to `calledFrom`; without one the agent does nothing, successfully. */
  readonly script: string | undefined;
  readonly calledFrom: string;
}

const INSTALL_HINT = "it is part of Stint; install Stint again";
const SCRIPT = "does what the script says";

export function scriptedAgent({ program, script, calledFrom }: ScriptedOptions): Agent {
  const args = script === undefined ? [program] : [program, resolve(calledFrom, script)];
  return {
    name: "scripted",
    describe: "does what a script says; no model, no credentials",
    installHint: INSTALL_HINT,
    loginHint: "it needs no login",
    modes: { default: SCRIPT, "read-only": SCRIPT, dangerous: SCRIPT },
    buildCommand: (request) => ({
      program: process.execPath,
      args,
      env: sessionEnv(request),
      stdin: request.brief,
    }),
    readLine: jsonLines((event) => [readScriptedEvent(event)]),
    outcome: (facts) => judgeStreamEnd(facts, { installHint: INSTALL_HINT }),
  };
}
