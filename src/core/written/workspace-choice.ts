// `workspace:` says where sessions work: in a copy that they see at the repository's path, in a copy at
// its own path, or in the folder itself.
import { readable, type ReadValue, unreadable } from "./read-value.ts";

export const WORKSPACE_WORDS = ["copy", "in-place", "own-path"] as const;
export type WorkspaceWord = (typeof WORKSPACE_WORDS)[number];

/** As written. `dir` moves the copies; it is a setting of a machine, and no manifest has it. */
export interface WorkspaceWish {
  readonly kind?: WorkspaceWord;
  readonly dir?: string;
}

export function readWorkspaceWord(value: unknown): ReadValue<WorkspaceWord> {
  const word = WORKSPACE_WORDS.find((each) => each === value);
  return word === undefined ? unreadable("expected copy, in-place or own-path") : readable(word);
}

export function readWorkspaceDir(value: unknown): ReadValue<string> {
  if (typeof value !== "string" || !/^(?:\/|~(?:\/|$)|[A-Za-z]:[\\/])/.test(value)) {
    return unreadable("expected an absolute folder, or one below ~/");
  }
  return /\p{Cc}/u.test(value)
    ? unreadable("the folder holds a control character")
    : readable(value);
}
