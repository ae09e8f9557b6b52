// `proof:` as a person writes it: whether the work is proven in a fresh clone before Done, and how long it may take to
// ask whether a check still judges where a session changed what it judges by.
import { durationProblem, parseDuration } from "./times.ts";
import { readable, type ReadValue, unreadable } from "./workspace-settings.ts";

export const PROOF_WORDS = ["auto", "always", "never"] as const;

type ProofWord = (typeof PROOF_WORDS)[number];

export interface ProofSettings {
  /** `auto`: where it is known what a fresh clone needs. */
  readonly when: ProofWord;
  /** For the questions about one task; absent: five minutes, or twice what its checks took where that is longer. */
  readonly budgetMs?: number;
}

export function readProof(value: unknown): ReadValue<Partial<ProofSettings>> {
  if (typeof value === "string") return readWord(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return EXPECTED;
  const { when, budget, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length > 0) return EXPECTED;
  const word = when === undefined ? readable({}) : readWord(when);
  if (!word.ok || budget === undefined) return word;
  const budgetMs = typeof budget === "string" ? parseDuration(budget) : undefined;
  if (budgetMs === undefined)
    return unreadable(`budget: ${durationProblem(writtenDuration(budget))}`);
  return readable({ ...word.value, budgetMs });
}

const EXPECTED = unreadable(
  "expected auto, always or never, or a map such as { when: always, budget: 10m }",
);

function writtenDuration(budget: unknown): string {
  return typeof budget === "string" || typeof budget === "number" ? String(budget) : "";
}

function readWord(value: unknown): ReadValue<Partial<ProofSettings>> {
  const when = PROOF_WORDS.find((word) => word === value);
  return when === undefined ? EXPECTED : readable({ when });
}

/** What is written first wins, key by key. */
export function proofSettings(...written: readonly unknown[]): ProofSettings {
  const read = written.flatMap((value) => {
    const proof = value === undefined ? EXPECTED : readProof(value);
    return proof.ok ? [proof.value] : [];
  });
  return Object.assign({ when: "auto" as const }, ...read.toReversed()) as ProofSettings;
}
