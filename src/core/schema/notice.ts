// What is sent to a person who does not look: the JSON that a command reads and a webhook receives.
import * as z from "zod/mini";
import { count, instant, type Kept, ordinal, projectId, slug, text } from "./scalar.ts";

export const noticeKind = z.enum(["person-needed", "blocked", "done", "paused", "update"]);

/** What an update on the work says: one that says none of these is none. */
export const updateKind = z.enum([
  "artifact-created",
  "task-completed",
  "blocker-found",
  "next-action-in-progress",
]);

export const notice = z.object({
  /** The same whenever it is sent again: a receiver can tell a repeated one. */
  id: text,
  kind: noticeKind,
  project: projectId,
  slug,
  /** The revision it tells of, already durable. */
  revision: ordinal,
  at: instant,
  title: text,
  text,
  /** What to type next. */
  next: text,
  /** Of what kind the news is, where it tells of the work itself. */
  update: z.optional(updateKind),
  /** Sent in quiet hours, because nobody could send it after them: to be shown without a sound. */
  quiet: z.optional(z.boolean()),
});

/** What a run keeps of its notices: which were looked at, and which are yet to be sent. */
export const noticeMemory = z.object({
  /** Every revision up to this one was looked at. */
  seen: count,
  waiting: z.array(
    z.object({
      notice,
      /** Names of the channels that have yet to deliver it. */
      to: z.array(z.string()),
    }),
  ),
});

export type Notice = z.infer<typeof notice>;
export type NoticeKind = z.infer<typeof noticeKind>;
export type UpdateKind = z.infer<typeof updateKind>;
export type NoticeMemory = Kept<z.infer<typeof noticeMemory>>;
