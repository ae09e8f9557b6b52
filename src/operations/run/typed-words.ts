// What was typed of a run's settings, as it is typed again: for the command that does what was shown.
import { shellWord } from "../../core/written/commands.ts";
import type { TypedSettings } from "./run-settings.ts";

export function typedWords(typed: TypedSettings): string {
  const {
    agent,
    fallback = [],
    session,
    includeChanges,
    inPlace,
    workspace,
    deliver,
    push,
  } = typed;
  const words: readonly (readonly [flag: string, value: string | boolean | undefined])[] = [
    ["agent", agent],
    ...fallback.map((each) => ["fallback", each] as const),
    ["session", session],
    ["include-changes", includeChanges],
    ["in-place", inPlace],
    ["workspace", workspace],
    ["deliver", deliver],
    ["push", push],
  ];
  return words
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([flag, value]) =>
      typeof value === "string" ? ` --${flag} ${shellWord(value)}` : ` --${flag}`,
    )
    .join("");
}
