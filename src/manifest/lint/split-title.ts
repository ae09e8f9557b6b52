// Where a title names more work than one task holds: a second verb, or a second area. Titles are prose, so
// both stay quiet when in doubt: a wrong advice costs more than a missed one.
import { capitalised } from "../../core/words/plain-line.ts";

const VERBS = new Set(
  `add adjust announce build bump call change clean clean-up configure convert create delete deploy
  design disable document draft drop enable extract fix generate implement import improve install
  integrate introduce launch merge migrate move open port publish push refactor release remove rename
  replace restore restructure rewrite run send set setup ship split start stop switch tag test
  translate update upgrade validate verify wire write`.split(/\s+/),
);

/** Where a second piece of work may begin. */
const JOINT = /,? and then |,? then |; |,? and | & |, /gi;

/** The two pieces of work a title names, or undefined when it names one. */
export function splitAtVerb(title: string): [string, string] | undefined {
  for (const joint of title.matchAll(JOINT)) {
    const first = title.slice(0, joint.index);
    const second = title.slice(joint.index + joint[0].length);
    const before = wordsOf(first);
    const after = wordsOf(second);
    // "build and test scripts" is one thing: a verb before the joint is a noun, unless it is alone.
    const isCompound = before.length > 1 && isVerb(before.at(-1));
    // "search and replace" and "drag and drop in lists" are things: work has an object.
    if (isVerb(before[0]) && isVerb(after[0]) && isObject(after[1]) && !isCompound) {
      const whole = before.length > 1 ? first : `${first} ${second.replace(/^\S+\s+/, "")}`;
      return [whole, capitalised(second)];
    }
  }
  return undefined;
}

/** Every piece of work that a title names, in its order. */
export function splitAtVerbs(title: string): string[] {
  const [first, second] = splitAtVerb(title) ?? [title];
  return second === undefined ? [first] : [...splitAtVerbs(first), ...splitAtVerbs(second)];
}

/** The tasks that a title is better written as: at its verbs, else at the areas that it names. */
export function piecesOf(title: string): string[] {
  const pieces = splitAtVerbs(title);
  if (pieces.length > 1) return pieces;
  const areas = areasOf(title);
  return areas.length > 1 ? areas.map((area) => `${title} (${area})`) : [title];
}

const KINDS: Readonly<Record<string, string>> = {
  planning: "design draft",
  validation: "test validate verify",
  "remote write": "announce deploy launch publish push release send ship",
};

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, verbs]) =>
    verbs.split(" ").map((verb) => [verb, kind] as const),
  ),
);

/** The boundary between two pieces of work, where their verbs tell; undefined where they do not. */
export function boundaryBetween(first: string, second: string): string | undefined {
  const [before, after] = [first, second].map((piece) => KIND_OF.get(wordsOf(piece)[0] ?? ""));
  if (before === after) return undefined;
  if (before === "planning") return "planning → execution";
  if (before === "remote write" && after === "validation") return "action → read-back";
  if (after === "validation") return "write → validation";
  return after === "remote write" ? "local → remote write" : undefined;
}

const AREAS: Readonly<Record<string, string>> = {
  docs: "docs documentation readme changelog guide tutorial",
  release: "release deployment rollout announcement",
  database: "database schema",
  "user interface": "ui frontend front-end dashboard css",
  server: "backend back-end server api endpoint",
  infrastructure: "ci pipeline terraform docker dockerfile kubernetes infrastructure",
};

const AREA_OF = new Map(
  Object.entries(AREAS).flatMap(([area, words]) =>
    words.split(" ").map((word) => [word, area] as const),
  ),
);

/** Things listed side by side; "docs for the API" is one thing, "docs and the API" are two. */
const LIST_JOINT = /,? and then |,? then |,? and |, | & | \+ |; /i;

/** The areas that a title names side by side. */
export function areasOf(title: string): string[] {
  const parts = title.split(LIST_JOINT);
  if (parts.length < 2) return [];
  const areas = new Set<string>();
  for (const part of parts) {
    // The last area word of a part is its head: "database docs" are docs.
    const area = wordsOf(part)
      .map((word) => AREA_OF.get(word))
      .findLast((found) => found !== undefined);
    if (area !== undefined) areas.add(area);
  }
  return [...areas];
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? [];
}

function isVerb(word: string | undefined): boolean {
  return word !== undefined && VERBS.has(word);
}

const NO_OBJECTS = new Set([
  "and",
  "at",
  "by",
  "for",
  "from",
  "in",
  "of",
  "on",
  "or",
  "to",
  "with",
]);

function isObject(word: string | undefined): boolean {
  return word !== undefined && !NO_OBJECTS.has(word);
}
