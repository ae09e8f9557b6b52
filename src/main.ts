#!/usr/bin/env node
// The executable.
import { runCommandLine } from "./cli/program.ts";
import { realTerminal } from "./cli/terminal.ts";
import { version } from "../package.json" with { type: "json" };
import { openSystem } from "./wire.ts";

// A reader that went away, as in `stint log | head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

process.exitCode = await runCommandLine({
  words: process.argv.slice(2),
  version,
  terminal: realTerminal(process),
  openSystem: () => openSystem({ cwd: process.cwd(), env: process.env }),
});
