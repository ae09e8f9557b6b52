// Which files a text names, told from its words alone.

/** A path with a folder or an ending, as `src/app.ts` or `README.md`; an address is none. */
const FILE =
  /(?<![\w./:@-])(?!(?:e\.g|i\.e)\b)(?:[\w-]+\/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w/(]|\.\w)/gu;

/** In their order; one that is named twice is there twice. */
export function filesNamed(text: string): readonly string[] {
  return text.match(FILE) ?? [];
}
