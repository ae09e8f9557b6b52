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
  const files = filesNamed(title);
  return files.length > 0 ? files.every(isDocs) : isAboutDocs(title);
}
