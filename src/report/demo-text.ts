// Where a demo can be looked at afterwards, and what went wrong when it did.
import { join } from "node:path";
import { shellWord } from "../core/written/commands.ts";
import type { DemoView } from "../core/schema/views.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { verifyText } from "./verify-text.ts";

export function demoText(view: DemoView, paint: Paint): Block[] {
  const kept = view.kept ?? "";
  return [
    ...(view.passed ? [] : ["", ...verifyText(view.verify, paint)]),
    "",
    `Kept in ${kept}. Look around:`,
    { whole: `  cd ${shellWord(join(kept, "repository"))}` },
    { whole: `  export XDG_STATE_HOME=${shellWord(join(kept, "state"))}` },
    { whole: `  stint status ${view.project_id}; git log --stat` },
  ];
}
