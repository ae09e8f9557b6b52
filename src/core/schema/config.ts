// stint.config.yaml: what a repository sets for everybody who works in it. A person's file; it can
// hold no code.
import * as z from "zod/mini";
import { BUDGET_LIMITS, type BudgetKind, MOST_PARALLEL } from "../written/bounds.ts";
import {
  readBring,
  readDir,
  type ReadValue,
  readServe,
  readSetup,
  readWorkspaceDir,
  WORKSPACE_WORDS,
} from "../written/workspace-settings.ts";
import { NETWORK_WORDS, PROTECT_WORDS, readShow, readWritable } from "../written/protect.ts";
import { ITERATION_WORDS } from "../written/iteration-words.ts";
import { parseDuration, parseQuietHours } from "../written/times.ts";
import { hasCredentials } from "../written/address.ts";
import { DELIVER_MODES } from "../written/delivery-choice.ts";
import { readProof } from "../written/proof-settings.ts";
import { noticeKind } from "./notice.ts";
import { agentId, count, ordinal, text } from "./scalar.ts";

const duration = z
  .string()
  .check(
    z.refine((value) => parseDuration(value) !== undefined, 'a duration such as "45s" or "1h30m"'),
  );

function budget(kind: BudgetKind) {
  const { read, expected } = BUDGET_LIMITS[kind];
  const amount = z.union([z.string(), z.number()]);
  return amount.check(z.refine((value) => read(String(value)) !== undefined, expected));
}

/** A value that a reader of its own judges: it says why it cannot be read. */
function readBy<T>(read: (value: unknown) => ReadValue<T>) {
  return z.refine((value: unknown) => read(value).ok, {
    error: ({ input }) => reasonOf(read(input)),
    params: { isReason: true },
  });
}

function reasonOf(read: ReadValue<unknown>): string | undefined {
  return read.ok ? undefined : read.reason;
}

const textOrTexts = z.union([z.string(), z.array(z.string())], "a text, or a list of texts");

function iterationWord(key: keyof typeof ITERATION_WORDS) {
  const { pattern, expected } = ITERATION_WORDS[key];
  return z.string().check(z.regex(pattern, expected));
}

const workspaceWord = z.enum(WORKSPACE_WORDS);

/** How a person who does not look is told; see docs/notifications.md. */
const notify = z.strictObject({
  /** Absent: of everything. */
  on: z.optional(z.array(noticeKind).check(z.minLength(1))),
  /** Local time. */
  quiet: z.optional(
    z
      .string()
      .check(z.refine((value) => parseQuietHours(value) !== undefined, 'hours, as "22:00-07:00"')),
  ),
  desktop: z.optional(z.boolean()),
  /** A program and its words; no shell reads them. */
  command: z.optional(
    z.array(text, "a list of words such as [./tell.sh, --loud]").check(z.minLength(1)),
  ),
  webhook: z.optional(
    z.strictObject({
      url: z
        .string()
        .check(
          z.refine(
            (value) => /^https?:\/\//.test(value) && URL.canParse(value) && !hasCredentials(value),
            "an http or https address without a password",
          ),
        ),
      /** The name of the variable that holds the secret; never the secret itself. */
      secret_env: z
        .string()
        .check(z.regex(/^[A-Za-z_]\w*$/, "the name of an environment variable")),
    }),
  ),
});

/** A path that no `..` leads out of. */
const INSIDE = /^(?!\.{1,2}(?:\/|$))[^/\\:\p{Cc}]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\:\p{Cc}]+)*$/u;

export const config = z
  .strictObject({
    /** Folder under the work tree that holds `<agent-id>/projects/`. */
    root: z.optional(z.string().check(z.regex(INSIDE, "a folder inside the work tree"))),
    /** Identity of the orchestrator; `--as` wins. */
    owner_agent: z.optional(agentId),
    limits: z.optional(
      z.strictObject({
        tasks_per_session: z.optional(count.check(z.minimum(1), z.maximum(6))),
        files_per_task: z.optional(count),
        new_files_per_session: z.optional(count),
        moves_per_task: z.optional(count),
        /** False: a task that went beyond them and failed is tried again as it is, and not split into chunks. */
        extract: z.optional(z.boolean()),
      }),
    ),
    /** What `stint iterate` works by; its options win. */
    iteration: z.optional(
      z.strictObject({
        repo_id: z.optional(iterationWord("repo_id")),
        workflow_dir: z.optional(iterationWord("workflow_dir")),
        task_id: z.optional(iterationWord("task_id")),
        review_log: z.optional(iterationWord("review_log")),
        /** `<task-id>` stands for the id of the task. */
        subtask_log: z.optional(iterationWord("subtask_log")),
        /** Commands that judge each step of what is generated. */
        check: z.optional(textOrTexts.check(readBy(readSetup))),
      }),
    ),
    /** How long a session and a check may take; a task's own `timeout:` wins over `session`. */
    timeouts: z.optional(
      z.strictObject({
        session: z.optional(duration),
        /** Without any output. */
        idle: z.optional(duration),
        /** Of nothing but asking the provider again. */
        retrying: z.optional(duration),
        /** To leave by itself, after the agent's result. */
        grace: z.optional(duration),
        /** From SIGTERM to SIGKILL. */
        kill: z.optional(duration),
        check: z.optional(duration),
        /** Of each command. */
        setup: z.optional(duration),
      }),
    ),
    attempts_per_task: z.optional(ordinal),
    /** The most a new project may use; `--max-…` and `--grant` change it later. */
    budgets: z.optional(
      z.strictObject({
        sessions: z.optional(budget("sessions")),
        wall: z.optional(budget("wall")),
        tokens: z.optional(budget("tokens")),
        cost: z.optional(budget("cost")),
      }),
    ),
    /** The agent of every task that names none; `--agent` wins. */
    agent: z.optional(text),
    /** Instead of `agent`: the first works, the next ones take over while its provider refuses. */
    agents: z.optional(z.array(text).check(z.minLength(1), z.maxLength(8))),
    /** The model of each agent, as that agent calls it; `--model` wins. */
    models: z.optional(z.record(agentId, text)),
    /** Sessions beside each other; `--parallel` wins. */
    parallel: z.optional(ordinal.check(z.maximum(MOST_PARALLEL))),
    /** The most of them that one agent has, by its name. */
    parallel_per_agent: z.optional(z.record(agentId, ordinal)),
    /** False: a run ends where every agent is limited, as with `--no-wait`. */
    wait: z.optional(z.boolean()),
    /**
     * On: a run that is killed is resumed in the background, as with `--watchdog`. Off: nothing goes on with the
     * projects of this repository but a run that a person starts. Absent: ticks of the watchdog do.
     */
    watchdog: z.optional(z.enum(["on", "off"])),
    /** The Chromium of browser checks: a path, or a name on PATH. */
    browser: z.optional(text),
    notify: z.optional(notify),
    env: z.optional(
      z.strictObject({
        /** The only variables that sessions, checks and acts see, beside what hardly a program runs without; it names credentials too. */
        allow: z.optional(
          z.array(
            z
              .string()
              .check(
                z.regex(
                  /^(?:\*|[A-Za-z_]\w*\*?)$/,
                  'the name of a variable, a prefix such as "AWS_*", or "*"',
                ),
              ),
          ),
        ),
      }),
    ),
    isolation: z.optional(z.enum(["auto", "on", "off"])),
    /** Whether sessions, checks and acts may write outside the workspace and read keys. */
    protect: z.optional(z.enum(PROTECT_WORDS)),
    /** What they may write besides: absolute or `~/…`. */
    writable: z.optional(textOrTexts.check(readBy(readWritable))),
    /** What is not hidden from them: absolute or `~/…`. */
    show: z.optional(textOrTexts.check(readBy(readShow))),
    /** Of checks, setup and sessions of the `command:` kind. */
    network: z.optional(z.enum(NETWORK_WORDS)),
    /** Where sessions work; `dir` is where copies lie. */
    workspace: z.optional(
      z.union(
        [
          workspaceWord,
          z.strictObject({
            kind: z.optional(workspaceWord),
            dir: z.optional(z.string().check(readBy(readWorkspaceDir))),
          }),
        ],
        'copy, in-place or own-path, or keys such as "{ kind: copy, dir: /big/disk/stint }" with an absolute dir',
      ),
    ),
    /** What a new workspace gets of the files that git does not hold. */
    bring: z.optional(textOrTexts.check(readBy(readBring))),
    /** Commands that make a new workspace ready; again when a lock file changes. */
    setup: z.optional(textOrTexts.check(readBy(readSetup))),
    /** A server of the workspace, for sessions and checks. */
    serve: z.optional(
      z
        .union(
          [z.string(), z.strictObject({ run: text, ready: text })],
          "a command and the address that answers when it is ready",
        )
        .check(readBy(readServe)),
    ),
    /** The folder below the root in which sessions and checks start. */
    dir: z.optional(z.string().check(readBy(readDir))),
    /** Whether verified work goes into the branch that the project was started on by itself. */
    deliver: z.optional(z.enum(DELIVER_MODES)),
    push: z.optional(z.enum(["auto", "ask", "never"])),
    /** The project folder is committed with each task, all but its logs and its lease. */
    trackState: z.optional(z.boolean()),
    /** Whether a person is asked before a release step starts. */
    release: z.optional(z.enum(["ask", "auto"])),
    /** Whether work that only judges of its own agree with fails; a task's own `strict:` wins. */
    strict: z.optional(z.boolean()),
    /** Whether the work is proven in a fresh clone before Done, and how long questions about judges may take. */
    proof: z.optional(
      z
        .union(
          [
            z.string(),
            z.strictObject({ when: z.optional(z.string()), budget: z.optional(z.string()) }),
          ],
          'auto, always or never, or keys such as "{ when: always, budget: 10m }"',
        )
        .check(readBy(readProof)),
    ),
    approvals: z.optional(
      z.strictObject({
        /** Asked again, after new checks, where nobody answered for so long. */
        expire: z.optional(duration),
      }),
    ),
  })
  .check(
    z.refine(
      (value) => value.agent === undefined || value.agents === undefined,
      "agent and agents mean the same; keep one",
    ),
  );

export type Config = z.infer<typeof config>;

/** The keys that may stand at this place; none where no keys may. */
export function keysAt(
  path: readonly PropertyKey[],
  schema: z.core.$ZodType | undefined = config,
): readonly string[] {
  if (schema instanceof z.ZodMiniOptional) return keysAt(path, schema.def.innerType);
  if (!(schema instanceof z.ZodMiniObject)) return [];
  const { shape } = schema;
  const [first, ...rest] = path;
  return first === undefined ? Object.keys(shape) : keysAt(rest, shape[String(first)]);
}
