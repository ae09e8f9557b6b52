#!/usr/bin/env node
// The executable. What is said in a session needs little, and is answered before the command line is loaded.
import { EXIT } from "./cli/exit-codes.ts";
import { Output, tellLostOutput, watchTerminals } from "./cli/output.ts";
import { systemFault } from "./core/words/system-error.ts";
import { meaningAt } from "./process/meaning-at.ts";

const out = new Output(process.stdout);
const err = new Output(process.stderr);
const leaveTerminals = watchTerminals();
process.on("exit", () => {
  tellLostOutput(out);
  leaveTerminals();
});

// What the system refuses where nobody waits for it, as to a pipe, is told as it is elsewhere. A bug must not look like
// an answer: no documented exit code, and the trace to report it with.
process.on("uncaughtException", (error) => {
  const fault = systemFault(error, meaningAt);
  if (fault !== null) {
    err.write(`stint: ${fault.message}\n  ${fault.hint}\n`);
    process.exit(EXIT.stateBroken);
  }
  err.write(`stint: this is a bug in Stint, please report it.\n${error.stack}\n`);
  process.exit(70);
});

void answer().then((exitCode) => {
  process.exitCode = exitCode;
});

async function answer(): Promise<number> {
  return (
    (await answerInSession()) ?? (await (await import("./start.ts")).start(__dirname, out, err))
  );
}

async function answerInSession(): Promise<number | null> {
  const { env, argv } = process;
  if (env["STINT_SEAL"] === undefined) return null;
  const { sayInSession } = await import("./cli/session-verbs.ts");
  const said = sayInSession({ words: argv.slice(2), env, cwd: "." });
  if (said === null) return null;
  out.write(said.out);
  err.write(said.err);
  return said.code;
}
