// Things a person almost wrote: a key, a box or a heading that Stint does not see as one.
// Each would be passed over in silence, so each is said.
import type { ManifestDocument } from "../manifest-document.ts";
import { settingBelowTask } from "../misplaced-settings.ts";
import type { Problem } from "../problem.ts";
import { boxInTitle, boxNearMiss, boxWithoutBullet, itemWithoutBox } from "./boxes.ts";
import { headingNearMisses } from "./headings.ts";
import { keyBehindTitle, keyInTitle, keyNearMiss, keyWithoutTask, strayKey } from "./keys.ts";

export function nearMisses(document: ManifestDocument): Problem[] {
  const problems: Problem[] = [];
  for (const task of document.tasks) {
    for (const item of task.substeps)
      push(problems, boxNearMiss(item) ?? keyNearMiss(item) ?? settingBelowTask(item));
    for (const [index, line] of task.wrappedLines.entries()) {
      push(
        problems,
        keyInTitle(line, task.line + index + 1) ?? boxInTitle(line, task.line + index + 1),
      );
    }
    push(problems, keyBehindTitle(task));
  }
  for (const item of document.looseItems) {
    push(problems, boxNearMiss(item) ?? keyWithoutTask(item) ?? itemWithoutBox(item));
  }
  for (const paragraph of document.paragraphs) {
    if (paragraph.section === "Steps") push(problems, boxWithoutBullet(paragraph));
  }
  const items = [...document.looseItems, ...document.tasks.flatMap(({ substeps }) => substeps)];
  for (const { text, line } of items) {
    const [, ...wrapped] = text.split("\n");
    for (const [index, each] of wrapped.entries())
      push(problems, boxInTitle(each, line + index + 1));
  }
  for (const stray of document.strayKeys) push(problems, strayKey(stray));
  return [...problems, ...headingNearMisses(document)];
}

function push(problems: Problem[], problem: Problem | undefined): void {
  if (problem !== undefined) problems.push(problem);
}
