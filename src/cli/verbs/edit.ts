import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { beginEdit, edit } from "../../operations/edit.ts";
import type { System } from "../../operations/system.ts";
import { printAnswer } from "../print-answer.ts";
import { optionText, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const file = optionText(call, "file");
  const editor = file === undefined ? editorOf(system) : undefined;
  const text = file === undefined ? undefined : textOf(resolve(system.cwd, file));
  const opened = await beginEdit(system, call.arguments[0], text);
  if (editor !== undefined) openEditor(editor, opened.copy, system);
  return printAnswer(await edit(system, opened), call.json, terminal);
};

function editorOf({ env }: System): string {
  const editor = [env["VISUAL"], env["EDITOR"]].find((each) => (each ?? "").trim() !== "");
  if (editor !== undefined) return editor;
  throw new StintError(
    "bad-input",
    "neither VISUAL nor EDITOR says which editor to open",
    "Say which: EDITOR=nano stint edit; or give the text: stint edit --file new.md",
  );
}

/** As git does it: the variable is the person's own shell text, the file an argument of its own. */
function openEditor(editor: string, copy: string, { env, cwd }: System): void {
  const words = ["-c", `${editor} "$@"`, editor, copy];
  const { status, signal, error } = spawnSync("sh", words, { cwd, env, stdio: "inherit" });
  if (error === undefined && status === 0) return;
  const why = error?.message ?? signal ?? `exit code ${status}`;
  throw new StintError(
    "bad-input",
    `the editor did not end well (${why}); nothing was adopted`,
    `Your text is kept: ${copy}\nTo take it all the same: stint edit --file ${copy}`,
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new StintError("not-found", `${path} cannot be read`, "Name a file that is there.", {
      cause,
    });
  }
}
