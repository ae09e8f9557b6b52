// JSON read with distrust: one line of a stream, in which anything may be missing or of another type, and a whole
// kept file, which is judged by its schema before anybody relies on it.

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object on a line; undefined for what is cut off, damaged or no object. */
export function parseJsonLine(line: string): JsonObject | undefined {
  try {
    return objectIn(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export function objectIn(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.map(objectIn).filter((item) => item !== undefined);
}

export function stringIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** What a schema must be able to do; zod itself is loaded only where schemas are written. */
export interface KeptSchema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly {
            readonly path: readonly PropertyKey[];
            readonly message: string;
          }[];
        };
      };
}

export type JudgedKept<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

/** Missing fields get their defaults, so that files of an earlier Stint are read; what does not fit is refused. */
export function judgeKept<T>(text: string, schema: KeptSchema<T>): JudgedKept<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, why: "it is not JSON" };
  }
  const judged = schema.safeParse(value);
  if (judged.success) return { ok: true, value: judged.data };
  const [issue] = judged.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? "" : issue.path.join(".");
  return { ok: false, why: field === "" ? "it does not fit" : `its field "${field}" does not fit` };
}
