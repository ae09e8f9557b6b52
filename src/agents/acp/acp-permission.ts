// What an agent that asks for permission is answered: by rules, never by asking a person. Pure.
//
// Only this one call is ever allowed, as long as the agent offers that: an answer "always" would end its asking, and
// with it the refusal of the next command. What it does without asking cannot be refused here.
import {
  type JsonObject,
  objectIn,
  objectsIn,
  parseJsonLine,
  stringIn,
  stringsIn,
} from "../../core/json-line.ts";
import { type DestructiveCommand, isCommand } from "../session-command.ts";
import type { AcpJob } from "./acp-job.ts";

export interface PermissionAnswer {
  readonly isAllowed: boolean;
  /** Of the option that is chosen; undefined where the agent offers none that fits. */
  readonly option: string | undefined;
  /** What was asked for, in the words that a person would recognise. */
  readonly command: string;
}

/** Kinds of tools that change nothing. */
const READING = new Set(["read", "search", "think", "fetch"]);

/** Kinds whose input is no command, whatever words it holds. */
const NO_COMMAND = new Set([...READING, "edit", "delete", "move", "switch_mode"]);

export function answerPermission(
  { permission, refused }: Pick<AcpJob, "permission" | "refused">,
  call: JsonObject,
  options: unknown,
): PermissionAnswer {
  const command = commandOf(call);
  const isAllowed =
    permission === "dangerous" ||
    (permission === "read-only"
      ? READING.has(stringIn(call["kind"]) ?? "")
      : !isRefused(refused, call));
  const kinds = isAllowed
    ? permission === "dangerous"
      ? ["allow_once", "allow_always"]
      : ["allow_once"]
    : ["reject_once", "reject_always"];
  const offered = objectsIn(options);
  const option = kinds
    .map((kind) => offered.find((each) => each["kind"] === kind))
    .map((each) => stringIn(each?.["optionId"]))
    .find((id) => id !== undefined);
  return { isAllowed: isAllowed && option !== undefined, option, command };
}

/** The command of a call, else what the agent calls it. */
export function commandOf(call: JsonObject): string {
  const [command] = [...commandsIn(call["rawInput"]), ...contentOf(call).flatMap(commandsInText)];
  return (command ?? stringIn(call["title"]) ?? "").trim();
}

/** The texts that a call is shown with. */
function contentOf(call: JsonObject): readonly string[] {
  return objectsIn(call["content"])
    .map((part) => stringIn(objectIn(part["content"])?.["text"]))
    .filter((text) => text !== undefined);
}

/** Some agents show the arguments of a call as text, and have no other place for them. */
function commandsInText(text: string): readonly string[] {
  return commandsIn(parseJsonLine(text));
}

function isRefused(refused: readonly DestructiveCommand[], call: JsonObject): boolean {
  if (NO_COMMAND.has(stringIn(call["kind"]) ?? "")) return false;
  const shown = contentOf(call).flatMap((text) => [text, ...commandsInText(text)]);
  const words = [...commandsIn(call["rawInput"]), ...shown, stringIn(call["title"]) ?? ""];
  return words.some((text) => refused.some((known) => isCommand(known, text.replace(/\s+/g, " "))));
}

const COMMAND_FIELDS = ["command", "cmd", "commands", "script", "shell_command", "code"];

/** Agents name the field as they like, and give a text or words; some put it one level deeper. */
function commandsIn(input: unknown, depth = 0): readonly string[] {
  const fields = objectIn(input);
  if (fields === undefined || depth > 2) return [];
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!COMMAND_FIELDS.includes(name)) return commandsIn(value, depth + 1);
    const text = stringIn(value) ?? stringsIn(value).join(" ");
    const args = stringsIn(fields["args"]).join(" ");
    return text === "" ? [] : [args === "" ? text : `${text} ${args}`];
  });
}
