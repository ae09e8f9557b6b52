// A person's edit of the manifest, adopted at any time: their change, and nothing else, is made in the
// file and in the text that Stint knows. While a session has the manifest in hand, the text it started
// from gets the same change, so that what it did itself is still told apart at its end.
import type { ProjectEvent } from "../core/events.ts";
import type { Letter } from "../core/answers.ts";
import type { TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { mergeLines } from "../manifest/merge-lines.ts";
import { formatProblem, isError } from "../manifest/problem.ts";
import { reconcileManifest } from "../manifest/reconcile-manifest.ts";
import { adoptedBy } from "./manifest-changes.ts";
import type { ManifestPorts } from "./manifest-answers.ts";
import { withBoxes, writtenTasks } from "./task-boxes.ts";

export type EditOutcome =
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly reason: string; readonly hint: string }
  /** The file holds the change; the event makes it known. */
  | { readonly kind: "event"; readonly event: ProjectEvent };

export interface Edit {
  /** The file as it was opened. */
  readonly base: string;
  readonly text: string;
}

export function adoptEdit(ports: ManifestPorts, edit: Edit, letter: Letter): EditOutcome {
  const { holder, store, tree } = ports;
  const { state } = holder;
  const { project_id, manifest, tasks } = state;
  const disk = tree.readManifest() ?? "";
  const { base, text } = withSameBoxes(edit, disk, state);
  const known = store.manifestText(project_id, manifest.digest);
  // Outside a window the whole file is the person's.
  const under = manifest.window === undefined ? disk : known;
  const nextFile = mergeLines(base, disk, text);
  const nextKnown = under === disk ? nextFile : mergeLines(base, under, text);
  if (nextFile === undefined || nextKnown === undefined) {
    const who = manifest.window === undefined ? "since you opened it" : "by the session at work";
    return refused(
      `lines of ${manifest.path} that you changed were changed ${who} as well`,
      `Nothing was written. Edit it once more, from what is there now: stint edit ${project_id}`,
    );
  }
  const result = reconcileManifest({
    known,
    disk: nextKnown,
    tasks,
    nextTaskNumber: state.counters.tasks + 1,
    window: { kind: "none" },
  });
  if (result.kind === "unchanged") return { kind: "unchanged" };
  if (result.kind === "invalid") {
    const list = result.problems.filter(isError).map((each) => formatProblem(manifest.path, each));
    return refused(
      `the edited manifest cannot run as it is; nothing of it was adopted:\n${list.join("\n")}`,
      `Mend it: stint edit ${project_id}`,
    );
  }
  if (result.kind !== "adopted") throw new Error(`an edit was judged ${result.kind}`);
  const current = state.current_task_id;
  if (current !== null && !result.intents.some(({ id }) => id === current)) {
    return refused(
      `${current} is being worked on and is not in the edited manifest`,
      `End it first: stint skip ${current} ${project_id} --reason "why"; or: stint stop ${project_id} --now`,
    );
  }
  // The file first: a kill in between leaves the letter, and the same change is found made.
  if (nextFile !== disk && !tree.writeManifest(disk, nextFile)) {
    return refused(`${manifest.path} was saved at this very moment`, "Edit it once more.");
  }
  const { at, by, id: answer_id } = letter;
  if (state.status === "Done") {
    const reason = `${manifest.path} was edited`;
    // What changed is read from the file by the next run.
    return { kind: "event", event: { kind: "reopened", at, by, answer_id, reason, task_ids: [] } };
  }
  const digest = holder.keepManifest(nextKnown);
  return { kind: "event", event: adoptedBy(result, digest, { at, by, answer_id }) };
}

/** Boxes that the person left alone are as they are in the file by now: Stint may have set them. */
export function withSameBoxes(edit: Edit, disk: string, { tasks }: ProjectState): Edit {
  const boxes = (text: string) => writtenTasks(text, tasks).byId;
  const [before, after, now] = [boxes(edit.base), boxes(edit.text), boxes(disk)];
  const isChecked = (text: typeof now, id: TaskId) => text.get(id)?.item.box.checked;
  const leftAlone = tasks
    .map(({ id }) => id)
    .filter((id) => after.has(id) && isChecked(before, id) === isChecked(after, id));
  const set = leftAlone.filter((id) => isChecked(now, id) === true);
  const unset = leftAlone.filter((id) => isChecked(now, id) === false);
  const asNow = (text: string): string =>
    withBoxes(withBoxes(text, tasks, set, true), tasks, unset, false);
  return { base: asNow(edit.base), text: asNow(edit.text) };
}

function refused(reason: string, hint: string): EditOutcome {
  return { kind: "refused", reason, hint };
}
