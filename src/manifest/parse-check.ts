// One written check to one Check. A value that starts with no known kind is prose: text for the
// brief, never a command.
import { nearMiss } from "../core/words/edit-distance.ts";
import { parseAgentId } from "../core/ids.ts";
import { renderProblem } from "../core/files.ts";
import type { ReturnCondition } from "../core/schema/items.ts";
import type { Check, FileExpectation } from "../core/schema/task.ts";
import { webAddressProblem, withoutAngles } from "../core/written/address.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { inBackticks, readsAsCommand } from "./unquoted-command.ts";
import { wholeCodeSpan, joinedLines, pathProblem } from "./written-values.ts";

export type ParsedCheck =
  | { readonly ok: true; readonly check: Check }
  | { readonly ok: false; readonly reason: string; readonly example: string }
  | "prose";

type Kind = "file" | "http" | "browser" | "render" | "review" | "agent";

const EXAMPLES: Record<Kind, string> = {
  file: "check: file dist/app.js exists",
  http: 'check: GET http://localhost:3000/health 200 contains "ok"',
  browser: 'check: browser http://localhost:3000 sees "Welcome"',
  render: 'check: render report.html sees "Total"',
  review: "check: review",
  agent: 'check: agent codex "Does the migration keep every row?"',
};

/** A method before an address, as `get http://…` or `POST https://…`. */
const METHOD = /^(?:get|head|post|put|delete|patch|options)\s+<?https?:/i;

export function parseCheck(value: string): ParsedCheck {
  const command = wholeCodeSpan(value);
  if (command !== undefined) return { ok: true, check: { kind: "command", command } };
  const text = joinedLines(value);
  const word = text.split(/\s/, 1)[0] ?? "";
  const rest = text.slice(word.length).trim();
  const kind = KIND_WORDS.find((each) => each === word.toLowerCase());
  if (kind !== undefined) return judged(kind, PARSERS[kind](rest));
  if (/^GET\b/.test(text) || METHOD.test(text)) return judged("http", parseHttp(text));
  return misspelt(word, rest) ?? "prose";
}

function judged(kind: Kind, read: Check | string): ParsedCheck {
  return typeof read === "string" ? bad(kind, read) : { ok: true, check: read };
}

function bad(kind: Kind, reason: string): ParsedCheck {
  return { ok: false, reason, example: EXAMPLES[kind] };
}

/** Each gives the check, or what is wrong with it. */
const PARSERS: Record<Exclude<Kind, "http">, (rest: string) => Check | string> = {
  file: parseFile,
  browser: parseBrowser,
  render: parseRender,
  review: (rest) => (rest === "" ? { kind: "review" } : "review takes nothing after it"),
  agent: parseAgentReview,
};

const KIND_WORDS = ["file", "browser", "render", "review", "agent"] as const;

/** Other words that people use for a kind. */
const SYNONYMS: Readonly<Record<string, Kind>> = {
  http: "http",
  https: "http",
  url: "http",
  curl: "http",
  chrome: "browser",
  chromium: "browser",
  page: "browser",
  rendered: "render",
  approval: "review",
  approved: "review",
  "agent-review": "agent",
};

/**
 * A first word that almost is a kind is an error only where the rest looks like that kind, too: a
 * sentence that begins with "Files" is prose.
 */
function misspelt(word: string, rest: string): ParsedCheck | undefined {
  const lower = word.toLowerCase();
  const near = nearMiss(lower, KIND_WORDS);
  const kind = SYNONYMS[lower] ?? near ?? (nearMiss(word, ["GET"]) && "http");
  if (kind === undefined || !LOOKS_LIKE[kind].test(rest)) return undefined;
  const meant = kind === "http" ? "GET" : kind;
  return bad(kind, `"${word}" is not a kind of check; did you mean ${meant}?`);
}

const LOOKS_LIKE: Record<Kind, RegExp> = {
  file: /^\S+\s+(?:exists|changed|matches|sha256)\b|^\S*[./]\S*$/,
  http: /(?:^|\s)<?https?:\/\/\S+\s+\d{3}\b/i,
  browser: /^<?https?:\/\//i,
  render: /^\S+\s+\w+\s+"/,
  review: /^$/,
  agent: /^\S+\s+"/,
};

function parseFile(rest: string): Check | string {
  const [path, tail] = firstWord(rest);
  const problem = pathProblem(path);
  if (problem !== undefined) return problem;
  const expect = parseExpectation(tail);
  return typeof expect === "string" ? expect : { kind: "file", path, expect };
}

function parseExpectation(text: string): FileExpectation | string {
  if (text === "" || text === "exists") return { is: "exists" };
  if (text === "changed") return { is: "changed" };
  const digest = /^sha256\s+(\S+)$/.exec(text)?.[1];
  if (digest !== undefined) {
    return /^[0-9a-f]{64}$/i.test(digest)
      ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the pattern is the brand
        { is: "sha256", sha256: digest.toLowerCase() as Sha256 }
      : "sha256 needs 64 hexadecimal digits";
  }
  const regex = /^matches\s+\/(.+)\/([a-z]*)$/i.exec(text);
  if (regex === null) {
    return `"${text}" is not one of exists, changed, matches /…/, sha256 …`;
  }
  const [, pattern = "", flags = ""] = regex;
  if (!/^(?!.*(.).*\1)[imsu]*$/.test(flags))
    return `the flags "${flags}" are not all among i, m, s, u`;
  return regexProblem(pattern, flags) ?? { is: "matches", pattern, flags };
}

function regexProblem(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags).test("");
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function parseHttp(text: string): Check | string {
  const match = /^(\S+)\s+(\S+)\s+(\S+)(?:\s+contains\s+(.+))?$/.exec(text);
  const method = text.split(/\s/, 1)[0] ?? "";
  if (method !== "GET") {
    const why =
      method.toUpperCase() === "GET"
        ? "write GET in capitals"
        : "a check runs before and after a session and only reads: write GET";
    return `"${method}" cannot be used here; ${why}`;
  }
  if (match === null) {
    const [, written] = /^\S+\s+\S+\s+\d{3}\s+(\S+)/.exec(text) ?? [];
    return wrongWord(written, "contains") ?? "an http check is GET, an address and a status";
  }
  const [, , address = "", status = "", contains] = match;
  const url = withoutAngles(address);
  const problem = webAddressProblem(url);
  if (problem !== undefined) return problem;
  if (!/^[1-5]\d\d$/.test(status)) return `"${status}" is not a status from 100 to 599`;
  const check = { kind: "http", method, url, status: Number(status) } as const;
  if (contains === undefined) return check;
  const expected = quoted(contains);
  if (expected === undefined) return "contains needs a text in double quotes";
  return { ...check, contains: expected };
}

function parseBrowser(rest: string): Check | string {
  const [address, tail] = firstWord(rest);
  const url = withoutAngles(address);
  const sees = seen(tail);
  return (
    webAddressProblem(url) ??
    (sees === undefined ? seesProblem(tail) : { kind: "browser", url, sees })
  );
}

function parseRender(rest: string): Check | string {
  const [path, tail] = firstWord(rest);
  const sees = seen(tail);
  return (
    pathProblem(path) ??
    renderProblem(path) ??
    (sees === undefined ? seesProblem(tail) : { kind: "render", path, sees })
  );
}

function parseAgentReview(rest: string): Check | string {
  const [name, tail] = firstWord(rest);
  const agent = parseAgentId(name);
  if (agent === undefined) return `"${name}" is not an agent name`;
  const question = quoted(tail);
  if (question === undefined) return "the question needs double quotes";
  return { kind: "agent-review", agent, question };
}

export type ParsedReturn =
  | { readonly ok: true; readonly returns: ReturnCondition }
  | { readonly ok: false; readonly reason: string; readonly example: string };

/** By what delegated work is known to be back: a word, or a check of a kind that can be looked at again and again. */
export function parseReturn(value: string): ParsedReturn {
  const word = joinedLines(value).toLowerCase();
  if (word === "exit" || word === "message") return { ok: true, returns: { kind: word } };
  const read = parseCheck(value);
  if (read === "prose") {
    const command = readsAsCommand(joinedLines(value))
      ? inBackticks(joinedLines(value))
      : undefined;
    return noReturn(`"${joinedLines(value)}" is not one of these`, command);
  }
  if (!read.ok) return { ...read, example: read.example.replace(/^check:/, "returns:") };
  const { check } = read;
  if (check.kind === "command") return { ok: true, returns: check };
  if (check.kind === "http") {
    const { url, status, contains } = check;
    return {
      ok: true,
      returns: { kind: "url", url, status, ...(contains === undefined ? {} : { contains }) },
    };
  }
  if (check.kind !== "file")
    return noReturn(`Stint cannot repeat a ${check.kind} check to see whether work is back`);
  if (check.expect.is !== "exists")
    return noReturn("a file can only exist: write file and its path");
  return { ok: true, returns: { kind: "file", path: check.path } };
}

function noReturn(why: string, command = "file dist/report.html"): ParsedReturn {
  return {
    ok: false,
    reason: `use exit, message, file <path>, a command in backticks or GET <address> <status>; ${why}`,
    example: `returns: ${command}`,
  };
}

/** The first word and what follows it; a word with spaces stands in double quotes or backticks. */
function firstWord(text: string): [word: string, rest: string] {
  const match = /^(?:"([^"]*)"|`([^`]*)`|(\S*))(?:\s+(.*))?$/.exec(text);
  if (match === null) return [text, ""];
  return [match[1] ?? match[2] ?? match[3] ?? "", (match[4] ?? "").trim()];
}

function seen(written: string): string | undefined {
  const expected = /^sees\s(.+)$/.exec(written)?.[1];
  const text = expected === undefined ? undefined : quoted(expected);
  // White space does not matter in what is seen, so there must be something else.
  return text?.trim() === "" ? undefined : text;
}

function seesProblem(tail: string): string {
  return wrongWord(tail.split(/\s/, 1)[0], "sees") ?? "sees needs a text in double quotes";
}

function wrongWord(written: string | undefined, right: string): string | undefined {
  if (written === undefined || written === "" || written === right || written.startsWith('"')) {
    return undefined;
  }
  return `"${written}" does not belong here; did you mean ${right}?`;
}

/** The text between double quotes; `\"` and `\\` stand for themselves. */
function quoted(text: string): string | undefined {
  const inner = /^"((?:[^"\\]|\\.)+)"$/.exec(text.trim())?.[1];
  return inner?.replace(/\\(["\\])/g, "$1");
}
