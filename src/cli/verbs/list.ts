import { list } from "../../operations/list.ts";
import { listText } from "../../report/status-text.ts";
import { isSet } from "../verb.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: list,
  text: (view, paint, call) =>
    isSet(call, "ids") ? view.projects.map(({ id }) => id) : listText(view, paint),
});
