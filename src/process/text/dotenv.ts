// What a `.env` file says, and which of its values are secrets. Nothing is expanded and nothing is executed: a file
// that somebody wrote for another reader is looked at as data.
import { isSecretValue } from "./redact.ts";

export interface Assignment {
  readonly name: string;
  readonly value: string;
}

/** `export NAME = value # comment`; a value in quotes may go over lines. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*(?:"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\n#]*(?:#(?<! #)[^\n#]*)*))/gm;

export function assignmentsIn(text: string): Assignment[] {
  return [...text.replaceAll("\r\n", "\n").matchAll(ASSIGNMENT)].map(
    ([, name = "", double, single, back, plain]) => ({
      name,
      value: double === undefined ? (single ?? back ?? plain ?? "").trim() : unescaped(double),
    }),
  );
}

/** As a program gets it that reads the file. */
function unescaped(quoted: string): string {
  return quoted.replace(/\\([\s\S])/g, (_, letter: string) => (letter === "n" ? "\n" : letter));
}

/** The values that no text may show. */
export function secretsIn(text: string): string[] {
  return assignmentsIn(text)
    .filter(({ name, value }) => isSecretValue(name, value))
    .map(({ value }) => value);
}
