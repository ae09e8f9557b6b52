// JSON read with distrust: a line of a stream, in which anything may be missing or of another type; a kept file,
// which is judged by its schema before anybody relies on it; and the answer of a reviewing agent.

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

export interface ReviewVerdict {
  readonly verdict: "pass" | "fail";
  /** At least one. */
  readonly reasons: readonly string[];
}

export type ReviewAnswer =
  | ({ readonly ok: true } & ReviewVerdict)
  | { readonly ok: false; readonly why: string };

const MOST_REASONS = 20;
const LONGEST_REASON = 500;

/**
 * What a reviewing agent answered, by a contract that a machine can hold it to: the last line of its last message is
 * one JSON object with the number of this review, a verdict and reasons. Everything else is no answer; nothing is
 * read out of prose. `nonce` is new for every review, so that a file that quotes an answer does not answer.
 */
export function readReviewAnswer(text: string | null, nonce: string): ReviewAnswer {
  const lines = (text ?? "").split("\n").map((line) => line.trim());
  const last = lines.findLast((line) => line !== "" && !/^(?:```|~~~)/.test(line));
  if (last === undefined) return no("it said nothing");
  const answer = parseJsonLine(last);
  if (answer === undefined) return no("its last line is not a JSON object");
  if (answer["review"] !== nonce) return no("its answer does not have the number of this review");
  const { verdict, reasons } = answer;
  if (verdict !== "pass" && verdict !== "fail")
    return no('its verdict is neither "pass" nor "fail"');
  // Who says both has decided nothing, whichever came last.
  const isSplit = lines.some((line) => {
    const other = parseJsonLine(line);
    return other?.["review"] === nonce && other["verdict"] !== verdict;
  });
  if (isSplit) return no("it answers both pass and fail");
  const given = Array.isArray(reasons) ? reasons.filter(isReason) : [];
  if (given.length === 0) return no("it gave no reasons");
  return {
    ok: true,
    verdict,
    reasons: given.slice(0, MOST_REASONS).map((reason) => reason.trim().slice(0, LONGEST_REASON)),
  };
}

function isReason(reason: unknown): reason is string {
  return typeof reason === "string" && reason.trim() !== "";
}

function no(why: string): ReviewAnswer {
  return { ok: false, why };
}
