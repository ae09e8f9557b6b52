import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { shellWord } from "../../core/written/commands.ts";
import { StintError } from "../../core/stint-error.ts";
import { beginEdit, edit, type OpenedEdit } from "../../operations/edit.ts";
import type { System } from "../../operations/system.ts";
import { optionText } from "../verb.ts";
import { answerVerbOf } from "./answer.ts";

export const run = answerVerbOf(async (system, call) => {
  const file = optionText(call, "file");
  const editor = file === undefined ? editorOf(system) : undefined;
  const given = file === undefined ? undefined : resolve(system.cwd, file);
  const opened = await beginEdit(system, call.arguments[0], given);
  if (editor !== undefined) openEditor(editor, opened, system);
  return await edit(system, opened);
});

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
function openEditor(editor: string, { copy, project }: OpenedEdit, { env, cwd }: System): void {
  const words = ["-c", `${editor} "$@"`, editor, copy];
  const { status, signal, error } = spawnSync("sh", words, { cwd, env, stdio: "inherit" });
  if (error === undefined && status === 0) return;
  const why = error?.message ?? signal ?? `exit code ${status}`;
  throw new StintError(
    "bad-input",
    `the editor did not end well (${why}); nothing was adopted`,
    `Your text is kept; to take it all the same: stint edit ${project} --file ${shellWord(copy)}`,
  );
}
