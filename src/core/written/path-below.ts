// Paths that a person names below the root of their repository: relative, and never up again.
import { readable, type ReadValue, unreadable } from "./read-value.ts";

const CONTROL = /\p{Cc}/u;

/** Why a path is refused, or undefined when it leads below the root, or to it (`.`). */
export function pathBelowProblem(path: string): string | undefined {
  if (path.trim() === "") return "the path is empty";
  if (CONTROL.test(path)) return "the path holds a control character";
  if (path.includes("\\")) return `write "${path}" with forward slashes`;
  if (/^(?:\/|[A-Za-z]:)/.test(path)) return `"${path}" is absolute`;
  if (path.startsWith("~")) return `"${path}" leads to a home folder`;
  if (path.split("/").includes("..")) return `"${path}" holds ".."`;
  return undefined;
}

/** `dir:`, as a plain path; "" is the root itself. */
export function readDir(value: unknown): ReadValue<string> {
  if (typeof value !== "string") return unreadable("expected a folder below the root");
  const problem = pathBelowProblem(value);
  return problem === undefined ? readable(plainPath(value)) : unreadable(problem);
}

/** The same path without `.`, empty parts and a slash at its end; the root itself is "". */
export function plainPath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}
