// Whether a title names documentation as the work. Titles are prose, so this is a guess: it advises, and decides nothing.
import { isDocs } from "../files.ts";
import { filesNamed } from "./files-named.ts";

const ABOUT_DOCS = /\b(?:docs?|documentation|readme|changelog|guide|tutorial)\b/iu;
const DESCRIBES = /^(?:clarify|describe|document|explain|mention)\b/iu;

/** By its words, whatever files it names. */
export function isAboutDocs(title: string): boolean {
  return ABOUT_DOCS.test(title) || DESCRIBES.test(title);
}

/** Where it names files, they decide: `Document the API in src/api.ts` changes code. */
export function changesOnlyDocs(title: string): boolean {
  const files = [...filesNamed(title), ...documentsNamed(title)];
  if (files.length > 0) return files.every(isDocs);
  return isAboutDocs(title) && (DESCRIBES.test(title) || !title.split(JOINT).some(isOther));
}

/** A document without an ending is told by its capitals. `TODO` mostly is a mark in code. */
function documentsNamed(title: string): readonly string[] {
  const names = title.match(/(?<![\w./-])[A-Z]{3,}(?![\w./-]*\w)/g) ?? [];
  return names.filter((name) => name !== "TODO" && isDocs(name));
}

const JOINT = /,? and |,? then |, | & | \+ |; /i;

/** One of several things, which the judge would count as work. */
function isOther(part: string): boolean {
  return (
    !ABOUT_DOCS.test(part) && /\b(?:tests?|specs?|code|scripts?|config|examples?)\b/i.test(part)
  );
}
