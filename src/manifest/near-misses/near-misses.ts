// Things a person almost wrote: a key, a box or a heading that Stint does not see as one.
// Each would be passed over in silence, so each is said.
import type { ManifestDocument } from "../manifest-document.ts";
import { settingBelowTask, settingsElsewhere } from "../misplaced-settings.ts";
import type { Problem } from "../problem.ts";
import { boxInTitle, boxNearMiss, boxWithoutBullet, itemWithoutBox } from "./boxes.ts";
import { headingNearMisses } from "./headings.ts";
import { keyNearMiss } from "./keys.ts";
import { keyBehindTitle, keyInTitle, keyWithoutTask, unreadKey } from "./unread-keys.ts";

export function nearMisses(document: ManifestDocument): Problem[] {
  const problems: Problem[] = [...settingsElsewhere(document)];
  const told = new Set(problems.map(({ line }) => line));
  for (const task of document.tasks) {
    for (const item of task.substeps)
      push(problems, boxNearMiss(item) ?? keyNearMiss(item) ?? settingBelowTask(item));
    for (const [index, line] of task.wrappedLines.entries()) {
      const indent = document.tasks[task.parent ?? -1]?.indent;
      const at = task.line + index + 1;
      push(problems, keyInTitle(task, index) ?? boxInTitle(line, at, indent));
    }
    push(problems, keyBehindTitle(task));
  }
  for (const item of document.looseItems) {
    if (told.has(item.line)) continue;
    push(problems, boxNearMiss(item) ?? keyWithoutTask(item, document) ?? itemWithoutBox(item));
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
  for (const stray of document.strayLines) {
    if (!told.has(stray.line)) push(problems, unreadKey(stray, document));
  }
  return [...problems, ...headingNearMisses(document)];
}

function push(problems: Problem[], problem: Problem | undefined): void {
  if (problem !== undefined) problems.push(problem);
}
