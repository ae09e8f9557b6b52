// What a review log claims and does not hold, and what in it is nearly an item and is not read as one. Pure.
import { type Problem, warningAt } from "../manifest/problem.ts";
import {
  doneLine,
  entriesIn,
  type Entry,
  type Found,
  ownDoneLine,
  type Section,
  tellingSections,
  topEntry,
  WITH_ID,
} from "./review-sections.ts";

/** Nearly one: without its hyphen, or in small letters: `UX1 words`, `bug-12: words`. */
const NEAR_ID =
  /^(?:\*\*|__|`|\[)?([A-Z]{2,}\d+|[A-Za-z]+(?:-[A-Za-z]+)*-\d+(?=(?:\*\*|__|`|\])?(?::|\s+[-—–]\s)))(?:\*\*|__|`|\])?(?::|\s|$)/u;
const RESOLVED = /^(?:resolved|done|complete|completed|closed|fixed)\b/iu;

/** An item, and whether it is resolved. */
interface Judged {
  readonly id: string;
  readonly line: number;
  readonly isResolved: boolean;
}

/** What a reviewer seems to mean as an item, and what is not read as one. */
export function passedOver(sections: readonly Section[], found: readonly Found[]): Problem[] {
  const taken = new Set(found.flatMap(({ lines }) => lines));
  const told = tellingSections(sections);
  const free = sections
    .filter((_, index) => !told.has(index))
    .flatMap(({ level, title, line, lines }) => [
      ...(level < 2 ? [] : [{ number: line, text: `${"#".repeat(level)} ${title}`, words: title }]),
      ...lines.flatMap((each) => {
        const entry = topEntry(each);
        return entry === undefined ? [] : [{ ...each, words: entry.text }];
      }),
    ])
    .filter(({ number }) => !taken.has(number));
  return [...nearIds(free), ...looseDoneLines(sections, told, taken), ...doubled(found)];
}

function nearIds(
  free: readonly { readonly number: number; readonly text: string; readonly words: string }[],
): Problem[] {
  return free.flatMap(({ number, text, words }) => {
    const [, written = ""] = NEAR_ID.exec(words) ?? [];
    if (written === "" || WITH_ID.test(words)) return [];
    const id = written.toUpperCase().replace(/-?(\d+)$/u, "-$1");
    return [
      warningAt(number, "near-miss-id", {
        message: `${written} is not an id, so this is not an item; an id has capital letters, a hyphen and a number: ${id}`,
        example: text.trim().replace(written, id),
        found: text.trim(),
      }),
    ];
  });
}

/** Two headings, or two entries of one list: a finding and the task that is proposed for it are in two places. */
function doubled(found: readonly Found[]): Problem[] {
  return found.flatMap(({ id, line, place, title }, index) => {
    const first = found.slice(0, index).find((each) => each.id === id && each.place === place);
    if (id === undefined || first === undefined) return [];
    return [
      warningAt(line, "id-twice", {
        message: `${id} is the id of line ${first.line} already, so both are one item; give this one its own id`,
        example: "",
        found: `${id}: ${title}`,
      }),
    ];
  });
}

/** A `done:` among items, which is neither of the section nor of one of them. */
function looseDoneLines(
  sections: readonly Section[],
  told: ReadonlySet<number>,
  taken: ReadonlySet<number>,
): Problem[] {
  return sections.flatMap((section, index) => {
    const hasItems = section.lines.some(({ number }) => taken.has(number));
    if (told.has(index) || !hasItems) return [];
    const own = ownDoneLine(section)?.line;
    const loose = section.lines.find(
      (line) => doneLine([line]) !== undefined && line.number !== own && !taken.has(line.number),
    );
    if (loose === undefined) return [];
    return [
      warningAt(loose.number, "loose-done", {
        message: "this done: belongs to no item and is ignored; indent it below its item",
        example: `- DOC-1: words\n  - done: true`,
        found: loose.text.trim(),
      }),
    ];
  });
}

export function problemsOf(
  sections: readonly Section[],
  items: readonly Judged[],
  resolutions: ReadonlyMap<string, Entry>,
): Problem[] {
  const open = items.filter(({ isResolved }) => !isResolved);
  const names = open.map(({ id, line }) => `${id} (line ${line})`).join(", ");
  const header = doneLine(sections.filter(({ level }) => level < 2).flatMap(({ lines }) => lines));
  const claims = [...entriesIn(sections, "status")].filter(
    ([id, { words }]) => RESOLVED.test(words) && !resolutions.has(id),
  );
  return [
    ...(header?.done === true && open.length > 0
      ? [
          warningAt(header.line, "claims-done", {
            message: `the header says done, and ${open.length === 1 ? "one item is" : `${open.length} items are`} not: ${names}`,
            example: "done: false",
            found: "done: true",
          }),
        ]
      : []),
    ...claims.map(([id, { line, words }]) =>
      warningAt(line, "no-resolution", {
        message: `${id} is marked ${words.split(/[\s.,;]/u)[0]}, but the Resolution Log has no entry for it`,
        example: `## Resolution Log\n\n- ${id}: what was done, and in which files`,
        found: `- ${id}: ${words}`,
      }),
    ),
  ];
}
