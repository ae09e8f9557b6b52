// The tags that an act finds when it starts, kept until those that it made are taken over.
import { join } from "node:path";
import { readIfThere, removeDurably, writeDurably } from "../disk/durable-file.ts";

/** Before an act starts; `lines` are the refs that it finds, as "<object> <ref>". */
export function noteTags(home: string, lines: readonly string[]): void {
  writeDurably(noteFile(home), lines.filter((line) => line.includes(" refs/tags/")).join(""));
}

/** Null where no act has started, or all of its tags were taken over. */
export function notedTags(home: string): string | null {
  return readIfThere(noteFile(home))?.toString("utf8") ?? null;
}

/** Before anything else starts: its tags are its own. */
export function forgetTags(home: string): void {
  if (notedTags(home) !== null) removeDurably(noteFile(home));
}

function noteFile(home: string): string {
  return join(home, "tags-before-act");
}
