#!/usr/bin/env node
// The executable.
import { join } from "node:path";
import { runCommandLine } from "./cli/program.ts";
import { realTerminal } from "./cli/terminal.ts";
import { StintError } from "./core/stint-error.ts";
import { VERSION } from "./version.ts";
import { watchBeside } from "./process/watch-beside.ts";
import { openSystem } from "./wire.ts";

// A reader that went away, as in `stint log | head`, is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

// A bug must not look like an answer: no documented exit code, and the trace to report it with.
process.on("uncaughtException", (error) => {
  process.stderr.write(`stint: this is a bug in Stint, please report it.\n${error.stack}\n`);
  process.exit(70);
});

void runCommandLine({
  words: process.argv.slice(2),
  version: VERSION,
  terminal: realTerminal(process),
  openSystem: () =>
    openSystem({
      cwd: currentFolder(),
      env: process.env,
      // All lie in one folder once they are built, the examples and skills beside it.
      scriptedProgram: join(__dirname, "scripted-agent.cjs"),
      browserProgram: join(__dirname, "browser-check.cjs"),
      program: join(__dirname, "main.cjs"),
      examples: join(__dirname, "..", "examples"),
      skills: join(__dirname, "..", "skills"),
      watchBeside: (id) => watchBeside(join(__dirname, "main.cjs"), id, process.stderr.isTTY),
    }),
}).then((exitCode) => {
  process.exitCode = exitCode;
});

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = "the folder you are in no longer exists";
    throw new StintError("bad-input", message, "Go to one that does: cd", { cause });
  }
}
