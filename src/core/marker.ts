// The marker `.agent_iteration_done`: what a session leaves to say how its iteration ended. It never
// says that the whole task is done. Any bytes are a legal marker; reading one cannot fail.

export const MARKER_NAME = ".agent_iteration_done";

/** What lies beyond is not read. */
export const MARKER_MAX_BYTES = 64 * 1024;

export interface Marker {
  /** Whether tasks remain, where the marker says so. */
  readonly remainingSteps: boolean | null;
  /** Why the task could not be fulfilled; text that is no `key: value` counts as one. */
  readonly reason: string | null;
  readonly manifest: string | null;
  readonly step: string | null;
  /** What only a person can decide, each on its own, in the order written. */
  readonly questions: readonly string[];
  readonly approvalRequired: boolean;
  /** What the approval is for, where the marker says it. */
  readonly approvalFor: string | null;
  /** Every other key, as written, in lower case. */
  readonly others: Readonly<Record<string, string>>;
  /** The file was longer than what is read. */
  readonly truncated: boolean;
}

const KNOWN = [
  "remaining_steps",
  "reason",
  "suspend_reason",
  "manifest",
  "step",
  "approval_required",
] as const;

type Known = (typeof KNOWN)[number];

/** The only key that may come more than once; whoever asks several likes to number them. */
const QUESTION = /^questions?(?:_?\d{1,3})?$/;

const YES = new Set(["true", "yes"]);
const NO = new Set(["false", "no"]);
const UNSAID = "the session did not say which";

export function parseMarker(bytes: Uint8Array): Marker {
  const { known, questions, others, prose } = readLines(decode(bytes));
  const approval = known.get("approval_required") ?? null;
  const reason = joined([known.get("reason"), known.get("suspend_reason"), prose]);
  return {
    remainingSteps: readRemaining(known.get("remaining_steps")),
    reason,
    manifest: known.get("manifest") ?? null,
    step: known.get("step") ?? null,
    questions,
    approvalRequired: approval !== null && !isNo(approval),
    approvalFor: approval === null || isNo(approval) || isYes(approval) ? null : approval,
    others,
    truncated: bytes.length > MARKER_MAX_BYTES,
  };
}

interface Lines {
  readonly known: ReadonlyMap<Known, string>;
  readonly questions: readonly string[];
  readonly others: Readonly<Record<string, string>>;
  readonly prose: string;
}

function readLines(text: string): Lines {
  const known = new Map<Known, string>();
  const questions = new Set<string>();
  const others = new Map<string, string>();
  const prose: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const pair = readPair(line);
    if (pair === undefined) {
      if (line.trim() !== "") prose.push(line.trim());
    } else if (pair.key === "question") {
      if (pair.value !== "" && !isNo(pair.value)) {
        questions.add(isYes(pair.value) ? UNSAID : pair.value);
      }
    } else if (isKnown(pair.key)) {
      // An empty value says nothing, so it does not hide one that was given before.
      if (pair.value !== "") known.set(pair.key, pair.value);
    } else {
      others.set(pair.key, pair.value);
    }
  }
  return {
    known,
    questions: [...questions],
    others: Object.fromEntries(others),
    prose: prose.join("\n"),
  };
}

/** `key: value` or `key = value`; a known key may be written with spaces or hyphens. */
function readPair(line: string): { key: string; value: string } | undefined {
  const match = /^\s*(["']?)([A-Za-z][\w -]{0,62})\1\s*([:=])(?!\/\/)(.*)$/.exec(line);
  if (match === null) return undefined;
  const key = (match[2] ?? "").trim().toLowerCase();
  const value = unquoted((match[4] ?? "").trim());
  const plain = key.replace(/[ -]/g, "_");
  if (isKnown(plain)) return { key: plain, value };
  if (QUESTION.test(plain)) return { key: "question", value };
  return /\s/.test(key) ? undefined : { key, value };
}

function unquoted(text: string): string {
  const inner = /^(["'])(.*)\1$/.exec(text)?.[2];
  return (inner ?? text).trim();
}

function readRemaining(value: string | undefined): boolean | null {
  if (value === undefined) return null;
  if (/^\d+$/.test(value)) return !/^0+$/.test(value);
  return isYes(value) ? true : isNo(value) ? false : null;
}

function decode(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, MARKER_MAX_BYTES));
  return text.replaceAll("\0", "\uFFFD");
}

function joined(parts: readonly (string | undefined)[]): string | null {
  const said = parts.filter((part) => part !== undefined && part !== "");
  return said.length === 0 ? null : [...new Set(said)].join("\n");
}

function isKnown(key: string): key is Known {
  return (KNOWN as readonly string[]).includes(key);
}

function isYes(value: string): boolean {
  return YES.has(value.toLowerCase());
}

function isNo(value: string): boolean {
  return NO.has(value.toLowerCase());
}
