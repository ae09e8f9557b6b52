// New files that are large or look like secrets hold back a commit until a person has said yes to them:
// to what they hold, not to their names. Other content under the same name is another question.
import type { ProjectEvent } from "../core/events.ts";
import type { Approval } from "../core/schema/items.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { approvalRequested } from "./approval-request.ts";
import { contentLines, isAboutFiles, unchangedPaths } from "./output-subject.ts";
import { asking, type RunContext } from "./run-context.ts";
import type { Contents } from "./work-done.ts";

/** The request that holds back a commit for the sake of some of its files. */
export function filesHeld({ approval_items }: ProjectState): Approval | undefined {
  return approval_items.find((item) => item.status === "open" && isAboutFiles(item));
}

/** The files that a person allowed, where they hold what they held then. */
export function approvedFiles({ approval_items }: ProjectState, contents: Contents): string[] {
  return approval_items.flatMap((item) =>
    item.status === "granted" && isAboutFiles(item) ? unchangedPaths(contents, item) : [],
  );
}

export function filesWanted(
  context: RunContext,
  contents: Contents,
  paths: readonly string[],
  reason: string,
  digest: Sha256,
): ProjectEvent {
  const request = approvalRequested(asking(context), {
    kind: "destructive",
    subject: contentLines(contents, paths).join("\n"),
    reason,
    on_yes: "they are committed with the rest of the work, as they are now",
    on_no: "nothing is committed until they are gone",
  });
  return { ...request, manifest_digest: digest };
}
