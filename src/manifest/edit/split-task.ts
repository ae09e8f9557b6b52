// A task that names several pieces of work, as that many tasks. The last one keeps what stood below it: its checks
// look at the whole. Every other byte stays as it is.
import { newlineOf } from "../line-table.ts";
import type { ManifestTask } from "../manifest-document.ts";
import { parseManifest } from "../parse-manifest.ts";
import { splitName } from "../task-names.ts";
import type { Edited } from "./edit-manifest.ts";

/** `pieces` are the titles, in their order; at least two. */
export function splitTask(text: string, task: ManifestTask, pieces: readonly string[]): Edited {
  const last = pieces.at(-1);
  if (last === undefined || pieces.length < 2) {
    return { ok: false, reason: `"${task.title}" names one piece of work` };
  }
  if (task.box.checked) return { ok: false, reason: `"${task.title}" is checked already` };
  const { offset } = task.box;
  const head = text.slice(task.start, offset);
  const newline = newlineOf(text);
  const above = pieces.slice(0, -1).map((piece) => `${head}[ ] ${piece}${newline}`);
  const { name } = splitName(task.title);
  const own = name === undefined ? last : `${name} - ${last}`;
  const edited = `${text.slice(0, task.start)}${above.join("")}${head}[ ] ${own}${text.slice(endOfTitle(text, task))}`;
  return isAsMeant(text, edited, task, [...pieces.slice(0, -1), own])
    ? { ok: true, text: edited }
    : { ok: false, reason: `splitting line ${task.line} would change other tasks` };
}

/** The title may be wrapped over several lines. */
function endOfTitle(text: string, { box, wrappedLines }: ManifestTask): number {
  const lineEnd = (from: number): number => {
    const found = /[\r\n]/u.exec(text.slice(from))?.index;
    return found === undefined ? text.length : from + found;
  };
  let end = lineEnd(box.offset);
  for (const _ of wrappedLines)
    end = lineEnd(/\r\n|[\r\n]/u.exec(text.slice(end))?.[0] === "\r\n" ? end + 2 : end + 1);
  return end;
}

/** `own` are the titles that stand where the task stood. */
function isAsMeant(
  before: string,
  after: string,
  task: ManifestTask,
  own: readonly string[],
): boolean {
  const { tasks } = parseManifest(before);
  const titles = tasks.map(({ title }) => title);
  const index = tasks.findIndex(({ box }) => box.offset === task.box.offset);
  const wanted = [...titles.slice(0, index), ...own, ...titles.slice(index + 1)];
  const found = parseManifest(after).tasks.map(({ title }) => title);
  return (
    index >= 0 && found.length === wanted.length && found.every((title, at) => title === wanted[at])
  );
}
