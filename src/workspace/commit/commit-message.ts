// The message of a commit, with the trailers by which it is known again after a crash.
import type { CommitRequest } from "../workspace.ts";

type Trailers = CommitRequest["trailers"];

export function withTrailers(message: string, trailers: Trailers): string {
  const text = message.trim();
  return trailers.length === 0 ? `${text}\n` : `${text}\n\n${linesOf(trailers).join("\n")}\n`;
}

/** A hook may have rewritten the message. */
export function withMissingTrailers(message: string, trailers: Trailers): string {
  const has = new Set(message.split("\n").map((line) => line.trim()));
  const missing = linesOf(trailers).filter((line) => !has.has(line));
  return missing.length === 0
    ? `${message.trim()}\n`
    : `${message.trim()}\n\n${missing.join("\n")}\n`;
}

export function carries(message: string, trailers: Trailers): boolean {
  const has = new Set(message.split("\n").map((line) => line.trim()));
  return trailers.length > 0 && linesOf(trailers).every((line) => has.has(line));
}

function linesOf(trailers: Trailers): string[] {
  return trailers.map(([name, value]) => `${name}: ${value.replace(/\s+/g, " ").trim()}`);
}
