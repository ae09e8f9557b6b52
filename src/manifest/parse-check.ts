// One written check to one Check. A value that starts with no known kind is prose: text for the
// brief, never a command.
import { parseAgentId } from "../core/ids.ts";
import type { Check, FileExpectation } from "../core/schema/check.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { wholeCodeSpan } from "./code-span.ts";
import { joinedLines } from "./joined-lines.ts";
import { pathProblem } from "./relative-path.ts";
import { webAddressProblem, withoutAngles } from "./web-address.ts";

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

const METHOD = /^(GET|HEAD|POST|PUT|DELETE)\b/;
const LOWER_CASE_METHOD = /^(?:get|head|post|put|delete|patch|options)\s+<?https?:/i;

export function parseCheck(value: string): ParsedCheck {
  const command = wholeCodeSpan(value);
  if (command !== undefined) return { ok: true, check: { kind: "command", command } };
  const text = joinedLines(value);
  const word = text.split(/\s/, 1)[0] ?? "";
  const rest = text.slice(word.length).trim();
  switch (word.toLowerCase()) {
    case "file":
      return parseFile(rest);
    case "browser":
      return parseBrowser(rest);
    case "render":
      return parseRender(rest);
    case "review":
      return rest === ""
        ? { ok: true, check: { kind: "review" } }
        : bad("review", "review takes nothing after it");
    case "agent":
      return parseAgentReview(rest);
    default:
      return METHOD.test(text) || LOWER_CASE_METHOD.test(text) ? parseHttp(text) : "prose";
  }
}

function parseFile(rest: string): ParsedCheck {
  const [path, tail] = firstWord(rest);
  const problem = pathProblem(path);
  if (problem !== undefined) return bad("file", problem);
  const expect = parseExpectation(tail);
  if (typeof expect === "string") return bad("file", expect);
  return { ok: true, check: { kind: "file", path, expect } };
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
    return `"${text}" is none of exists, changed, matches /…/, sha256 …`;
  }
  const [, pattern = "", flags = ""] = regex;
  if (!/^(?!.*(.).*\1)[imsu]*$/.test(flags))
    return `the flags "${flags}" are not out of i, m, s, u`;
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

function parseHttp(text: string): ParsedCheck {
  const match = /^(\S+)\s+(\S+)\s+(\S+)(?:\s+contains\s+(.+))?$/.exec(text);
  if (match === null) return bad("http", "an http check is a method, an address and a status");
  const [, method = "", address = "", status = "", contains] = match;
  if (!isMethod(method)) return bad("http", `"${method}" is none of GET, HEAD, POST, PUT, DELETE`);
  const url = withoutAngles(address);
  const problem = webAddressProblem(url);
  if (problem !== undefined) return bad("http", problem);
  if (!/^[1-5]\d\d$/.test(status)) return bad("http", `"${status}" is no status from 100 to 599`);
  const check = { kind: "http", method, url, status: Number(status) } as const;
  if (contains === undefined) return { ok: true, check };
  const expected = quoted(contains);
  if (expected === undefined) return bad("http", "contains needs a text in double quotes");
  return { ok: true, check: { ...check, contains: expected } };
}

function parseBrowser(rest: string): ParsedCheck {
  const [address, tail] = firstWord(rest);
  const url = withoutAngles(address);
  const problem = webAddressProblem(url);
  if (problem !== undefined) return bad("browser", problem);
  const sees = seen(tail);
  if (sees === undefined) return bad("browser", "sees needs a text in double quotes");
  return { ok: true, check: { kind: "browser", url, sees } };
}

function parseRender(rest: string): ParsedCheck {
  const [path, tail] = firstWord(rest);
  const problem = pathProblem(path);
  if (problem !== undefined) return bad("render", problem);
  const sees = seen(tail);
  if (sees === undefined) return bad("render", "sees needs a text in double quotes");
  return { ok: true, check: { kind: "render", path, sees } };
}

function parseAgentReview(rest: string): ParsedCheck {
  const [name, tail] = firstWord(rest);
  const agent = parseAgentId(name);
  if (agent === undefined) return bad("agent", `"${name}" is no agent name`);
  const question = quoted(tail);
  if (question === undefined) return bad("agent", "the question needs double quotes");
  return { ok: true, check: { kind: "agent-review", agent, question } };
}

/** The first word and what follows it; a word with spaces stands in double quotes or backticks. */
function firstWord(text: string): [word: string, rest: string] {
  const match = /^(?:"([^"]*)"|`([^`]*)`|(\S*))(?:\s+(.*))?$/.exec(text);
  if (match === null) return [text, ""];
  return [match[1] ?? match[2] ?? match[3] ?? "", (match[4] ?? "").trim()];
}

function seen(text: string): string | undefined {
  const expected = /^sees\s(.+)$/.exec(text)?.[1];
  return expected === undefined ? undefined : quoted(expected);
}

/** The text between double quotes; `\"` and `\\` stand for themselves. */
function quoted(text: string): string | undefined {
  const inner = /^"((?:[^"\\]|\\.)+)"$/.exec(text.trim())?.[1];
  return inner?.replace(/\\(["\\])/g, "$1");
}

function isMethod(method: string): method is "GET" | "HEAD" | "POST" | "PUT" | "DELETE" {
  return METHOD.exec(method)?.[0] === method;
}

function bad(kind: Kind, reason: string): ParsedCheck {
  return { ok: false, reason, example: EXAMPLES[kind] };
}
