// What a manifest expects and a workspace does not have: files that no commit holds, and a server that
// serves the work instead of the person's files.
import { shownAddress } from "../../core/words/shown-address.ts";
import { isLoopback } from "../../core/written/stint-port.ts";
import type { ManifestDocument } from "../manifest-document.ts";
import type { Plan } from "../plan.ts";
import { type Problem, warningAt } from "../problem.ts";
import type { MentionedPath } from "./mentioned-paths.ts";

/** `mentions` are those whose file is there and which no session would see. */
export function unseenFiles(
  { sections }: Pick<ManifestDocument, "sections">,
  mentions: readonly MentionedPath[],
): Problem[] {
  const references = sections.find(({ name }) => name === "References")?.line;
  return mentions.map(({ path, found, task, isReference }) => {
    const line = task?.box.line ?? (isReference === true ? references : undefined) ?? 1;
    return warningAt(line, "not-committed", {
      message: unseenText(path),
      example: `---\nbring: ${bringOf(path)}\n---`,
      found,
    });
  });
}

function unseenText(path: string): string {
  return `${path} is not committed, and a session will not see it; commit it, or: bring: ${bringOf(path)}`;
}

/** The folder that it lies in, where it lies in one. */
function bringOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end === -1 ? path : path.slice(0, end + 1);
}

/** Where sessions work in a copy and nothing serves it. */
export function loopbackWithoutServe(plan: Pick<Plan, "tasks">): Problem[] {
  return plan.tasks
    .filter(({ box }) => !box.checked)
    .flatMap((task) =>
      task.checks.flatMap((check) => {
        if (check.kind !== "http" && check.kind !== "browser") return [];
        if (!isLoopback(check.url)) return [];
        const shown = shownAddress(check.url);
        return warningAt(task.box.line, "loopback-without-serve", {
          message: `${shown} is a server on this machine: one that you started serves your checkout, and not what a session changed; have Stint serve the workspace`,
          example:
            'serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"\ncheck: GET http://localhost:$STINT_PORT/ 200',
          found: check.kind === "http" ? `check: GET ${shown}` : `check: browser ${shown}`,
        });
      }),
    );
}
