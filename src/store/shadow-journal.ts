// The journal in the shadow: line N belongs to revision N and has one place in the file. Opening
// it proves the whole file and heals the one gap a crash can leave: the last line.
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { flushFile, readIfPresent, writeAtDurably } from "./durable.ts";
import type { Files } from "./files.ts";
import { advance, type JournalTail, lineOf, tailBefore } from "./journal-codec.ts";
import { corrupt } from "./revision-files.ts";
import { orHardStop } from "./unwritable.ts";

export interface OpenedJournal {
  readonly bytes: Buffer;
  readonly tail: JournalTail;
  readonly healed: readonly string[];
}

export type JournalVerdict =
  | { readonly kind: "whole"; readonly tail: JournalTail }
  /** Everything up to the last line is right; the last line is missing, cut or damaged. */
  | { readonly kind: "healable"; readonly before: JournalTail; readonly line: Buffer }
  | { readonly kind: "broken"; readonly reason: string };

/** Judges journal bytes against the state they must lead up to. */
export function judgeJournal(bytes: Buffer, state: ProjectState): JournalVerdict {
  const entry = state.last_event;
  if (entry === null || entry.revision !== state.revision) {
    return { kind: "broken", reason: "the state does not name its own last event" };
  }
  const before = tailBefore(entry, bytes);
  if (before === undefined) {
    return {
      kind: "broken",
      reason: `a line before revision ${state.revision} is lost or changed`,
    };
  }
  const line = lineOf(entry);
  const rest = bytes.subarray(before.size);
  if (rest.equals(line)) return { kind: "whole", tail: advance(before, line) };
  // A line is written only after its state is durable, so a crash never leaves more than this line.
  if (rest.length > line.length) {
    return {
      kind: "broken",
      reason: `it goes on after revision ${state.revision}, the last state`,
    };
  }
  return { kind: "healable", before, line };
}

/** @throws state-corrupt when more is wrong than a crash can explain */
export function openJournal(
  files: Files,
  path: string,
  state: ProjectState,
  id: ProjectId,
): OpenedJournal {
  const bytes = orHardStop("read", path, () => readIfPresent(files, path)) ?? Buffer.alloc(0);
  const verdict = judgeJournal(bytes, state);
  switch (verdict.kind) {
    case "whole":
      flushFile(files, path);
      return { bytes, tail: verdict.tail, healed: [] };
    case "broken":
      throw corrupt(`${path} cannot be trusted: ${verdict.reason}`, id);
    case "healable": {
      const { before, line } = verdict;
      // Written over what is left of it, which is no longer than the line. Cutting the file first
      // would cost the lines of a successor, when this process stood still before the cut.
      writeAtDurably(files, path, before.size, line);
      return {
        bytes: Buffer.concat([bytes.subarray(0, before.size), line]),
        tail: advance(before, line),
        healed: [`${path} missed the line of revision ${state.revision}; wrote it from the state`],
      };
    }
    default:
      return verdict satisfies never;
  }
}
