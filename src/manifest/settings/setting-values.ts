// What a setting of the front matter may hold: how a value is judged, and which value was clearly meant by a wrong one.
import { objectIn } from "../../core/json-line.ts";
import { durationMeant, durationProblem, parseDuration } from "../../core/written/times.ts";
import { nearMiss } from "../../core/words/edit-distance.ts";
import type { ReadValue } from "../../core/written/workspace-settings.ts";

export interface Setting {
  /** What is wrong with a value, as it follows the name of the key; undefined where nothing is. */
  readonly problem: (value: unknown) => string | undefined;
  /** The value that a wrong one clearly means, as it is written; undefined where that is not clear. */
  readonly meant?: (value: unknown) => string | undefined;
  /** Only shows the form. */
  readonly example: string;
}

type Judge = Setting["problem"];

/** What a reader in core/ judges. */
export function readBy(read: (value: unknown) => ReadValue<unknown>): Judge {
  return (value) => {
    const judged = read(value);
    return judged.ok ? undefined : `: ${judged.reason}`;
  };
}

export function expects(expected: string, accepts: (value: unknown) => boolean): Judge {
  return (value) => (accepts(value) ? undefined : ` is ${expected}`);
}

export function textThat(expected: string, holds: (text: string) => boolean): Judge {
  return expects(expected, (value) => typeof value === "string" && holds(value));
}

/** `called` are other words for one of them. */
export function oneOf(
  words: readonly string[],
  called: Readonly<Record<string, string>> = {},
): Pick<Setting, "problem" | "meant"> {
  const listed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return {
    problem: textThat(listed, (text) => words.includes(text)),
    meant: (value) => wordMeant(value, words, called),
  };
}

/** Words for yes and no that YAML does not read as such. */
export const YES_OR_NO: Pick<Setting, "problem" | "meant"> = {
  problem: expects("true or false", (value) => typeof value === "boolean"),
  meant: (value) =>
    wordMeant(value, ["true", "false"], { yes: "true", on: "true", no: "false", off: "false" }),
};

export function wordMeant(
  value: unknown,
  words: readonly string[],
  called: Readonly<Record<string, string>> = {},
): string | undefined {
  const written = scalarText(value)?.trim().toLowerCase().replaceAll(/[_ ]/g, "-");
  if (written === undefined) return undefined;
  const same = words.find((word) => word === written);
  const other = Object.hasOwn(called, written) ? called[written] : undefined;
  // "no" is as near to "on" as a typing error.
  return same ?? other ?? (written.length < 3 ? undefined : nearMiss(written, words));
}

export const DURATION: Pick<Setting, "problem" | "meant"> = {
  problem: (value) => {
    if (typeof value === "string" && parseDuration(value) !== undefined) return undefined;
    return `: ${durationProblem(scalarText(value) ?? "")}`;
  },
  meant: (value) => durationMeant(scalarText(value) ?? ""),
};

/** A list of names that was written as one text, or one name alone. */
export function namesMeant(value: unknown, isName: (text: string) => boolean): string | undefined {
  if (typeof value !== "string") return undefined;
  const names = value
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== "");
  return names.length > 0 && names.every(isName) ? `[${names.join(", ")}]` : undefined;
}

/** Of a text, a number, or true and false; undefined for lists, maps and nothing. */
export function scalarText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return objectIn(value) !== undefined;
}
