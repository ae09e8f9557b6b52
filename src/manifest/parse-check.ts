// One written check to one Check. A value that starts with no known kind is prose: text for the
// brief, never a command.
import { nearMiss } from "../core/words/edit-distance.ts";
import { parseAgentId } from "../core/ids.ts";
import { renderProblem } from "../core/files.ts";
import type { ReturnCondition } from "../core/schema/items.ts";
import type { Check, FileExpectation } from "../core/schema/task.ts";
import { webAddressProblem, withoutAngles } from "../core/written/address.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import {
  asWord,
  firstWord,
  inDoubleQuotes,
  isNegated,
  oneText,
  quoted,
  wrongQuotes,
} from "./quoted-texts.ts";
import { inBackticks, readsAsCommand } from "./unquoted-command.ts";
import { wholeCodeSpan, joinedLines, pathProblem } from "./written-values.ts";

export type ParsedCheck = Read | Refused | "prose";

interface Refused {
  readonly ok: false;
  readonly reason: string;
  readonly example: string;
  /** The example only shows the form: what is meant is not clear. */
  readonly sample?: true;
}

/** What is wrong with a check, and the same check written right where it is clear what is meant. */
type Wrong = string | { readonly reason: string; readonly fix: string | undefined };

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
  const read = readCheck(value);
  if (read === "prose" || read.ok) return read;
  const { kind, reason } = read;
  const right = writtenRight(read.fix);
  return right === undefined
    ? { ok: false, reason, example: EXAMPLES[kind], sample: true }
    : { ok: false, reason, example: `check: ${right}` };
}

/** A check may have this many mistakes, and still be suggested as a whole. */
const MOST_MISTAKES = 3;

/** Only what is a check is suggested; a fix that has another mistake is fixed in turn. */
function writtenRight(fix: string | undefined, mistakes = MOST_MISTAKES): string | undefined {
  if (fix === undefined || mistakes === 0) return undefined;
  const read = readCheck(fix);
  if (read === "prose") return undefined;
  return read.ok ? fix : writtenRight(read.fix, mistakes - 1);
}

interface Read {
  readonly ok: true;
  readonly check: Check;
}

interface Unread {
  readonly ok: false;
  readonly kind: Kind;
  readonly reason: string;
  readonly fix: string | undefined;
}

function readCheck(value: string): Read | Unread | "prose" {
  const command = wholeCodeSpan(value);
  const text = joinedLines(value);
  const marked = kindInMarks(command ?? /^(["'`])(.+?)\1?$/.exec(text)?.[2]);
  if (marked !== undefined) return marked;
  if (command !== undefined) return { ok: true, check: { kind: "command", command } };
  const word = text.split(/\s/, 1)[0] ?? "";
  const rest = text.slice(word.length).trim();
  const kind = KIND_WORDS.find((each) => each === word.toLowerCase());
  if (kind !== undefined) return judged(kind, PARSERS[kind](rest));
  if (/^GET\b/.test(text) || METHOD.test(text)) return judged("http", parseHttp(text));
  return addressAlone(text) ?? misspelt(word, rest) ?? "prose";
}

/** `` `review` `` would be a command, and `` `file a.txt` `` one that always succeeds. */
function kindInMarks(inner: string | undefined): Unread | undefined {
  const [word = ""] = inner?.trim().split(/\s/, 1) ?? [];
  const kind = KIND_WORDS.find((each) => each === word) ?? (word === "GET" ? "http" : undefined);
  // An option is none of a path: that is the program file(1).
  if (inner === undefined || kind === undefined || /^file\s+-/.test(inner.trim())) return undefined;
  const fix = writtenRight(inner.trim(), 1);
  if (fix === undefined) return undefined;
  const reason = `${word} is a kind of check: write it without backticks or quotes around it`;
  return bad(kind, reason, fix);
}

function judged(kind: Kind, read: Check | Wrong): Read | Unread {
  if (typeof read === "string") return bad(kind, read);
  return "reason" in read ? bad(kind, read.reason, read.fix) : { ok: true, check: read };
}

function bad(kind: Kind, reason: string, fix?: string): Unread {
  return { ok: false, kind, reason, fix };
}

/** Each gives the check, or what is wrong with it. */
const PARSERS: Record<Exclude<Kind, "http">, (rest: string) => Check | Wrong> = {
  file: parseFile,
  browser: parseBrowser,
  render: parseRender,
  review: (rest) => (rest === "" ? { kind: "review" } : "review takes nothing after it"),
  agent: parseAgentReview,
};

/** An address and nothing else, or with the status that is expected. */
function addressAlone(text: string): Unread | undefined {
  const written = /^<?https?:\/\/\S+(\s+\d{3}(?:\s+contains\s.+)?)?$/i.exec(text);
  if (written === null) return undefined;
  const reason = "an address alone is not a check: write GET, the address and the expected status";
  return bad("http", reason, `GET ${text}${written[1] === undefined ? " 200" : ""}`);
}

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
  human: "review",
  manual: "review",
  person: "review",
  "agent-review": "agent",
};

/**
 * A first word that almost is a kind is an error only where the rest looks like that kind, too: a
 * sentence that begins with "Files" is prose.
 */
function misspelt(word: string, rest: string): Unread | undefined {
  const lower = word.toLowerCase();
  const near = nearMiss(lower, KIND_WORDS);
  const kind = SYNONYMS[lower] ?? near ?? (nearMiss(word, ["GET"]) && "http");
  if (kind === undefined || !LOOKS_LIKE[kind].test(rest)) return undefined;
  const meant = kind === "http" ? "GET" : kind;
  const reason = `"${word}" is not a kind of check; did you mean ${meant}?`;
  return bad(kind, reason, inKind(kind, rest));
}

/** What follows the first word, as a check of this kind. */
function inKind(kind: Kind, rest: string): string {
  if (kind === "review") return "review";
  if (kind === "http") return /^GET\s/i.test(rest) ? rest : `GET ${rest}`;
  return kind === "file" && !/\s/.test(rest) ? `file ${rest} exists` : `${kind} ${rest}`;
}

const LOOKS_LIKE: Record<Kind, RegExp> = {
  file: /^\S+\s+(?:exists|changed|matches|sha256)\b|^\S*[./]\S*$/,
  http: /(?:^|\s)<?https?:\/\/\S+\s+\d{3}\b/i,
  browser: /^<?https?:\/\//i,
  render: /^\S+\s+\w+\s+"/,
  review: /^(?:review|approval|check|inspection)?$/i,
  agent: /^\S+\s+"/,
};

const EXPECTATIONS = "exists, changed, matches /…/, sha256 …";

function parseFile(rest: string): Check | Wrong {
  const lost = wrongQuotes(rest);
  if (lost !== undefined) return { ...lost, fix: `file ${lost.fix}` };
  const [path, tail] = firstWord(rest);
  const problem = pathProblem(path);
  if (problem !== undefined) return problem;
  const expect = parseExpectation(tail);
  if (typeof expect !== "string") return { kind: "file", path, expect };
  const whole = pathWithSpaces(rest);
  if (whole !== undefined) return { reason: "a path with spaces needs double quotes", fix: whole };
  const meant = expectationMeant(tail);
  return { reason: expect, fix: meant === undefined ? undefined : `file ${asWord(path)} ${meant}` };
}

/** `file my notes/x`: no sentence about a file, and only its end looks like one. */
function pathWithSpaces(rest: string): string | undefined {
  const written = /^(.*?)(?:\s+(exists|changed|matches\s+\/.*|sha256\s+\S+))?$/.exec(rest);
  const [, path = "", expected = "exists"] = written ?? [];
  const words = path.split(/\s+/);
  const isSentence = words.some((word) => SENTENCE_WORD.test(word));
  if (words.length < 2 || isSentence || /["`.]/.test(words[0] ?? "")) return undefined;
  return /[./]/.test(words.at(-1) ?? "") ? `file "${path}" ${expected}` : undefined;
}

const SENTENCE_WORD =
  /^(?:is|are|has|have|must|should|contains?|includes?|with|in|and|or|the|a|exists?|changed|matches|sha256)$/i;

/** What people write in place of one of the words. */
function expectationMeant(tail: string): string | undefined {
  if (/^(?:is there|is present|must exist|should exist|present)$/i.test(tail)) return "exists";
  const [, word = "", text = ""] = /^(contains|includes|has|matches)\s+(.+)$/i.exec(tail) ?? [];
  if (text === "") return nearMiss(tail, ["exists", "changed"]);
  const bare = oneText(text);
  if (text.startsWith("/") || bare === undefined || isNegated(text)) return undefined;
  const pattern = word.toLowerCase() === "matches" ? bare.replaceAll("/", "\\/") : literal(bare);
  return `matches /${pattern}/`;
}

/** A pattern that matches exactly this text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
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
  if (regex === null) return `"${text}" is not one of ${EXPECTATIONS}`;
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

function parseHttp(text: string): Check | Wrong {
  const match = /^(\S+)\s+(\S+)\s+(\S+)(?:\s+contains\s+(.+))?$/.exec(text);
  const method = text.split(/\s/, 1)[0] ?? "";
  if (method !== "GET") return otherMethod(method, text);
  if (match === null) return noHttp(text);
  const [, , address = "", status = "", contains] = match;
  const url = withoutAngles(address);
  const problem = webAddressProblem(url);
  if (problem !== undefined) return { reason: problem, fix: withScheme(text, address) };
  if (!/^[1-5]\d\d$/.test(status)) {
    const fix = /^ok$/i.test(status) ? text.replace(status, "200") : undefined;
    return { reason: `"${status}" is not a status from 100 to 599`, fix };
  }
  const check = { kind: "http", method, url, status: Number(status) } as const;
  if (contains === undefined) return check;
  const expected = quoted(contains);
  if (expected === undefined) {
    if (isNegated(contains)) return MISSING;
    const reason = "contains needs a text in double quotes";
    const meant = inDoubleQuotes(contains);
    return { reason, fix: meant && `GET ${address} ${status} contains ${meant}` };
  }
  return { ...check, contains: expected };
}

function otherMethod(method: string, text: string): Wrong {
  if (method.toUpperCase() === "GET") {
    const reason = `"${method}" cannot be used here; write GET in capitals`;
    return { reason, fix: `GET${text.slice(method.length)}` };
  }
  return `"${method}" cannot be used here; a check runs before and after a session and only reads: write GET`;
}

/** A word that is not `contains`, or no status. */
function noHttp(text: string): Wrong {
  const [, before = "", word, after = ""] = /^(GET\s+\S+\s+\d{3})\s+(\S+)(.*)$/.exec(text) ?? [];
  const wrong = wrongWord(word, "contains");
  if (wrong !== undefined) {
    if (isNegated(`${word}${after}`)) return MISSING;
    const isSame = saysTheSame(word, "contains") && after.trim() !== "";
    return { reason: wrong, fix: isSame ? `${before} contains${after}` : undefined };
  }
  const fix = text.replace(/^(GET\s+\S+)(\s+contains\s.*)?$/, "$1 200$2");
  const reason = "an http check is GET, an address and a status";
  return { reason, fix: fix === text ? undefined : fix };
}

/** `localhost:3000`, as a browser takes it. */
function withScheme(text: string, address: string): string | undefined {
  return /^(?:localhost|127\.0\.0\.1)(?::[\w$]+)?(?:\/\S*)?$/.test(address)
    ? text.replace(address, () => `http://${address}`)
    : undefined;
}

function parseBrowser(rest: string): Check | Wrong {
  const [address, tail] = firstWord(rest);
  const url = withoutAngles(address);
  const problem = webAddressProblem(url);
  if (problem !== undefined)
    return { reason: problem, fix: withScheme(`browser ${rest}`, address) };
  const sees = seen(tail);
  return sees === undefined
    ? seesProblem(`browser ${address}`, tail)
    : { kind: "browser", url, sees };
}

function parseRender(rest: string): Check | Wrong {
  const [path, tail] = firstWord(rest);
  const lost = wrongQuotes(rest);
  if (lost !== undefined) return { ...lost, fix: `render ${lost.fix}` };
  const problem = pathProblem(path) ?? renderProblem(path);
  if (problem !== undefined) return problem;
  const sees = seen(tail);
  return sees === undefined
    ? seesProblem(`render ${asWord(path)}`, tail)
    : { kind: "render", path, sees };
}

function parseAgentReview(rest: string): Check | Wrong {
  const [name, tail] = firstWord(rest);
  const agent = parseAgentId(name);
  if (agent === undefined) return `"${name}" is not an agent name`;
  const question = quoted(tail);
  if (question === undefined) {
    const text = tail === "" ? undefined : inDoubleQuotes(tail);
    return { reason: "the question needs double quotes", fix: text && `agent ${name} ${text}` };
  }
  return { kind: "agent-review", agent, question };
}

export type ParsedReturn = { readonly ok: true; readonly returns: ReturnCondition } | Refused;

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
  if (!read.ok) return refusedReturn(read);
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

/** A check that is written right need not be one that can be looked at again. */
function refusedReturn({ reason, example, sample }: Refused): Refused {
  const right = example.replace(/^check:\s*/, "");
  if (sample === true) return { ok: false, reason, example: `returns: ${right}`, sample };
  return parseReturn(right).ok
    ? { ok: false, reason, example: `returns: ${right}` }
    : { ok: false, reason, example: RETURN_EXAMPLE, sample: true };
}

const RETURN_EXAMPLE = "returns: file dist/report.html";

function noReturn(why: string, command?: string): ParsedReturn {
  return {
    ok: false,
    reason: `use exit, message, file <path>, a command in backticks or GET <address> <status>; ${why}`,
    ...(command === undefined
      ? { example: RETURN_EXAMPLE, sample: true }
      : { example: `returns: ${command}` }),
  };
}

function seen(written: string): string | undefined {
  const expected = /^sees\s(.+)$/.exec(written)?.[1];
  const text = expected === undefined ? undefined : quoted(expected);
  // White space does not matter in what is seen, so there must be something else.
  return text?.trim() === "" ? undefined : text;
}

/** `before` is all that stands before `sees`. */
function seesProblem(before: string, tail: string): Wrong {
  const [, word = "", text = ""] = /^(\S*)\s*(.*)$/.exec(tail) ?? [];
  if (isNegated(tail)) return MISSING;
  const reason = wrongWord(word, "sees") ?? "sees needs a text in double quotes";
  const expected = word.startsWith('"') ? tail : text;
  const isSame = word.startsWith('"') || saysTheSame(word, "sees");
  const isThere = isSame && oneText(expected)?.trim() !== "";
  const sees = isThere ? inDoubleQuotes(expected) : undefined;
  return { reason, fix: sees && `${before} sees ${sees}` };
}

const MISSING =
  "this kind of check looks for what is there; write a command for what must be missing";

function wrongWord(written: string | undefined, right: string): string | undefined {
  if (written === undefined || written === "" || written === right || written.startsWith('"')) {
    return undefined;
  }
  const question = saysTheSame(written, right) ? `did you mean ${right}?` : `write ${right}`;
  return `"${written}" does not belong here; ${question}`;
}

/** Another word, such as `hides`, may say the opposite. */
function saysTheSame(written: string | undefined, right: string): boolean {
  const word = (written ?? "").toLowerCase().replace(/:$/, "");
  return LIKE_SEES.has(word) || nearMiss(word, [right]) !== undefined;
}

const LIKE_SEES: ReadonlySet<string> = new Set(
  `see sees shows show displays display contains contain includes include has have says say reads matches renders
  prints with and text body`.split(/\s+/),
);
