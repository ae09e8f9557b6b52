// One entry in the JSON settings of an agent: a member of a member of the root. Put in and taken out again, every byte is
// as before: it is put first in its object, and a member that was made for it, or a whole file, looks as nobody else's
// does. Pure.
import { isDeepStrictEqual } from "node:util";
import type { Look } from "./entry.ts";
import { type JsonMember, type JsonNode, readJson } from "./json-text.ts";

export interface JsonEntry {
  /** The member of the root that holds the servers. */
  readonly container: string;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export function lookInJson(text: string, entry: JsonEntry): Look {
  const found = find(text, entry);
  if (typeof found === "string") return { state: "unreadable", why: found };
  if (found.own === undefined) return { state: "absent" };
  return { state: isDeepStrictEqual(found.own.node.value, entry.value) ? "current" : "edited" };
}

/** Of a text that lookInJson finds absent; undefined: there is no file. */
export function putIntoJson(text: string | undefined, entry: JsonEntry): string {
  if (text === undefined) return wholeFile(entry);
  const found = find(text, entry);
  if (typeof found === "string") throw new Error(found);
  const { root, container } = found;
  if (container === undefined) {
    return first(text, root, memberOf(entry), (gap) => madeMember(entry, gap));
  }
  return first(text, container.node, ownMember(entry), () => ownMember(entry));
}

/** Of a text that lookInJson finds current. Undefined: it was made for the entry, and the file goes with it. */
export function takeFromJson(text: string, entry: JsonEntry): string | undefined {
  if (text === wholeFile(entry)) return undefined;
  const found = find(text, entry);
  if (typeof found === "string" || found.own === undefined || found.container === undefined) {
    throw new Error("there is no such entry");
  }
  const { root, container, own } = found;
  const isAlone = container.node.members?.length === 1;
  if (!isAlone) return without(text, container.node, own);
  const written = text.slice(container.start, container.node.end);
  const gap = gapIn(text, root);
  const isMade = [memberOf(entry), madeMember(entry, gap)].includes(written);
  return isMade ? without(text, root, container) : without(text, container.node, own);
}

interface Found {
  readonly root: JsonNode;
  readonly container: JsonMember | undefined;
  readonly own: JsonMember | undefined;
}

/** @returns the places, or why they cannot be told */
function find(text: string, { container: holding, name }: JsonEntry): Found | string {
  const root = readJson(text);
  if (typeof root === "string") return root;
  if (root.members === undefined) return "it is not an object";
  const [container, ...more] = root.members.filter(({ key }) => key === holding);
  if (more.length > 0) return `"${holding}" occurs twice`;
  if (container === undefined) return { root, container, own: undefined };
  if (container.node.members === undefined) return `"${holding}" is not an object`;
  const [own, ...others] = container.node.members.filter(({ key }) => key === name);
  if (others.length > 0) return `"${name}" occurs twice`;
  return { root, container, own };
}

/** On one line. */
function ownMember({ name, value }: JsonEntry): string {
  const written = JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, " ")
    .replaceAll(/\[ | \]/g, (each) => each.trim());
  return `${JSON.stringify(name)}: ${written}`;
}

/** With what holds it, on one line. The blanks say that it was made: into braces that were there nothing puts any. */
function memberOf(entry: JsonEntry): string {
  return `${JSON.stringify(entry.container)}: { ${ownMember(entry)} }`;
}

/** With what holds it, on lines of its own, indented as the members beside it. */
function madeMember(entry: JsonEntry, gap: string): string {
  if (!gap.includes("\n")) return memberOf(entry);
  const indent = gap.slice(gap.lastIndexOf("\n") + 1);
  const line = gap.slice(0, gap.length - indent.length);
  const inner = `${line}${indent}${indent === "" ? "  " : indent}`;
  return `${JSON.stringify(entry.container)}: {${inner}${ownMember(entry)}${line}${indent}}`;
}

function wholeFile(entry: JsonEntry): string {
  return `{\n  ${madeMember(entry, "\n  ")}\n}\n`;
}

/** Puts a member directly after the opening brace, with the same blanks before it as before the one that was first. */
function first(
  text: string,
  object: JsonNode,
  alone: string,
  beside: (gap: string) => string,
): string {
  const at = object.start + 1;
  if (object.members?.length === 0) return text.slice(0, at) + alone + text.slice(at);
  const gap = gapIn(text, object);
  return `${text.slice(0, at)}${gap}${beside(gap)},${text.slice(at)}`;
}

/** The blanks after the opening brace; none where they are more than a new line. */
function gapIn(text: string, object: JsonNode): string {
  const blanks = /^\s*/.exec(text.slice(object.start + 1))?.[0] ?? "";
  return (blanks.match(/\n/g) ?? []).length <= 1 ? blanks : "";
}

const COMMA = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/;

/** Takes out a member with what was put in beside it: the blanks before it, and one comma. */
function without(text: string, object: JsonNode, member: JsonMember): string {
  const members = object.members ?? [];
  const before = members[members.indexOf(member) - 1];
  const rest = text.slice(member.node.end);
  if (before === undefined) {
    return text.slice(0, object.start + 1) + rest.slice(COMMA.exec(rest)?.[0].length ?? 0);
  }
  // Somebody put another before it: the comma between the two goes, and one that follows stays.
  const between = text.slice(before.node.end, member.start);
  const comma = (COMMA.exec(between)?.[0].length ?? 1) - 1;
  const kept = between.slice(0, comma) + between.slice(comma + 1);
  return text.slice(0, before.node.end) + kept.trimEnd() + rest;
}
