// Work that takes something away: delete, overwrite, reset, uninstall. Told from the words of a request alone, so it
// is only about what is asked for; what a session then tries is refused by its agent. Pure.

const VERBS = "delete|overwrite|reset|uninstall|erase|wipe|purge";
/** "Delete button", "reset link": things that are made, and nothing goes. */
const THINGS =
  "buttons?|links?|icons?|forms?|dialogs?|pages?|endpoints?|routes?|handlers?|commands?|flags?|options?|functions?|methods?|tests?|scripts?|docs|guides?|notes?";
/** Where a piece of work begins: at the start, or after what joins two of them. */
const BEGINS = "(?:^|[,;:.]\\s+|\\b(?:and|then|or|by|to|please)\\s+)";
const DESTRUCTIVE = new RegExp(`${BEGINS}(?:${VERBS})\\b(?![ -](?:${THINGS})\\b)`, "iu");

export function isDestructive(words: string): boolean {
  return DESTRUCTIVE.test(words.trim());
}
