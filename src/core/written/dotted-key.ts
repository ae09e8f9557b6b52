// `budgets.cost`, as documents name a key inside another one: as it is written in a file, `budgets: { cost: 5 }`.

export type DottedEntry = readonly [key: string, value: unknown];

/** What stands below the first part of the keys, as maps in a map; undefined where a key has an empty part. */
export function mapOfDotted(
  entries: readonly DottedEntry[],
): Readonly<Record<string, unknown>> | undefined {
  const groups = new Map<string, DottedEntry[]>();
  for (const [key, value] of entries) {
    const rest = key.slice(key.indexOf(".") + 1);
    const [part = ""] = rest.split(".", 1);
    if (part === "") return undefined;
    groups.set(part, [...(groups.get(part) ?? []), [rest, value]]);
  }
  return Object.fromEntries(
    [...groups].map(([part, inner]) => {
      const [[rest, value] = [part, undefined]] = inner;
      return [part, rest === part ? value : mapOfDotted(inner)];
    }),
  );
}

/** Of texts, numbers, words, and lists and maps of these, on one line; undefined for nothing and for empty maps. */
export function yamlValue(value: unknown): string | undefined {
  if (Array.isArray(value)) return joined(value.map(yamlValue), "[", "]");
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => {
      const text = yamlValue(inner);
      return text === undefined ? undefined : `${key}: ${text}`;
    });
    return entries.length === 0 ? undefined : joined(entries, "{ ", " }");
  }
  if (typeof value !== "string") return undefined;
  const isPlain = /^[\p{L}~/][\p{L}\p{N}._/~-]*$|^\d+(?:[smhd]\d*)+$/u.test(value);
  return isPlain && !/^(?:true|false|null|yes|no|on|off|~)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

function joined(
  texts: readonly (string | undefined)[],
  open: string,
  close: string,
): string | undefined {
  return texts.includes(undefined) ? undefined : `${open}${texts.join(", ")}${close}`;
}
