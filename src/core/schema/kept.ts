// How a kept JSON file is judged before anybody relies on it. Missing fields get their defaults, so that
// files of an earlier Stint are read; what does not fit is refused with its place.

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

/** What was read is as it was kept: changing it is making another one. */
export type Kept<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]: Kept<T[Key]> };
