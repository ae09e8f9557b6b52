// What travels with a commit: an in-toto statement about how its tasks were verified, in a DSSE envelope, one
// envelope per line of the note. Written by one Stint and read by another, on a machine that has nothing else.
import * as z from "zod/mini";
import { check } from "./task.ts";
import { count, instant, projectId, sha256, taskId, text } from "./scalar.ts";

export const notedCheck = z.object({
  text,
  kind: text,
  result: text,
  /** Of the record that the machine which ran it keeps. */
  evidence_sha256: sha256,
});

export const notedApproval = z.object({
  kind: text,
  by: text,
  at: instant,
  subject_sha256: sha256,
});

const notedTask = z.object({
  id: taskId,
  name: text,
  title: text,
  attempt: z.int().check(z.minimum(0)),
  done_at: instant,
  /** How it is not as well verified as it could be; none: its checks alone tell. */
  labels: z.array(text),
  checks: z.array(notedCheck),
  /** The tree of the work, where that it changed something is all that is known. */
  changed_tree: z.optional(text),
  /** Its parts, each with evidence of its own. */
  chunks: z.optional(z.array(taskId)),
  /** Who said that it is right. */
  said_by: z.optional(z.array(text)),
  approvals: z.optional(z.array(notedApproval)),
});

/** Done by a person's word alone: no commit of Stint's holds it. */
const markedTask = z.object({
  id: taskId,
  name: text,
  title: text,
  by: text,
  at: instant,
});

const checkOfTask = z.object({ task_id: taskId, check: text });

/** Everything at this commit passed in a clone that had nothing else. */
const notedProof = z.object({
  at: instant,
  checks: count,
  /** Of the record that the machine which ran it keeps. */
  evidence_sha256: sha256,
  /** Checks of earlier tasks that later ones made void. */
  superseded: z.optional(z.array(checkOfTask)),
  /** Checks whose effect is in no commit. */
  elsewhere: z.optional(z.array(checkOfTask)),
});

const ours = z.object({
  version: text,
  project: projectId,
  /** The commit that this one was made anew from, on a branch that had moved, and where the checks ran again. */
  replayed: z.optional(z.object({ from: text, checked_at: text })),
  tasks: z.array(notedTask),
  marked: z.optional(z.array(markedTask)),
  proof: z.optional(notedProof),
});

export const evidenceStatement = z.object({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z.tuple([
    z.object({ name: z.literal("commit"), digest: z.object({ gitCommit: text }) }),
    z.object({ name: z.literal("tree"), digest: z.object({ gitTree: text }) }),
  ]),
  predicateType: z.literal("https://in-toto.io/attestation/test-result/v0.1"),
  predicate: z.object({
    result: z.enum(["PASSED", "WARNED"]),
    configuration: z.array(z.object({ name: text, digest: z.object({ gitCommit: text }) })),
    passedTests: z.array(text),
    warnedTests: z.array(text),
    failedTests: z.array(text),
    stint: ours,
  }),
});

export const evidenceEnvelope = z.object({
  payloadType: text,
  /** Base64, as are the signatures. */
  payload: text,
  signatures: z.array(z.object({ keyid: z.optional(z.string()), sig: text })),
});

/** What is read back of the record of a check, for whoever tells of it. */
export const checkRecord = z.object({ check, result: text });

/** The same of an act. */
export const actRecord = z.object({ act: text });

export type NotedCheck = z.infer<typeof notedCheck>;
export type NotedTask = z.infer<typeof notedTask>;
export type MarkedTask = z.infer<typeof markedTask>;
export type NotedProof = z.infer<typeof notedProof>;
export type EvidenceStatement = z.infer<typeof evidenceStatement>;
export type EvidenceEnvelope = z.infer<typeof evidenceEnvelope>;
