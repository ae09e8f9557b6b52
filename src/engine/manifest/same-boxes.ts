// An edit of the manifest without the boxes that its author left alone: Stint may have set them since.
import type { TaskId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { withBoxes, writtenTasks } from "./task-boxes.ts";

export interface Edit {
  /** The text as it was before. */
  readonly base: string;
  readonly text: string;
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
