import { list } from "../../operations/list.ts";
import { listText } from "../../report/list-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { Terminal } from "../terminal.ts";
import { isSet, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = (system, call, terminal) => {
  const view = list(system);
  if (call.json) printJson(terminal, view);
  else if (isSet(call, "ids")) printIds(view.projects, terminal);
  else terminal.out(listText(view, terminal.paint, terminal.width));
  return EXIT.done;
};

function printIds(projects: readonly { readonly id: string }[], terminal: Terminal): void {
  if (projects.length > 0) terminal.out(projects.map(({ id }) => id).join("\n"));
}
