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
  /** The rules allow it, and the agent offers no answer that allows this one call: what it offers instead. */
  readonly instead?: string;
}

/** Kinds of tools that change nothing. A kind is the agent's own word: a call that names a command is one. */
const READING = new Set(["read", "search", "think", "fetch"]);

/** Kinds that are shown with texts which are no command, whatever words they hold. */
const NO_COMMAND = new Set([...READING, "edit", "delete", "move", "switch_mode"]);

export function answerPermission(
  { permission, refused }: Pick<AcpJob, "permission" | "refused">,
  call: JsonObject,
  options: unknown,
): PermissionAnswer {
  const command = commandOf(call);
  const isRight =
    permission === "dangerous" ||
    (permission === "read-only"
      ? READING.has(kindOf(call)) && commandsOf(call).length === 0
      : !isRefused(refused, call));
  const offered = objectsIn(options);
  const chosen = (kinds: readonly string[]): string | undefined =>
    kinds
      .map((kind) => offered.find((each) => each["kind"] === kind))
      .map((each) => stringIn(each?.["optionId"]))
      .find((id) => id !== undefined);
  const always = permission === "dangerous" ? ["allow_always"] : [];
  const yes = isRight ? chosen(["allow_once", ...always]) : undefined;
  if (yes !== undefined) return { isAllowed: true, option: yes, command };
  const no = { isAllowed: false, option: chosen(["reject_once", "reject_always"]), command };
  if (!isRight) return no;
  const kinds = offered.map((each) => stringIn(each["kind"]) ?? "nothing").slice(0, 8);
  return { ...no, instead: kinds.join(", ") || "nothing" };
}

function kindOf(call: JsonObject): string {
  return stringIn(call["kind"]) ?? "";
}

/** The command of a call, else what the agent calls it. */
export function commandOf(call: JsonObject): string {
  return (commandsOf(call)[0] ?? stringIn(call["title"]) ?? "").trim();
}

/** Every command that a call names, in its input or in what it is shown with. */
function commandsOf(call: JsonObject): readonly string[] {
  const fields = NO_COMMAND.has(kindOf(call)) ? SURE_FIELDS : COMMAND_FIELDS;
  // Some agents show the arguments of a call as text, and have no other place for them.
  const shown = contentOf(call).flatMap((text) => commandsIn(parseJsonLine(text), fields));
  return [...commandsIn(call["rawInput"], fields), ...shown];
}

/** The texts that a call is shown with. */
function contentOf(call: JsonObject): readonly string[] {
  return objectsIn(call["content"])
    .map((part) => stringIn(objectIn(part["content"])?.["text"]))
    .filter((text) => text !== undefined);
}

function isRefused(refused: readonly DestructiveCommand[], call: JsonObject): boolean {
  const told = [stringIn(call["rawInput"]) ?? "", stringIn(call["title"]) ?? ""];
  const shown = NO_COMMAND.has(kindOf(call)) ? [] : [...told, ...contentOf(call)];
  return [...commandsOf(call), ...shown].some((text) =>
    refused.some((known) => isCommand(known, text.replace(/\s+/g, " "))),
  );
}

const SURE_FIELDS = ["command", "cmd", "commands", "shell_command"];
/** Where files are edited, these hold what is written. */
const COMMAND_FIELDS = [...SURE_FIELDS, "script", "code"];

/** Agents name the field as they like, and give a text or words; some put it a few levels deeper, or in a list. */
function commandsIn(input: unknown, named: readonly string[], depth = 0): readonly string[] {
  if (depth > 4) return [];
  if (Array.isArray(input)) return input.flatMap((each) => commandsIn(each, named, depth + 1));
  const fields = objectIn(input) ?? {};
  return Object.entries(fields).flatMap(([name, value]) => {
    const text = named.includes(name) ? (stringIn(value) ?? stringsIn(value).join(" ")) : "";
    if (text.trim() === "") return commandsIn(value, named, depth + 1);
    const args = stringsIn(fields["args"]).join(" ");
    return [args === "" ? text : `${text} ${args}`];
  });
}
