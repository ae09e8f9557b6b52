// What is kept of sessions, before they start and before anything is concluded from their end, and what is
// remembered of a task across them.
import * as z from "zod/mini";
import { type Kept, count, instant, nonEmpty, ordinal, sha256, taskId, text } from "./scalar.ts";
import { check, workCounts } from "./task.ts";

const givenTask = z.object({
  task_id: taskId,
  attempt: count,
  /** Whether its box was checked before the session. */
  checked: z.boolean(),
  /** Frozen: what the manifest says later does not count for this attempt. */
  checks: z.array(check),
  /** Digests of the files its checks name, before the session. */
  files: z.prefault(z.record(z.string(), z.nullable(sha256)), {}),
});

export const sessionStart = z.object({
  session: count,
  /** Its name in the run that started it. */
  agent: z.string(),
  tasks: z.array(givenTask),
  /** What was laid before it, and the verified work that this stands on. */
  start: z.object({ tree: text, base: text }),
  /** The manifest that it is given, which a person may change while it works. */
  manifest: z.string(),
  /** Where it works beside others; absent: in the workspace itself. */
  lane: z.optional(ordinal),
  started_at: instant,
  /** Nobody was started: somebody outside was sent the work, and its agent is their name. */
  outside: z.optional(z.literal(true)),
  /** Nobody was started: an agent that no run has started asked for it, and works on it in place. */
  by_hand: z.optional(z.literal(true)),
  /** How much its tasks name; absent in the record of an earlier Stint. */
  planned: z.optional(workCounts),
});

const because = { reason: z.string() };

const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["finished", "timed-out", "idle"]) }),
  z.object({
    kind: z.enum([
      "rate-limited",
      "overloaded",
      "context-exhausted",
      "auth-failed",
      "budget-exceeded",
      "killed",
      "no-progress",
    ]),
    ...because,
  }),
  z.object({ kind: z.literal("blocked"), isSetup: z.optional(z.literal(true)), ...because }),
  z.object({ kind: z.literal("question"), questions: nonEmpty(z.string()) }),
  z.object({ kind: z.literal("approval-needed"), subject: z.nullable(z.string()) }),
  z.object({ kind: z.literal("usage-limited"), until: z.nullable(instant), ...because }),
  z.object({ kind: z.literal("crashed"), exitCode: z.nullable(z.number()), ...because }),
  z.object({ kind: z.literal("denied"), command: z.string() }),
]);

export const sessionEnd = z.object({
  session: count,
  outcome,
  exit_code: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  /** As it was read, for a person. */
  marker: z.optional(z.unknown()),
  /** The run ended it, for this reason. */
  stopped: z.nullable(z.string()),
  last_text: z.nullable(z.string()),
  /** The last lines that it wrote to its standard error, redacted; absent where there are none. */
  last_stderr: z.optional(z.string()),
  /** Its log below the project folder: the file that tells most of this end. */
  log: z.optional(text),
  /** How often it waited for its provider and asked again. */
  retries: z.optional(count),
  /** What it was ended for: how long it may take, or be silent. */
  limit_ms: z.optional(count),
  /** The tool call that had no result when it was ended for its silence. */
  open_call: z.optional(z.string()),
  /** Processes that it left and that were ended; how long they were waited for before. */
  left_behind: z.prefault(count, 0),
  kept_ms: z.optional(count),
  /** What it changed of the files that were brought into its workspace; no commit shows it. */
  brought_changed: z.optional(z.array(z.string())),
  /** The manifest when it ended; one that is neither gone nor as it was given is kept beside this. */
  manifest: z.enum(["as-given", "changed", "gone"]),
  ended_at: instant,
  wall_ms: z.number(),
  tokens: z.nullable(z.number()),
  cost_usd: z.nullable(z.number()),
});

/** What it made or changed and git ignores; kept only where there is any. */
export const ignoredMade = z.array(z.string());

/** What it changed of the files that it was given, and the tree that it left. */
export const sessionChanges = z.object({
  tree: text,
  total: count,
  /** The first of them. */
  files: z.array(z.object({ path: text, change: z.enum(["added", "modified", "deleted"]) })),
});

/** By what the words of a session are known to be its own, for whoever may read its folder. */
export const sessionSeal = z.object({ seal_sha256: sha256 });

const saidWord = z.object({
  /** The name of its file in the inbox. */
  name: z.string(),
  verb: z.enum(["note", "ask", "block", "propose", "dispatch", "done"]),
  text: z.string(),
  /** The text is a whole manifest. */
  is_whole: z.optional(z.literal(true)),
  returns: z.optional(z.string()),
  look: z.optional(z.string()),
  deadline: z.optional(z.string()),
});

/** What a session said by the verbs in its shell, in that order. */
export const saidWords = z.array(saidWord);

/** What a second agent answered about one tree. */
export const agentAnswer = z.object({
  kind: z.literal("answered"),
  verdict: z.enum(["pass", "fail"]),
  reasons: z.array(z.string()),
});

export type SessionStart = Kept<z.infer<typeof sessionStart>>;
export type SessionChanges = Kept<z.infer<typeof sessionChanges>>;
export type SaidWord = Kept<z.infer<typeof saidWord>>;
export type SessionEnd = Kept<z.infer<typeof sessionEnd>>;

// What is remembered of a task across its attempts and is no part of its status: the work that its
// sessions left, which trees were seen, which checks failed before any work was done.

const strings = z.array(z.string());

/** Unfinished work: what the sessions of a task made of all verified work. */
const work = z.object({
  tree: text,
  /** The tree that it was made from. */
  base: text,
  /** What its files hold, and those that its checks look at: paths, each with one short word. */
  contents: z.record(z.string(), z.string()),
  /** A person changed it in a shell there. */
  byPerson: z.optional(z.boolean()),
});

/** What lies in the workspace and is in no tree yet. */
const unsettled = z.discriminatedUnion("is", [
  /** An act of the manifest, or a person's shell, was begun on this tree; what it changed is not known yet. */
  z.object({ is: z.literal("begun"), base: text, by: z.enum(["act", "person"]) }),
  /** What the last session left and no commit can hold; it lies there until another starts. */
  z.object({
    is: z.literal("uncommittable"),
    session: count,
    problems: z.array(z.object({ path: z.string(), why: z.string(), hint: z.string() })),
  }),
]);

/** What the next brief tells of the last session, beside how that ended. */
const lastSession = z.object({
  session: count,
  /** The first of the files that it changed, each with how; and how many there are. */
  changed: strings,
  files: count,
  /** Of its task: nothing; what git ignores alone; documents alone, where they are not the task; or work. */
  made: z.enum(["nothing", "ignored", "documents", "work"]),
  /** Whether a check that failed before it passed after it; absent: they were not run. */
  checks: z.optional(z.enum(["turned", "not-turned", "green-before"])),
});

const memory = z.object({
  work: z.optional(work),
  unsettled: z.optional(unsettled),
  /** What could not be applied again, for others changed it since, and the tree that holds it. */
  elsewhere: z.optional(z.object({ tree: text, paths: strings })),
  /** What sessions said in commits of their own, by session. */
  messages: z.optional(z.record(z.string(), strings)),
  /** Trees that attempts of this task ended in: one of them again is no progress. */
  trees: strings,
  /** The session that the last of them is of; measured again, it does not count against itself. */
  measured: z.optional(count),
  /** The last session that there is something to tell of; absent in the record of an earlier Stint. */
  last: z.optional(lastSession),
  /** Empty folders that its last session made, and that no tree can hold. */
  emptied: z.optional(z.object({ session: count, paths: strings })),
  /** Files that `changed` checks ask about and that a session changed, with their digests before. */
  changed: z.optional(z.record(z.string(), z.nullable(sha256))),
  /** Keys of checks that were seen to fail for this task. */
  seenFailing: strings,
  /** Of these, those that failed before the last session. */
  failing: z.prefault(strings, []),
  /** Those that failed before the first session; absent in the record of an earlier Stint. */
  redBefore: z.optional(strings),
  /** The tree in which each was last seen to fail before a session. */
  redIn: z.optional(z.record(z.string(), text)),
  /** Those that failed twice before a session: what turned them green was no flicker. */
  redTwice: z.optional(strings),
  /** Those that failed before a session and passed at once, with nothing changed in between. */
  unreliable: z.optional(strings),
  /** The tree in which each last failed after a session; whether it had passed there just before. */
  redAfter: z.optional(
    z.record(z.string(), z.object({ tree: text, flickered: z.optional(z.literal(true)) })),
  ),
  /** Before the first attempt every check passed: passing proves nothing alone. */
  notDiscriminating: z.boolean(),
  /** What its sessions made or changed and git ignores: paths, and what they changed of brought files, in words. */
  ignored: z.optional(strings),
  broughtChanged: z.optional(strings),
  /** The tree in which its checks last passed, and what it was made from. */
  verified: z.optional(z.object({ tree: text, base: text })),
  /** Of a task that is done: the tree before it, and what it changed, if files that may judge were among that. */
  judges: z.optional(
    z.object({
      base: text,
      changed: z.array(
        z.object({
          path: z.string(),
          change: z.enum(["added", "modified", "deleted"]),
          switched: z.optional(z.literal(true)),
        }),
      ),
    }),
  ),
  /** The tree of its work that goes to its first chunk, once it is split. */
  handed_over: z.optional(text),
});

/** Reads what an earlier Stint kept as well. */
export const taskMemory = z.pipe(z.transform(asOfNow), memory);

/** What was begun and what no commit can hold were fields of their own. */
function asOfNow(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if ("unsettled" in value) return value;
  const { trying, inShell, uncommittable, ...rest } = value as Record<string, unknown>;
  if (trying !== undefined) {
    const by = inShell === true ? "person" : "act";
    return { ...rest, unsettled: { is: "begun", base: trying, by } };
  }
  if (typeof uncommittable !== "object" || uncommittable === null) return rest;
  return { ...rest, unsettled: { is: "uncommittable", ...uncommittable } };
}

export type TaskMemory = Kept<z.infer<typeof memory>>;
export type LastSession = Kept<z.infer<typeof lastSession>>;
export type UnfinishedWork = NonNullable<TaskMemory["work"]>;
