// The sections a manifest may have, found by heading text in any level and any case.

export const SECTION_NAMES = [
  "Goal",
  "Steps",
  "Success criteria",
  "References",
  "Tools",
  "Notes",
] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

const BY_LOWER_CASE = new Map(SECTION_NAMES.map((name) => [name.toLowerCase(), name]));

/** The section that a heading opens; a trailing colon and any spacing do not matter. */
export function sectionNamed(heading: string): SectionName | undefined {
  return BY_LOWER_CASE.get(comparable(heading));
}

/** Lower case, single spaces, without a trailing colon. */
export function comparable(heading: string): string {
  const text = heading.trim();
  const bare = text.endsWith(":") ? text.slice(0, -1).trimEnd() : text;
  return bare.replace(/\s+/g, " ").toLowerCase();
}
