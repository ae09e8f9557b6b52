// Scalars of the persisted schemas. Files in this folder are the only ones of core that load zod;
// the rules import their types alone, so that a cold start does not pay for them.
import * as z from "zod/mini";
import type {
  Brand,
  AgentId,
  ApprovalId,
  DispatchId,
  ProjectId,
  QuestionId,
  RunId,
  Slug,
  TaskId,
} from "../ids.ts";
import type { Instant } from "../instant.ts";

export type Sha256 = Brand<string, "Sha256">;

/** Types a validated string as its brand; the pattern is what makes the brand true. */
function branded<T extends string>(pattern: RegExp): z.ZodMiniType<T, T> {
  return z.string().check(z.regex(pattern)) as unknown as z.ZodMiniType<T, T>;
}

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export const projectId = branded<ProjectId>(/^p-[0-9a-z]{10}$/);
export const runId = branded<RunId>(/^r-[0-9a-z]{10}$/);
export const taskId = branded<TaskId>(SLUG);
export const slug = branded<Slug>(SLUG);
export const agentId = branded<AgentId>(SLUG);
export const approvalId = branded<ApprovalId>(/^a[1-9]\d{0,8}$/);
export const questionId = branded<QuestionId>(/^q[1-9]\d{0,8}$/);
export const dispatchId = branded<DispatchId>(/^d[1-9]\d{0,8}$/);
export const sha256 = branded<Sha256>(/^[0-9a-f]{64}$/);
export const instant = branded<Instant>(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

export const text = z.string().check(z.minLength(1));
export const count = z.int().check(z.minimum(0));
export const ordinal = z.int().check(z.minimum(1));

export function nonEmpty<T>(item: z.ZodMiniType<T>) {
  return z.tuple([item], item);
}

/** What was read is as it was kept: changing it is making another one. */
export type Kept<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]: Kept<T[Key]> };
