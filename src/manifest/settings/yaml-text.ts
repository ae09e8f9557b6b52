// Values as a person writes them in YAML, for corrections that are copied.

/** Without quotes where YAML needs none; a colon, a hash, and most signs at the beginning mean something else. */
export function yamlText(text: string): string {
  const isPlain =
    /^[\p{L}\p{N}._/~$][\p{L}\p{N}._/~$*+@=! -]*$/u.test(text) && text === text.trim();
  return isPlain ? text : inQuotes(text);
}

export function yamlList(texts: readonly string[]): string {
  return `[${texts.map(yamlText).join(", ")}]`;
}

/** In those quotes that need no backslash, if there are any. */
export function inQuotes(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`;
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`;
}
