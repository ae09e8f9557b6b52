import { StintError } from "../../core/stint-error.ts";
import { shell } from "../../operations/shell.ts";
import { tellAside } from "../show.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  if (call.json) {
    throw new StintError(
      "bad-input",
      "a shell has your terminal to itself, and nothing to print as JSON",
      "What a program wants to know: stint status --json, stint diff --json",
    );
  }
  const [task, project] = call.arguments;
  return await shell(system, {
    task,
    project,
    command: call.rest ?? null,
    // What a command prints is its own: everything else goes beside it.
    tell: (text) => tellAside(terminal, text),
  });
};
