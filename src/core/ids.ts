// Every id of the system: a branded string, which exists only because its parser accepted it or its maker made
// it. Ids become file names, so the alphabet excludes separators, dots at the start and upper case.

declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type NonEmpty<T> = readonly [T, ...T[]];

export function isNonEmpty<T>(list: readonly T[]): list is NonEmpty<T> {
  return list.length > 0;
}

export type ProjectId = Brand<string, "ProjectId">;
export type TaskId = Brand<string, "TaskId">;
export type RunId = Brand<string, "RunId">;
export type ApprovalId = Brand<string, "ApprovalId">;
export type QuestionId = Brand<string, "QuestionId">;
export type DispatchId = Brand<string, "DispatchId">;
export type AnswerId = Brand<string, "AnswerId">;
export type Slug = Brand<string, "Slug">;
export type AgentId = Brand<string, "AgentId">;

/** A source of random bytes, passed in so that the rules stay repeatable. */
export type RandomBytes = (count: number) => Uint8Array;

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const PROJECT_ID = /^p-[0-9a-z]{10}$/;
const ANSWER_ID = /^n-[0-9a-z]{10}$/;

export function parseProjectId(text: string): ProjectId | undefined {
  return PROJECT_ID.test(text) ? (text as ProjectId) : undefined;
}

export function newProjectId(random: RandomBytes): ProjectId {
  return `p-${randomBase36(random)}` as ProjectId;
}

export function newRunId(random: RandomBytes): RunId {
  return `r-${randomBase36(random)}` as RunId;
}

export function parseAnswerId(text: string): AnswerId | undefined {
  return ANSWER_ID.test(text) ? (text as AnswerId) : undefined;
}

export function newAnswerId(random: RandomBytes): AnswerId {
  return `n-${randomBase36(random)}` as AnswerId;
}

export function parseSlug(text: string): Slug | undefined {
  return SLUG.test(text) ? (text as Slug) : undefined;
}

export function parseAgentId(text: string): AgentId | undefined {
  return SLUG.test(text) ? (text as AgentId) : undefined;
}

/** A task id is what a person wrote after `id:`, or `t<n>` numbered by the project and never reused. */
export function parseTaskId(text: string): TaskId | undefined {
  return SLUG.test(text) ? (text as TaskId) : undefined;
}

export function numberedTaskId(n: number): TaskId {
  return `t${n}` as TaskId;
}

export function numberedApprovalId(n: number): ApprovalId {
  return `a${n}` as ApprovalId;
}

export function numberedQuestionId(n: number): QuestionId {
  return `q${n}` as QuestionId;
}

export function parseDispatchId(text: string): DispatchId | undefined {
  return /^d[1-9]\d{0,8}$/.test(text) ? (text as DispatchId) : undefined;
}

export function numberedDispatchId(n: number): DispatchId {
  return `d${n}` as DispatchId;
}

/** Turns any text into a slug; text without a usable character becomes `fallback`. */
export function slugify(text: string, fallback: Slug): Slug {
  const slug = text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 48)
    .replace(/-+$/, "");
  return parseSlug(slug) ?? fallback;
}

function randomBase36(random: RandomBytes): string {
  // 8 bytes give more than the 51 bits that ten base-36 digits hold.
  let n = 0n;
  for (const byte of random(8)) n = (n << 8n) | BigInt(byte);
  return (n % 36n ** 10n).toString(36).padStart(10, "0");
}
