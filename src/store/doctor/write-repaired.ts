// The one write of the doctor: a revision above every other, with a journal that leads up to it.
import type { ProjectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { encodeRevision } from "../revision/carried.ts";
import { ensureFolder, replaceDurably } from "../durable.ts";
import { sealLine } from "../journal-codec.ts";
import { type readableLines, rebuildJournal } from "./salvage-journal.ts";
import { StateEncoder } from "../state-codec.ts";
import type { Claim, RegistryEntry } from "../store.ts";
import type { DoctorFiles } from "./doctor-files.ts";

export interface Rewriting {
  readonly entry: RegistryEntry;
  /** The content to go on with. */
  readonly state: ProjectState;
  /** What it carries. */
  readonly kept?: ReadonlyMap<string, Buffer>;
  /** Journal lines that are left, by revision. */
  readonly lines: ReturnType<typeof readableLines>;
  /** The highest revision that ever left a trace; the repaired one comes after it. */
  readonly highest: number;
  readonly fence: number;
  readonly claim: Claim;
  readonly inferred: readonly string[];
}

/** @returns what was lost on the way, one line each */
export function writeRepaired(doctorFiles: DoctorFiles, rewriting: Rewriting): string[] {
  const { entry, state, lines, highest, claim, fence, inferred } = rewriting;
  const { files } = doctorFiles;
  const shadow = doctorFiles.shadow(entry.project_id);
  const happening = doctorFiles.happening("state-repaired", claim, inferred);
  const journal = rebuildJournal(lines, highest, happening.at);
  const line = sealLine(journal.tail, { ...happening, type: "fact" });
  const repaired: ProjectState = {
    ...state,
    revision: line.entry.revision,
    fence,
    updated_at: happening.at,
    last_event: line.entry,
  };
  ensureFolder(files, shadow.states);
  const carried = { files: rewriting.kept ?? new Map(), lines: [] };
  const bytes = encodeRevision(new StateEncoder().encode(repaired), carried);
  if (!doctorFiles.revisions(entry.project_id).create(repaired.revision, bytes, fence)) {
    throw new StintError(
      "state-changed",
      `${entry.project_id} was written by another owner while it was being repaired`,
      `Look again: stint doctor ${entry.project_id}`,
    );
  }
  replaceDurably(
    files,
    shadow.journal,
    Buffer.concat([journal.bytes, line.bytes]),
    doctorFiles.tag,
  );
  if (journal.lost.length === 0) return [];
  return [`the journal lines of ${ranges(journal.lost)} are lost; each is marked so`];
}

/** "revision 3" or "revisions 3–7, 9". */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; i += 1) {
    const start = numbers[i];
    while (numbers[i + 1] === (numbers[i] ?? 0) + 1) i += 1;
    parts.push(start === numbers[i] ? `${start}` : `${start}–${numbers[i]}`);
  }
  return `revision${numbers.length === 1 ? "" : "s"} ${parts.join(", ")}`;
}
