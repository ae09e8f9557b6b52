// Texts and paths in quotes, as a check writes them, and what was meant where the quotes are wrong.

/** No file is named so: one of a pair, or a pair that is not double. In double quotes or backticks it would be meant. */
export function wrongQuotes(
  rest: string,
): { readonly reason: string; readonly fix: string } | undefined {
  const pair = /^(?:'([^']+)'|[‘‚]([^‘’]+)[‘’]|[“„”]([^“”]+)[“”]|«([^»]+)»)(?=\s|$)(.*)$/.exec(
    rest,
  );
  if (pair !== null) {
    const path = pair.slice(1, 5).find((each) => each !== undefined) ?? "";
    return { reason: "a path is in double quotes, or in none", fix: `${asWord(path)}${pair[5]}` };
  }
  if (/^(?:"[^"]*"|`[^`]*`)(?:\s|$)/.test(rest)) return undefined;
  const [word = ""] = rest.split(/\s/, 1);
  const lost = ["`", '"'].find((quote) => {
    const isAtEnd = rest.endsWith(quote) && rest.split(quote).length === 2;
    return word.startsWith(quote) || word.endsWith(quote) || isAtEnd;
  });
  if (lost === undefined) return undefined;
  const reason = `a ${lost === '"' ? "double quote" : "backtick"} has no second one`;
  const [, path = "", expected = ""] =
    /^"([^"]+?)(\s+(?:exists|changed|matches\s.*|sha256\s.*))?$/.exec(rest) ?? [];
  return {
    reason,
    fix: /\s/.test(path) ? `"${path}"${expected || " exists"}` : rest.replace(lost, ""),
  };
}

/** The first word and what follows it; a word with spaces stands in double quotes or backticks. */
export function firstWord(text: string): [word: string, rest: string] {
  const match = /^(?:"([^"]*)"|`([^`]*)`|(\S*))(?:\s+(.*))?$/.exec(text);
  if (match === null) return [text, ""];
  return [match[1] ?? match[2] ?? match[3] ?? "", (match[4] ?? "").trim()];
}

/** No check looks for what is not there; between quotes it is only a text. */
export function isNegated(written: string): boolean {
  const bare = written.replaceAll(/"[^"]*"|“[^”]*”|'[^']*'(?!\w)/g, " ");
  return /\b(?:not|no|never|none|nothing|without|neither|nor)\b|n['’]t\b/i.test(bare);
}

/** A word that the first-word rule reads as one. */
export function asWord(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text;
}

const QUOTED = /^(?:"(.*)"|'(.*)'|`(.*)`|[“„”](.*)[“”]|[‘‚](.*)[‘’]|«(.*)»)$/;

/** Where one text in quotes ends and the next begins. */
const SEVERAL = /["'`“”’»]\s*(?:,|&|\+|and|or|and then)?\s*["'`“„‘«]/;

/** Without the quotes around it; undefined where it is more than one text, or only a part is in quotes. */
export function oneText(written: string): string | undefined {
  const text = written.trim();
  const inner = QUOTED.exec(text)
    ?.slice(1)
    .find((each) => each !== undefined);
  if (inner !== undefined) return SEVERAL.test(inner) ? undefined : inner;
  const isLone = text.split('"').length === 2 && /^"|"$/.test(text);
  if (isLone) return text.replace('"', "");
  return SEVERAL.test(text) || /^["“„«]|["”»]$/.test(text) ? undefined : text;
}

export function inDoubleQuotes(text: string): string | undefined {
  if (quoted(text) !== undefined) return text.trim();
  const bare = oneText(text);
  return bare === undefined ? undefined : `"${bare.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** The text between double quotes; `\"` and `\\` stand for themselves. */
export function quoted(text: string): string | undefined {
  const inner = /^"((?:[^"\\]|\\.)+)"$/.exec(text.trim())?.[1];
  return inner?.replace(/\\(["\\])/g, "$1");
}
