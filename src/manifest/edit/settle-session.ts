// What a session did to the manifest. Its own boxes and what it appended to References and Notes
// stay; other boxes go back; any other change is set aside whole and the session-start text returns.
import type { TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { asKnown } from "./reconcile-manifest.ts";
import {
  changedParts,
  type Append,
  type GivenManifest,
  type Proposal,
  type RestoredBox,
  type Settled,
} from "./reconciliation.ts";
import { diffLines } from "./line-diff.ts";
import { newlineOf } from "../line-table.ts";
import {
  sectionsNamed,
  type Box,
  type ManifestDocument,
  type Section,
} from "../manifest-document.ts";
import { matchTasks } from "./match-tasks.ts";
import { normaliseManifest } from "../normalise-manifest.ts";
import { parseManifest } from "../parse-manifest.ts";

/** A piece of text put in place of `start` to `end`. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function settleSession(
  given: GivenManifest,
  tasks: readonly Task[],
  disk: string | undefined,
): Settled {
  if (disk === undefined) return settleDeletion(given);
  const start = parseManifest(given.startText);
  const end = parseManifest(disk);
  const boxes = compareBoxes(start, end, given.taskIds, tasks);
  const appends = appendsOf(start, end);
  const kept = keep(start, boxes.ownSplices, appends);
  // The session's text with every box as it is kept: what still differs is more than boxes.
  const remainder = spliced(disk, boxes.endSplices);
  const isAllKept = kept.appended.length > 0 && differsInBlankLinesOnly(kept.text, remainder);
  const text = isAllKept ? remainder : kept.text;
  const proposal =
    text === remainder ? undefined : proposalOf(given, start, text, end, remainder, disk);
  return {
    text,
    ownBoxes: boxes.own,
    appended: kept.appended,
    restoredBoxes: boxes.restored,
    ...(proposal !== undefined && { proposal }),
  };
}

function settleDeletion(given: GivenManifest): Settled {
  const proposal: Proposal = {
    session: given.session,
    text: "",
    isDeletion: true,
    base: given.startText,
    wanted: "",
    parts: ["Goal", "Steps"],
    blocksDone: true,
    diff: diffLines(given.startText, ""),
  };
  const none = { ownBoxes: [], appended: [], restoredBoxes: [] };
  return { text: given.startText, ...none, proposal };
}

interface ComparedBoxes {
  readonly own: TaskId[];
  /** The session's own flips, to be made in the session-start text. */
  readonly ownSplices: Splice[];
  readonly restored: RestoredBox[];
  /** Every other box as it was, to be made in the session-end text. */
  readonly endSplices: Splice[];
}

function compareBoxes(
  start: ManifestDocument,
  end: ManifestDocument,
  ownIds: readonly TaskId[],
  tasks: readonly Task[],
): ComparedBoxes {
  const startTasks = normaliseManifest(start).plan.tasks;
  const live = tasks.filter((task) => task.status !== "superseded");
  const { knownOf } = matchTasks(live.map(asKnown), startTasks);
  const idOf = (index: number): TaskId | undefined => live[knownOf[index] ?? -1]?.id;
  const asStart = startTasks.map((task, index) => ({
    // An id that nobody can write stands for a task that state does not know.
    id: task.explicitId ?? `#${index}`,
    name: task.name,
    title: task.title,
    isSettled: false,
  }));
  const match = matchTasks(asStart, normaliseManifest(end).plan.tasks);
  const result: ComparedBoxes = { own: [], ownSplices: [], restored: [], endSplices: [] };
  for (const [endIndex, startIndex] of match.knownOf.entries()) {
    const before = start.tasks[startIndex ?? -1];
    const after = end.tasks[endIndex];
    if (before === undefined || after === undefined || startIndex === undefined) continue;
    if (before.box.mark === after.box.mark) continue;
    const id = idOf(startIndex);
    if (id !== undefined && ownIds.includes(id) && after.box.checked && !before.box.checked) {
      result.own.push(id);
      result.ownSplices.push(markSplice(before.box, after.box.mark));
      continue;
    }
    result.endSplices.push(markSplice(after.box, before.box.mark));
    if (before.box.checked !== after.box.checked) {
      result.restored.push({ title: before.title, line: before.line, checked: before.box.checked });
    }
  }
  return result;
}

function markSplice(box: Box, mark: string): Splice {
  return { start: box.offset + 1, end: box.offset + 2, text: mark };
}

interface KeptAppend extends Append {
  readonly splice: Splice;
}

function appendsOf(start: ManifestDocument, end: ManifestDocument): KeptAppend[] {
  const names = ["References", "Notes"] as const;
  const appends = names.flatMap((name) => {
    const before = sectionsNamed(start, name)[0];
    const after = sectionsNamed(end, name)[0];
    if (after === undefined) return [];
    return before === undefined
      ? newSection(name, after, start, end)
      : appendedLines(name, before, after, start, end);
  });
  // Pieces put at one place are applied back to front: a section made last stays last.
  return appends.toSorted((a, b) => Number(b.isNew) - Number(a.isNew) || b.order - a.order);
}

type OrderedAppend = KeptAppend & { readonly isNew: boolean; readonly order: number };

function newSection(
  name: Append["section"],
  after: Section,
  start: ManifestDocument,
  end: ManifestDocument,
): OrderedAppend[] {
  const newline = newlineOf(start.text);
  const text = end.text.slice(after.start, after.end).trimEnd();
  const at = start.text.trimEnd().length;
  const splice = { start: at, end: at, text: newline + newline + text };
  return [{ section: name, text, splice, isNew: true, order: after.start }];
}

/** What follows the section's former text; a changed last line is no append. */
function appendedLines(
  name: Append["section"],
  before: Section,
  after: Section,
  start: ManifestDocument,
  end: ManifestDocument,
): OrderedAppend[] {
  const stays = start.text.slice(before.contentStart, before.end).trimEnd();
  const now = end.text.slice(after.contentStart, after.end);
  const added = now.startsWith(stays) ? now.slice(stays.length).trimEnd() : "";
  const isWholeLines = stays === "" || /^[ \t]*[\r\n]/.test(added);
  if (added.trim() === "" || !isWholeLines) return [];
  const at = before.contentStart + stays.length;
  const isGlued = !/[\r\n]$/.test(start.text.slice(0, at)) && !/^[ \t]*[\r\n]/.test(added);
  const text = isGlued ? newlineOf(start.text) + added : added;
  const splice = { start: at, end: at, text };
  return [{ section: name, text: added.trim(), splice, isNew: false, order: after.start }];
}

/** The session-start text with what may stay; appends that would disturb the tasks do not. */
function keep(
  start: ManifestDocument,
  ownSplices: readonly Splice[],
  appends: readonly KeptAppend[],
): { readonly text: string; readonly appended: readonly Append[] } {
  const withoutAppends = spliced(start.text, ownSplices);
  if (appends.length === 0) return { text: withoutAppends, appended: [] };
  const withAppends = spliced(start.text, [...ownSplices, ...appends.map((one) => one.splice)]);
  if (outline(parseManifest(withAppends)) !== outline(parseManifest(withoutAppends))) {
    return { text: withoutAppends, appended: [] };
  }
  const appended = appends.map(({ section, text }) => ({ section, text }));
  return { text: withAppends, appended: appended.toReversed() };
}

/** Blank lines around what a session may write are its own; any other character counts. */
function differsInBlankLinesOnly(a: string, b: string): boolean {
  return withoutBlankLines(a) === withoutBlankLines(b);
}

function withoutBlankLines(text: string): string {
  return text.replace(/(\r\n|\n|\r)\1+/g, "$1").trimEnd();
}

function outline(document: ManifestDocument): string {
  const sections = document.sections.map((section) => section.name);
  const others = sections.filter((name) => name !== "References" && name !== "Notes");
  return JSON.stringify([others, document.tasks.map((task) => [task.source, task.box.mark])]);
}

function proposalOf(
  given: GivenManifest,
  start: ManifestDocument,
  kept: string,
  end: ManifestDocument,
  remainder: string,
  disk: string,
): Proposal {
  const keptDocument = kept === start.text ? start : parseManifest(kept);
  const parts = changedParts(keptDocument, end, { before: kept, after: remainder });
  return {
    session: given.session,
    text: disk,
    isDeletion: false,
    base: kept,
    wanted: remainder,
    parts,
    blocksDone: parts.includes("Goal") || parts.includes("Steps"),
    diff: diffLines(kept, remainder),
  };
}

function spliced(text: string, splices: readonly Splice[]): string {
  let result = text;
  for (const { start, end, text: put } of splices.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + put + result.slice(end);
  }
  return result;
}
