// What completion asks for while somebody types: `stint completion offer -- retry t`. Answered by one word a line with
// what it means, and never by an error: a shell would print it over what is typed.
import { type OfferKind, offers } from "../operations/look/offers.ts";
import type { System } from "../operations/system.ts";
import type { Verb } from "./verb.ts";
import { VERBS } from "./verbs.ts";

/** By the name of an argument, or of the value of an option. */
const BY_NAME: Readonly<Record<string, readonly OfferKind[]>> = {
  item: ["approvals"],
  proposal: ["proposals"],
  question: ["questions"],
  what: ["tasks", "sessions"],
  task: ["unfinished-tasks"],
  project: ["projects"],
  target: ["projects"],
  id: ["projects"],
};

/** Where the verb says more than the name of its argument. */
const BY_VERB: Readonly<Record<string, readonly OfferKind[]>> = {
  retry: ["stopped-tasks"],
  reopen: ["done-tasks"],
  "dispatch send": ["unfinished-tasks"],
  "dispatch cancel": ["dispatches"],
  "dispatch return": ["dispatches"],
  "dispatch list": ["projects"],
  "dispatch adopt": ["projects"],
};

/** The verb may be completed by asking. */
export function isAskedAbout({ arguments: written = "", name }: Verb): boolean {
  return name === "dispatch" || written.split(" ").some((argument) => nameOf(argument) in BY_NAME);
}

/** The value of the option is a project or a task. */
export function isValueAskedAbout(flags: string): boolean {
  return (/<([a-z]+)>/.exec(flags)?.[1] ?? "") in { task: true, id: true, project: true };
}

export function offeredLines(openSystem: () => System, words: readonly string[]): string[] {
  try {
    const [name = "", ...rest] = words[0] === "--" ? words.slice(1) : words;
    const verb = VERBS.find((each) => each.name === name);
    // What follows -- is a command or a text.
    if (verb === undefined || rest.slice(0, -1).includes("--")) return [];
    const { before, current, option } = typed(verb, rest);
    const kinds = option === undefined ? kindsAt(verb, before) : (BY_NAME[option] ?? []);
    if (kinds.length === 0) return [];
    return offers(openSystem(), { kinds, current }).map(
      ({ word, means }) => `${word}\t${means.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, 80)}`,
    );
  } catch {
    return [];
  }
}

interface Typed {
  /** Arguments that are complete, options left out. */
  readonly before: readonly string[];
  readonly current: string;
  /** The name of the value that is being typed, where that is an option's. */
  readonly option?: string | undefined;
}

function typed(verb: Verb, words: readonly string[]): Typed {
  const before: string[] = [];
  let option: string | undefined;
  for (const word of words.slice(0, -1)) {
    const isValue = option !== undefined;
    option = isValue ? undefined : valueOf(verb, word);
    if (!isValue && !word.startsWith("-")) before.push(word);
  }
  return { before, current: words.at(-1) ?? "", option };
}

/** The name of the value that an option takes; undefined where it takes none. */
function valueOf(verb: Verb, word: string): string | undefined {
  const known = verb.options?.find(({ flags }) => flags.split(/[ ,]+/).includes(word));
  return /<([a-z]+)>/.exec(known?.flags ?? "")?.[1];
}

function kindsAt(verb: Verb, before: readonly string[]): readonly OfferKind[] {
  const special = BY_VERB[[verb.name, ...before].join(" ")];
  if (special !== undefined) return special;
  // `stint show session 3 <project>`, `stint show t1 <project>`: what follows is which one.
  if (verb.name === "show" && before.join(" ") === "session") return ["session-numbers"];
  if (verb.name === "show" && before.length > 0) return ["projects"];
  const argument = verb.arguments?.split(" ")[before.length];
  return argument === undefined ? [] : (BY_NAME[nameOf(argument)] ?? []);
}

function nameOf(argument: string): string {
  return argument.replaceAll(/[<>[\].]/g, "");
}
