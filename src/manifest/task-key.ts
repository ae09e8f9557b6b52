// The keys a task may carry, and how an item is recognised as one.

export const TASK_KEYS = [
  "check",
  "approve",
  "run",
  "webhook",
  "after",
  "agent",
  "timeout",
  "delegate",
  "id",
  "docs-only",
  "limit",
  "dir",
  "in",
] as const;

export type TaskKey = (typeof TASK_KEYS)[number];

/** Every key but `docs-only` needs its colon, so that "Run the tests" stays a sub-step. */
const KEY = /^([a-z]+)[ \t]*:([^]*)$/i;
const DOCS_ONLY = /^docs-only[ \t]*:?$/i;

export function readKey(text: string): { key: TaskKey; value: string } | undefined {
  if (DOCS_ONLY.test(text)) return { key: "docs-only", value: "" };
  const match = KEY.exec(text);
  const word = match?.[1]?.toLowerCase();
  const key = TASK_KEYS.find((candidate) => candidate === word);
  return key === undefined ? undefined : { key, value: (match?.[2] ?? "").trim() };
}
