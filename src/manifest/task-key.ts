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
] as const;

export type TaskKey = (typeof TASK_KEYS)[number];

/** Every key but `docs-only` needs its colon, so that "Run the tests" stays a sub-step. */
const KEY = /^(check|approve|run|webhook|after|agent|timeout|delegate|id|limit)[ \t]*:([^]*)$/i;
const DOCS_ONLY = /^docs-only[ \t]*:?$/i;

export function readKey(text: string): { key: TaskKey; value: string } | undefined {
  const match = KEY.exec(text);
  if (match !== null) {
    return { key: (match[1] ?? "").toLowerCase() as TaskKey, value: (match[2] ?? "").trim() };
  }
  return DOCS_ONLY.test(text) ? { key: "docs-only", value: "" } : undefined;
}
