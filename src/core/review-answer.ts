// What a reviewing agent answered, by a contract that a machine can hold it to: the last line of its last
// message is one JSON object with the number of this review, a verdict and reasons. Everything else is
// no answer; nothing is read out of prose.
import { parseJsonLine } from "./json-line.ts";

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

/** `nonce` is new for every review, so that a file that quotes an answer does not answer. */
export function readReviewAnswer(text: string | null, nonce: string): ReviewAnswer {
  const lines = (text ?? "").split("\n").map((line) => line.trim());
  const last = lines.findLast((line) => line !== "" && !/^(?:```|~~~)/.test(line));
  if (last === undefined) return no("it said nothing");
  const answer = parseJsonLine(last);
  if (answer === undefined) return no("its last line is no JSON object");
  if (answer["review"] !== nonce) return no("its answer has not the number of this review");
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
