#!/usr/bin/env node
// The executable.
import { runCommandLine } from "./cli/program.ts";
import { realTerminal } from "./cli/terminal.ts";
import { VERSION } from "./version.ts";
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
  openSystem: () => openSystem({ cwd: process.cwd(), env: process.env }),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
