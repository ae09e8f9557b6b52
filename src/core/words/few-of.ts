const MOST = 5;

/** Names in a sentence: the first few, and how many there are beside them. */
export function fewOf(names: readonly string[]): string {
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
  return `${names.slice(0, MOST).join(", ")}${more}`;
}
