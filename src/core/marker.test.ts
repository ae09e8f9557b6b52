import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MARKER_MAX_BYTES, type Marker, parseMarker } from "./marker.ts";

const EMPTY: Marker = {
  remainingSteps: null,
  reason: null,
  manifest: null,
  step: null,
  questions: [],
  approvalRequired: false,
  approvalFor: null,
  others: {},
  truncated: false,
};

const CASES: readonly [fact: string, text: string, said: Partial<Marker>][] = [
  ["S0-28 an empty one says nothing and is legal", "", {}],
  ["S0-30 more work remains", "remaining_steps: true", { remainingSteps: true }],
  ["S0-32 no work remains", "remaining_steps: false\n", { remainingSteps: false }],
  ["S0-31 why it could not be done", "reason: no network", { reason: "no network" }],
  ["S0-31 plain text is the reason", "The key is\nmissing.\n", { reason: "The key is\nmissing." }],
  ["the other name of a reason", "suspend_reason = limit", { reason: "limit" }],
  ["an equals sign", "remaining_steps = no", { remainingSteps: false }],
  ["any case, spaces, hyphens", "Remaining-Steps : YES", { remainingSteps: true }],
  ["a count of what remains", "remaining_steps: 3", { remainingSteps: true }],
  ["a count of nothing", "remaining steps: 0", { remainingSteps: false }],
  ["an answer that is none", "remaining_steps: perhaps", {}],
  [
    "quotes around values",
    `step: "add a test"\nmanifest: 'p.md'`,
    { step: "add a test", manifest: "p.md" },
  ],
  ["quotes around keys", `"reason": "no disk"`, { reason: "no disk" }],
  ["a question", "question: Which port?", { questions: ["Which port?"] }],
  ["no question", "question: no", {}],
  [
    "a question without its text",
    "question: yes",
    { questions: ["the session did not say which"] },
  ],
  [
    "several questions, in any case and form, in their order, each once",
    "question: Which port?\nQUESTION = Which host?\nQuestion: 'Which user?'\nquestion: Which port?",
    { questions: ["Which port?", "Which host?", "Which user?"] },
  ],
  [
    "questions that somebody numbered",
    "question 1: a?\nquestion_2: b?\nQuestion3: c?\nquestions: d?",
    { questions: ["a?", "b?", "c?", "d?"] },
  ],
  [
    "a question that says nothing takes none away",
    "question: Which port?\nquestion:\nquestion: no",
    { questions: ["Which port?"] },
  ],
  ["an approval", "approval_required: true", { approvalRequired: true }],
  ["no approval", "approval_required: false", {}],
  [
    "an approval and what for",
    "approval_required: drop the table",
    { approvalRequired: true, approvalFor: "drop the table" },
  ],
  ["an unknown key is kept", "Branch: main", { others: { branch: "main" } }],
  [
    "a dangerous key is only a key",
    "__proto__x: 1\nconstructor: 2",
    { reason: "__proto__x: 1", others: { constructor: "2" } },
  ],
  ["an address is text", "http://localhost is down", { reason: "http://localhost is down" }],
  [
    "a sentence with a colon is text",
    "could not go on: no key",
    { reason: "could not go on: no key" },
  ],
  ["key and text together", "reason: a\nmore", { reason: "a\nmore" }],
  ["an empty value hides nothing", "reason: a\nreason:", { reason: "a" }],
  [
    "line ends of every system",
    "step: 1\r\nreason: b\rmanifest: c",
    { step: "1", reason: "b", manifest: "c" },
  ],
];

describe("the marker says", () => {
  it.each(CASES)("S0-28 S0-30 S0-32 is read, where one is left: %s", (_, text, said) => {
    expect(parseMarker(new TextEncoder().encode(text))).toEqual({ ...EMPTY, ...said });
  });

  it("nothing beyond its first 64 KiB", () => {
    const long = `${"x".repeat(MARKER_MAX_BYTES)}\nquestion: late`;
    const marker = parseMarker(new TextEncoder().encode(long));
    expect(marker).toMatchObject({ questions: [], truncated: true });
    expect(marker.reason).toHaveLength(MARKER_MAX_BYTES);
  });

  it("S0-33 something typed for any bytes, without an exception", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(Object.keys(parseMarker(bytes))).toEqual(Object.keys(EMPTY));
      }),
    );
  });

  it("S0-33 what was written under a key, whatever stands around it", () => {
    const value = fc
      .stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/)
      .filter((text) => !/^(no|yes)$/.test(text));
    const noise = fc.stringMatching(/^[ !-9<>-~]{0,40}$/).filter((text) => !/[:=]/.test(text));
    fc.assert(
      fc.property(value, noise, noise, (question, before, after) => {
        const text = `${before}\nQUESTION = "${question}"\n${after}`;
        expect(parseMarker(new TextEncoder().encode(text)).questions).toEqual([question]);
      }),
    );
  });
});
