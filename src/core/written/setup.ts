// `setup:` names the commands that make a new workspace ready, in their order.
import { readable, type ReadValue, unreadable } from "./read-value.ts";

const CODE_SPAN = /^(`+)([^`]+)\1$/;

export function readSetup(value: unknown): ReadValue<readonly string[]> {
  const commands: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (commands.length === 0) return unreadable("expected a command, or a list of them");
  const read = commands.map(readCommand);
  const wrong = read.find((each) => !each.ok);
  if (wrong !== undefined && !wrong.ok) return wrong;
  return readable(read.flatMap((each) => (each.ok ? [each.value] : [])));
}

/** A command of one line; backticks around it are those of Markdown. */
export function readCommand(value: unknown): ReadValue<string> {
  if (typeof value !== "string") return unreadable("expected a command, or a list of them");
  const command = (CODE_SPAN.exec(value.trim())?.[2] ?? value).trim();
  if (command === "") return unreadable("the command is empty");
  if (/[\r\n\0]/.test(command)) {
    return unreadable("a command is one line; put more into a script, and name that");
  }
  return readable(command);
}
