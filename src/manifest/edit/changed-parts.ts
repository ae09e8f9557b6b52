// Which parts of a manifest differ between two texts. Line endings and outer blank lines do not count.
import type { ManifestDocument } from "../manifest-document.ts";
import { SECTION_NAMES, type SectionName } from "../section-names.ts";

export type ChangedPart = SectionName | "front matter" | "text outside sections" | "white space";

/** `before` and `after` give the places; their texts may be others of the same length. */
export function changedParts(
  before: ManifestDocument,
  after: ManifestDocument,
  texts: { readonly before: string; readonly after: string } = {
    before: before.text,
    after: after.text,
  },
): ChangedPart[] {
  if (texts.before === texts.after) return [];
  const old = partsOf(before, texts.before);
  const now = partsOf(after, texts.after);
  const names: readonly ChangedPart[] = ["front matter", ...SECTION_NAMES, "text outside sections"];
  const changed = names.filter((name) => (old.get(name) ?? "") !== (now.get(name) ?? ""));
  return changed.length > 0 ? changed : ["white space"];
}

function partsOf(document: ManifestDocument, text: string): ReadonlyMap<ChangedPart, string> {
  const parts = new Map<ChangedPart, string>();
  const add = (part: ChangedPart, content: string): void => {
    const plain = content
      .replace(/^\uFEFF/, "")
      .replace(/\r\n?/g, "\n")
      .trim();
    if (plain !== "") parts.set(part, `${parts.get(part) ?? ""}\n${plain}`);
  };
  let at = 0;
  if (document.frontMatter !== undefined) {
    at = document.frontMatter.end;
    add("front matter", text.slice(0, at));
  }
  for (const section of document.sections) {
    add("text outside sections", text.slice(at, section.start));
    add(section.name, text.slice(section.start, section.end));
    at = section.end;
  }
  add("text outside sections", text.slice(at));
  return parts;
}
