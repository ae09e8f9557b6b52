// The command line of the executable, with the real system behind it.
import { join } from "node:path";
import { runCommandLine } from "./cli/program.ts";
import type { Output } from "./cli/output.ts";
import { realTerminal } from "./cli/terminal.ts";
import { StintError } from "./core/stint-error.ts";
import { VERSION } from "./core/words/version.ts";
import { watchBeside } from "./process/watch-beside.ts";
import { openSystem } from "./wire.ts";

/** @param folder where the executable lies. @returns the exit code */
export async function start(folder: string, out: Output, err: Output): Promise<number> {
  return await runCommandLine({
    words: process.argv.slice(2),
    version: VERSION,
    terminal: realTerminal({ out, err }, process.env),
    openSystem: () =>
      openSystem({
        cwd: currentFolder(),
        env: process.env,
        // All lie in one folder once they are built, the examples and skills beside it.
        scriptedProgram: join(folder, "scripted-agent.cjs"),
        acpProgram: join(folder, "acp-client.cjs"),
        browserProgram: join(folder, "browser-check.cjs"),
        program: join(folder, "main.cjs"),
        examples: join(folder, "..", "examples"),
        skills: join(folder, "..", "skills"),
        watchBeside: (id) => watchBeside(join(folder, "main.cjs"), id, process.stderr.isTTY),
      }),
  });
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = "the folder you are in no longer exists";
    throw new StintError("bad-input", message, "Go to one that does: cd", { cause });
  }
}
