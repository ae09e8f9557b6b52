// The journal in the shadow: line N belongs to revision N and has one place in the file. Opening
// it proves the whole file and heals the one gap a crash can leave: the lines since it was last flushed,
// which the state carries.
import type { ProjectId } from "../core/ids.ts";
import type { JournalEntry, ProjectState } from "../core/schema/project.ts";
import { flushFile, readIfPresent, writeAtDurably } from "./durable.ts";
import type { Files } from "./files.ts";
import { advance, type JournalTail, lineOf, tailBefore } from "./journal-codec.ts";
import { corrupt, type StoredRevision } from "./revision/revision-files.ts";
import { orHardStop } from "./unwritable.ts";

export interface OpenedJournal {
  readonly bytes: Buffer;
  readonly tail: JournalTail;
  readonly healed: readonly string[];
}

export type JournalVerdict =
  | { readonly kind: "whole"; readonly tail: JournalTail }
  /** Everything that was flushed is right; of the lines after it some are missing, cut or damaged. */
  | { readonly kind: "healable"; readonly before: JournalTail; readonly lines: Buffer }
  | { readonly kind: "broken"; readonly reason: string };

/** Judges journal bytes against the state they must lead up to, and the lines that it carries. */
export function judgeJournal(
  bytes: Buffer,
  state: ProjectState,
  carried: readonly JournalEntry[],
): JournalVerdict {
  const last = state.last_event;
  if (last === null || last.revision !== state.revision) {
    return { kind: "broken", reason: "the state does not name its own last event" };
  }
  const entries = [...carried, last];
  const [first = last] = entries;
  const before = tailBefore(first, bytes);
  if (before === undefined) {
    return {
      kind: "broken",
      reason: `a line before revision ${first.revision} is lost or changed`,
    };
  }
  const lines = Buffer.concat(entries.map(lineOf));
  const rest = bytes.subarray(before.size);
  if (rest.equals(lines)) return { kind: "whole", tail: tailAfter(before, entries) };
  // A line is written only after its state is durable, so a crash never leaves more than these lines.
  if (rest.length > lines.length) {
    return {
      kind: "broken",
      reason: `it goes on after revision ${state.revision}, the last state`,
    };
  }
  return { kind: "healable", before, lines };
}

function tailAfter(before: JournalTail, entries: readonly JournalEntry[]): JournalTail {
  return entries.reduce((tail, entry) => advance(tail, lineOf(entry)), before);
}

/** @throws state-corrupt when more is wrong than a crash can explain */
export function openJournal(
  files: Files,
  path: string,
  { state, carried: { lines } }: Pick<StoredRevision, "state" | "carried">,
  id: ProjectId,
): OpenedJournal {
  const bytes = orHardStop("read", path, () => readIfPresent(files, path)) ?? Buffer.alloc(0);
  const verdict = judgeJournal(bytes, state, lines);
  switch (verdict.kind) {
    case "whole":
      flushFile(files, path);
      return { bytes, tail: verdict.tail, healed: [] };
    case "broken":
      throw corrupt(`${path} cannot be trusted: ${verdict.reason}`, id);
    case "healable": {
      const { before } = verdict;
      // Written over what is left of them, which is no longer than they are. Cutting the file first
      // would cost the lines of a successor, when this process stood still before the cut.
      writeAtDurably(files, path, before.size, verdict.lines);
      const last = state.last_event === null ? [] : [state.last_event];
      return {
        bytes: Buffer.concat([bytes.subarray(0, before.size), verdict.lines]),
        tail: tailAfter(before, [...lines, ...last]),
        healed: [`${path} missed the line of revision ${state.revision}; wrote it from the state`],
      };
    }
    default:
      return verdict satisfies never;
  }
}
