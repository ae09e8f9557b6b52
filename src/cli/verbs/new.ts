import { newProject } from "../../operations/new-project.ts";
import { newText } from "../../report/manifest-text.ts";
import { optionText, requiredWord } from "../verb.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call) =>
    newProject(system, { manifest: requiredWord(call, 0), as: optionText(call, "as") }),
  text: newText,
});
