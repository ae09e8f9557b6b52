// What a session did to the manifest. Its own boxes and what it appended to References and Notes
// stay; other boxes go back; any other change is set aside whole and the session-start text returns.
import type { TaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { withoutChunks } from "../../core/step/chunks.ts";
import { asKnown } from "./reconcile-manifest.ts";
import {
  changedParts,
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

export function settleSession(given: GivenManifest, tasks: readonly Task[], disk: string): Settled {
  const start = parseManifest(given.startText);
  const end = parseManifest(disk);
  const boxes = compareBoxes(start, end, given.taskIds, tasks);
  const appends = appendsOf(start, end);
  const kept = keep(start, boxes.ownSplices, appends);
  // The session's text with every box as it is kept: what still differs is more than boxes.
  const wanted = spliced(disk, boxes.endSplices);
  const isAllKept = kept.hasAppends && differsInBlankLinesOnly(kept.text, wanted);
  const text = isAllKept ? wanted : kept.text;
  const settled = { text, ownBoxes: boxes.own, restoredBoxes: boxes.restored };
  if (text === wanted) return settled;
  const parts = changedParts(parseManifest(text), end, { before: text, after: wanted });
  const left = { session: given.session, text: disk, base: text, wanted };
  return { ...settled, proposal: proposalOf(left, parts) };
}

function proposalOf(
  left: Pick<Proposal, "session" | "text" | "base" | "wanted">,
  parts: Proposal["parts"],
): Proposal {
  const blocksDone = parts.includes("Goal") || parts.includes("Steps");
  return { ...left, parts, blocksDone, diff: diffLines(left.base, left.wanted) };
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
  const live = withoutChunks(tasks).filter((task) => task.status !== "superseded");
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
      result.restored.push({ title: before.title });
    }
  }
  return result;
}

function markSplice(box: Box, mark: string): Splice {
  return { start: box.offset + 1, end: box.offset + 2, text: mark };
}

/** What a session put below the text of a section, or as a section of its own. */
interface Append extends Splice {
  readonly isNew: boolean;
  readonly order: number;
}

function appendsOf(start: ManifestDocument, end: ManifestDocument): Append[] {
  const names = ["References", "Notes"] as const;
  const appends = names.flatMap((name) => {
    const before = sectionsNamed(start, name)[0];
    const after = sectionsNamed(end, name)[0];
    if (after === undefined) return [];
    return before === undefined
      ? newSection(after, start, end)
      : appendedLines(before, after, start, end);
  });
  // Pieces put at one place are applied back to front: a section made last stays last.
  return appends.toSorted((a, b) => Number(b.isNew) - Number(a.isNew) || b.order - a.order);
}

function newSection(after: Section, start: ManifestDocument, end: ManifestDocument): Append[] {
  const newline = newlineOf(start.text);
  const text = newline + newline + end.text.slice(after.start, after.end).trimEnd();
  const at = start.text.trimEnd().length;
  return [{ start: at, end: at, text, isNew: true, order: after.start }];
}

/** What follows the section's former text; a changed last line is no append. */
function appendedLines(
  before: Section,
  after: Section,
  start: ManifestDocument,
  end: ManifestDocument,
): Append[] {
  const stays = start.text.slice(before.contentStart, before.end).trimEnd();
  const now = end.text.slice(after.contentStart, after.end);
  const added = now.startsWith(stays) ? now.slice(stays.length).trimEnd() : "";
  const isWholeLines = stays === "" || /^[ \t]*[\r\n]/.test(added);
  if (added.trim() === "" || !isWholeLines) return [];
  const at = before.contentStart + stays.length;
  const isGlued = !/[\r\n]$/.test(start.text.slice(0, at)) && !/^[ \t]*[\r\n]/.test(added);
  const text = isGlued ? newlineOf(start.text) + added : added;
  return [{ start: at, end: at, text, isNew: false, order: after.start }];
}

/** The session-start text with what may stay; appends that would disturb the tasks do not. */
function keep(
  start: ManifestDocument,
  ownSplices: readonly Splice[],
  appends: readonly Append[],
): { readonly text: string; readonly hasAppends: boolean } {
  const without = spliced(start.text, ownSplices);
  const text = spliced(start.text, [...ownSplices, ...appends]);
  const hasAppends =
    appends.length > 0 && outline(parseManifest(text)) === outline(parseManifest(without));
  return { text: hasAppends ? text : without, hasAppends };
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

function spliced(text: string, splices: readonly Splice[]): string {
  let result = text;
  for (const { start, end, text: put } of splices.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + put + result.slice(end);
  }
  return result;
}
