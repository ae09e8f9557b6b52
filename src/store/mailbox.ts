// Where answers lie while a run is live: only the holder of the lease writes, so whoever answers leaves
// a letter, and the run takes it up. A letter is sealed with the approver's key; what is not is nobody's.
import type { Letter } from "../core/answers.ts";
import type { AnswerId, ProjectId } from "../core/ids.ts";

/** A letter as it was found. */
export type Mail =
  | { readonly kind: "letter"; readonly name: string; readonly letter: Letter }
  /** Not sealed with the key, cut, or not for this project. */
  | { readonly kind: "foreign"; readonly name: string; readonly why: string };

export interface Mailbox {
  /** Leaves a letter, durably. Leaving it again changes nothing. */
  drop(id: ProjectId, letter: Letter): void;
  /** What lies there, oldest answer first. */
  waiting(id: ProjectId): readonly Mail[];
  /** Whether a letter still lies there. */
  isWaiting(id: ProjectId, answer: AnswerId): boolean;
  /** A letter whose answer is in the journal. Safe to repeat. */
  remove(id: ProjectId, name: string): void;
  /** Out of the way, kept for people to look at. @returns where */
  setAside(id: ProjectId, name: string): string;
  /** Calls back whenever something may have come or gone. @returns how to end it */
  watch(id: ProjectId, onChange: () => void): () => void;
}
