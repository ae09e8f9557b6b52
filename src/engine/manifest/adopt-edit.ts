// A person's edit of the manifest, adopted at any time: their change, and nothing else, is made in their
// file and in the text that Stint knows. A session that is at work has a copy of its own.
import type { ProjectEvent } from "../../core/events.ts";
import type { Letter } from "../../core/answers.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import { formatProblem, isError } from "../../manifest/problem.ts";
import { reconcileManifest } from "../../manifest/edit/reconcile-manifest.ts";
import { adoptedBy, withPersonsChange } from "./manifest-changes.ts";
import type { ManifestPorts } from "./manifest-answers.ts";
import { type Edit, withSameBoxes } from "./same-boxes.ts";
import { seenText } from "./seen-manifest.ts";

export type EditOutcome =
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly reason: string; readonly hint: string }
  /** The file holds the change; the event makes it known. */
  | { readonly kind: "event"; readonly event: ProjectEvent };

export function adoptEdit(ports: ManifestPorts, edit: Edit, letter: Letter): EditOutcome {
  const { holder, store, checkout } = ports;
  const { state } = holder;
  const { project_id, manifest, tasks } = state;
  const disk = checkout.readManifest() ?? "";
  const { base, text } = withSameBoxes(edit, disk, state);
  const known = store.manifestText(project_id, manifest.digest);
  const nextFile = mergeLines(base, disk, text);
  if (nextFile === undefined) {
    return refused(
      `lines of ${manifest.path} that you changed were changed since you opened it as well`,
      `Nothing was written. Edit it once more, from what is there now: stint edit ${project_id}`,
    );
  }
  // With whatever else the person wrote since their file was last read.
  const seen = seenText(store, state);
  const nextKnown = withPersonsChange({ base: seen, text: nextFile }, known, state);
  const result = reconcileManifest({
    known,
    disk: nextKnown,
    tasks,
    nextTaskNumber: state.counters.tasks + 1,
  });
  if (result.kind === "unchanged") return { kind: "unchanged" };
  if (result.kind === "invalid") {
    const list = result.problems.filter(isError).map((each) => formatProblem(manifest.path, each));
    return refused(
      `the edited manifest cannot run as it is; nothing of it was adopted:\n${list.join("\n")}`,
      `Fix it: stint edit ${project_id}`,
    );
  }
  const current = state.current_task_id;
  if (current !== null && !result.intents.some(({ id }) => id === current)) {
    return refused(
      `${current} is being worked on and is not in the edited manifest`,
      `End it first: stint skip ${current} ${project_id} --reason "why"; or: stint stop ${project_id} --now`,
    );
  }
  // The file first: a kill in between leaves the letter, and the same change is found made.
  if (nextFile !== disk && !checkout.writeManifest(disk, nextFile)) {
    return refused(`${manifest.path} was saved at this very moment`, "Edit it once more.");
  }
  const { at, by, id: answer_id } = letter;
  if (state.status === "Done") {
    const reason = `${manifest.path} was edited`;
    // What changed is read from the file by the next run.
    return { kind: "event", event: { kind: "reopened", at, by, answer_id, reason, task_ids: [] } };
  }
  const texts = {
    manifest_digest: holder.keepManifest(nextKnown),
    manifest_seen: holder.keepManifest(nextFile),
  };
  return { kind: "event", event: adoptedBy(result, texts, { at, by, answer_id }) };
}

function refused(reason: string, hint: string): EditOutcome {
  return { kind: "refused", reason, hint };
}
