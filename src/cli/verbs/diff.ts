import { diff } from "../../operations/diff.ts";
import { diffText } from "../../report/decision-text.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, { arguments: [item, project] }) => diff(system, { item, project }),
  text: diffText,
});
