// What programs read: the output of every verb with --json. The schemas published under schemas/
// are generated from these.
import * as z from "zod/mini";
import { notedApproval, notedCheck } from "./evidence-note.ts";
import { delivery, journalEntry, proof } from "./project.ts";
import { agentLimit, blocker, pause } from "./items.ts";
import {
  agentId,
  count,
  dispatchId,
  instant,
  ordinal,
  projectId,
  runId,
  slug,
  taskId,
  text,
} from "./scalar.ts";
import { label, limits, told } from "./task.ts";
import { STANDINGS } from "../words/task-standing.ts";

/** Where verified work is by now: as recorded, or taken out of the person's branch since. */
const deliveryNow = z.union([
  delivery,
  z.object({
    kind: z.literal("taken-out"),
    /** The branch that it was delivered to; null where that is gone too, or the work was done in place. */
    branch: z.nullable(text),
    tasks: z.array(taskId),
    commits: z.array(text),
    why: text,
    hint: text,
  }),
]);

export type DeliveryNow = z.infer<typeof deliveryNow>;

const project = z.object({
  id: projectId,
  slug,
  owner_agent: agentId,
  goal: text,
  root: text,
  folder: text,
  manifest: text,
  created_at: instant,
  updated_at: instant,
});

const progress = z.object({
  done: count,
  total: count,
  skipped: count,
  blocked: count,
  /** Of those done: a person's word alone says so, and Stint verified nothing. */
  marked: count,
});

const problemView = z.object({
  rule: text,
  severity: z.enum(["error", "warning"]),
  line: ordinal,
  column: z.optional(ordinal),
  message: text,
  example: z.string(),
  /** The example has the right form, but other values. */
  sample: z.optional(z.literal(true)),
  found: z.string(),
});

/** An item of a review log, as it was understood. */
const reviewItem = z.object({
  line: ordinal,
  id: text,
  title: text,
  /** What resolved it, in words; null while it is open. */
  resolved_by: z.nullable(text),
});

/** Where verified work will be, and where it is pushed, in a sentence each. */
const plannedDelivery = z.object({
  deliver: z.enum(["auto", "checkout", "branch", "ask"]),
  /** The branch that it belongs to, or, in place, that is checked out; null: none. */
  branch: z.nullable(text),
  /** What becomes of it by itself. */
  kind: z.enum(["deliver", "wait", "ask", "in-place"]),
  text,
  /** Null where there is no remote. */
  push: z.nullable(text),
  /** Where it would be pushed, asked about or not; null: nowhere. The address has no password in it. */
  pushed_to: z.nullable(z.object({ remote: text, branch: text, url: text })),
});

const startFacts = {
  /** False: there is no commit yet to start from. */
  has_commit: z.boolean(),
  /** What of the person's files is not in the workspace, each in words. */
  left_out: z.array(text),
};

/** Of a manifest that may have no project yet; `plan` has all of it. */
const foretold = z.object({
  workspace: z.object({
    kind: z.enum(["own-copy", "in-place"]),
    ...startFacts,
    setup: z.array(text),
    serve: z.nullable(z.object({ command: text, ready: text })),
  }),
  delivery: plannedDelivery,
  /** What Stint executes or calls itself, by the name of its task. */
  acts: z.array(z.object({ task: text, act: text })),
  asked: z.array(z.object({ task: text, when: z.enum(["before", "release", "after"]) })),
  /** Shows all of it. */
  next: text,
});

export const lintView = z.object({
  files: z.array(
    z.object({
      file: text,
      tasks: count,
      errors: count,
      warnings: count,
      problems: z.array(problemView),
      /** What a run of it would do, before there is a project; absent where it cannot run. */
      foretold: z.optional(foretold),
      /** Only of a review log, which is no manifest: what was found in it. */
      review: z.optional(z.array(reviewItem)),
    }),
  ),
});

export const newView = z.object({
  project,
  status: text,
  tasks: z.array(z.object({ id: taskId, name: text, title: text, done: z.boolean() })),
  problems: z.array(problemView),
  next: text,
});

export const initView = z.object({
  repository: text,
  /** As it was named, or would be. */
  manifest: text,
  /** False: only shown. */
  written: z.boolean(),
  goal: z.nullable(text),
  /** Commands of this repository that the manifest names, and the file that told of each. */
  found: z.array(
    z.object({
      kind: z.enum(["setup", "test", "lint", "types", "build"]),
      command: text,
      where: text,
    }),
  ),
  /** What is there and was not taken. */
  left_out: z.array(z.object({ what: text, where: text, why: text })),
  text,
  next: z.array(text),
});

const budget = z.object({
  /** Sessions that a provider refused are not used. */
  sessions: z.object({ used: count, allowed: count, refused: count }),
  wall_ms: z.object({ used: count, allowed: count }),
  /** Null: not told by the agent, or not limited. */
  tokens: z.object({ used: z.nullable(count), allowed: z.nullable(count), unknown: count }),
  /** `unknown`: sessions that did not tell; what they cost comes on top. */
  cost_usd: z.object({
    used: z.nullable(z.number()),
    allowed: z.nullable(z.number()),
    unknown: count,
  }),
  /** The first that is used up, as `run --grant` names it. */
  spent: z.nullable(z.enum(["sessions", "hours", "tokens", "usd"])),
});

const bound = z.object({
  limit: count,
  /** What the words of the task name. */
  planned: count,
  /** Measured on the difference that its last session made; null before that. */
  used: z.nullable(count),
  left: count,
});

/** Where a task stands in the tree of a workflow, and how much of its bounds it has used. */
const inTree = {
  /** Of a chunk: the task that it is a part of. */
  chunk_of: z.optional(taskId),
  /** The child workflow that does it. */
  child: z.optional(text),
  /** Only of a workflow, an iteration, and a project with limits or chunks. */
  bounds: z.optional(
    z.object({
      /** The last session on it; null before that. */
      session: z.nullable(ordinal),
      /** Other tasks of that session, whose counts these are, too. */
      with: z.array(taskId),
      tasks: bound,
      files: bound,
      new_files: bound,
      moves: bound,
    }),
  ),
};

/** A session that did not simply finish. */
const sessionEndView = z.object({
  session: ordinal,
  task_id: taskId,
  /** Completes "session 3 …": how it ended, its exit and its last words. */
  words: text,
  /** Absolute; null where it left none. */
  log: z.nullable(text),
  at: instant,
});

export const statusView = z.object({
  project,
  revision: ordinal,
  status: text,
  round_status: z.enum(["running", "awaiting-result", "paused", "blocked", "complete"]),
  phase: text,
  progress,
  tasks: z.array(
    z.object({
      id: taskId,
      name: text,
      title: text,
      status: text,
      attempts: count,
      labels: z.array(label),
      /** Why it has each of them; absent where there is nothing more to say. */
      label_reasons: z.optional(z.record(z.string(), z.string())),
      /** Of its own sessions; null where none has ended. */
      spent: z.nullable(z.object(told)),
      detail: z.nullable(text),
      ...inTree,
    }),
  ),
  /** Tasks that are not in `tasks`; all are there with --all. */
  tasks_left_out: count,
  next_action: text,
  next_checkpoint: z.nullable(text),
  blockers: z.array(blocker),
  waiting_for_a_person: z.array(
    z.object({
      id: text,
      kind: text,
      what: text,
      asked_at: instant,
      /** Not to be answered with yes after it; asked anew by the next run. */
      expires_at: z.nullable(instant),
      /** The commands that show it and answer it. */
      look: z.nullable(text),
      yes: text,
      no: z.nullable(text),
    }),
  ),
  pause: z.nullable(pause),
  /** Agents that their provider refused and that were not answered since. */
  agent_limits: z.array(agentLimit),
  current_attempt: z.nullable(
    z.object({
      task_id: taskId,
      number: ordinal,
      allowed: ordinal,
      session: ordinal,
      started_at: instant,
    }),
  ),
  /** The last failure of a task that is not done. */
  last_failure: z.nullable(
    z.object({ task_id: taskId, attempt: ordinal, check: text, line: z.string(), at: instant }),
  ),
  /** The last session of every task that is not done, where that did not simply finish or ask; the oldest first. */
  session_ends: z.array(sessionEndView),
  /** Sessions at work that wait for their provider, as they last told. */
  provider_waits: z.array(z.object({ session: ordinal, text, at: instant })),
  budget,
  roles: z.object({
    origin: text,
    coordinator: z.nullable(text),
    workers: z.array(text),
    watchdog: z.nullable(text),
    collapsed: z.boolean(),
  }),
  lease: z.object({
    held: z.boolean(),
    run_id: z.nullable(text),
    fence: count,
    why: text,
  }),
  /** A stop or a pause that the live run was asked for and that it has not come to yet. */
  stop_asked: z.nullable(z.object({ by: text, at: instant, now: z.boolean(), reason: text })),
  /** A live run in the background, and the file that it writes its lines to. */
  background: z.nullable(z.object({ pid: ordinal, log: text, since: instant })),
  /** Where its sessions work, once a run has opened it; its size as it was last measured. */
  workspace: z.nullable(
    z.object({
      kind: z.enum(["own-copy", "in-place"]),
      /** Which kind and where sessions see it, in a few words. */
      name: text,
      /** Of the last run. */
      isolation: z.enum(["bwrap", "unshare", "group"]),
      /** Where it lies; of one in place, what Stint keeps beside it. */
      path: text,
      /** Where its sessions find the files. */
      shown_at: text,
      /** Promises that do not hold here. */
      missing: z.array(text),
      bytes: z.nullable(count),
      measured_at: z.nullable(instant),
    }),
  ),
  /** Where the verified work is; null before anything was committed. */
  delivery: z.nullable(deliveryNow),
  /** What a fresh clone of the work said last; null before one was asked. */
  proof: z.nullable(proof),
  /** What a killed delivery left in the checkout; the next command that works on the project ends it. */
  delivery_cut_short: z.nullable(text),
  /** Why the manifest on disk is not the one that holds: git put it there. Null where it is. */
  manifest_not_adopted: z.nullable(text),
  /** How the copy in the project folder compares with the durable state. */
  folder: z.enum(["same", "behind", "missing", "foreign", "unreadable"]),
  last_event: z.nullable(journalEntry),
  /** What would unblock the work or complete it; null where nothing is left. */
  done_when: z.nullable(z.string()),
  resume_instructions: text,
});

export const listView = z.object({
  projects: z.array(
    z.object({
      id: projectId,
      slug,
      root: text,
      manifest: text,
      created_at: instant,
      state: z.discriminatedUnion("readable", [
        z.object({
          readable: z.literal(true),
          status: text,
          revision: ordinal,
          progress,
          /** As it was last recorded; null before anything was committed. */
          delivery: z.nullable(delivery),
          held: z.boolean(),
          updated_at: instant,
        }),
        z.object({ readable: z.literal(false), reason: text }),
      ]),
    }),
  ),
  /** Projects whose entry in the registry is damaged; nothing else is known of them. */
  damaged: z.array(z.object({ project_id: projectId, path: text, reason: text, fix: text })),
});

export const logView = z.object({
  project_id: projectId,
  total: count,
  lines: z.array(journalEntry),
});

const finding = z.object({
  severity: z.enum(["fine", "notice", "problem"]),
  what: text,
  where: text,
  fix: z.nullable(text),
});

export const doctorView = z.object({
  system: z.array(finding),
  projects: z.array(z.object({ project_id: projectId, findings: z.array(finding) })),
  adoptable: z.array(z.object({ folder: text, verdict: text, details: z.array(text) })),
  repaired: z.array(
    z.object({ project_id: projectId, revision: ordinal, inferred: z.array(text) }),
  ),
});

export const cleanView = z.object({
  /** False: only shown. */
  is_applied: z.boolean(),
  items: z.array(
    z.object({
      kind: z.enum(["workspace", "litter", "background-runs", "watchdog-notes", "registry-entry"]),
      project_id: projectId,
      path: text,
      reason: text,
      /** At least; null: it takes no room worth telling. */
      bytes: z.nullable(count),
      files: z.nullable(count),
      /** What would be lost with it; it needs --force then. */
      only_copy_of: z.array(text),
      outcome: z.enum(["shown", "removed", "kept", "failed"]),
      /** Why it was kept, or could not be removed. */
      why: z.nullable(text),
    }),
  ),
  /** Of what was removed, or would be. */
  bytes: count,
  next: z.array(text),
});

const criterion = z.object({
  id: z.enum(["id-continuity", "status-preservation", "seamless-continuation"]),
  name: text,
  passed: z.boolean(),
  /** What was found to be so. */
  found: text,
  /** Why it does not hold; empty when it does. */
  problems: z.array(text),
});

export const verifyView = z.object({
  question: z.literal("Proper cross-session persistence?"),
  project_id: projectId,
  revision: z.nullable(ordinal),
  /** Runs that started an attempt, and sessions they started. */
  runs: count,
  sessions: count,
  criteria: z.array(criterion),
  /** All three hold: what was done is still there, as it was recorded. */
  passed: z.boolean(),
  /** Commits after all of Stint's that changed files of its tasks, the youngest first; null: none that are not proven. */
  later: z.nullable(
    z.object({
      /** Where the branch is. */
      tip: text,
      commits: z.array(z.object({ commit: text, subject: z.string() })),
      tasks: z.array(taskId),
      paths: z.array(text),
    }),
  ),
  /** What the manifest on disk says that Stint has not read yet, and what the next run makes of it; null: nothing. */
  edit: z.nullable(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("adopted"), changes: z.array(text) }),
      z.object({ kind: z.literal("refused"), errors: z.array(text) }),
      z.object({ kind: z.literal("by-git"), why: text }),
    ]),
  ),
  /** What a fresh clone of the work said last; null before one was asked. */
  proof: z.nullable(proof),
  /** What each task rests on; those that were removed from the manifest are left out. */
  tasks: z.array(
    z.object({
      id: taskId,
      title: text,
      standing: z.enum(STANDINGS),
      labels: z.array(label),
      /** Paths of records in the project folder, or what else tells. */
      evidence: z.array(text),
      /** Who marked, approved or skipped it, and why. */
      by: z.nullable(text),
      reason: z.nullable(text),
      /** Null: nothing of it was committed, or it is not done. */
      commit: z.nullable(text),
    }),
  ),
});

/** What the notes of a clone say of the tasks on a branch. */
export const branchVerifyView = z.object({
  branch: text,
  /** Where it is. */
  commit: text,
  tasks: z.array(
    z.object({
      project: z.string(),
      task: text,
      name: z.nullable(text),
      title: z.nullable(text),
      /** Null where no commit of its own holds it. */
      commit: z.nullable(text),
      status: z.enum(["verified", "weakly", "marked", "untrusted", "changed", "none"]),
      /** What that rests on. */
      why: text,
      labels: z.array(text),
      checks: z.array(notedCheck),
      approvals: z.array(notedApproval),
      signature: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("good"), by: text, key: text }),
        z.object({ kind: z.literal("unknown-key"), key: z.string(), why: text }),
        z.object({ kind: z.literal("bad"), why: text }),
        z.object({ kind: z.literal("unchecked"), why: z.string() }),
        z.object({ kind: z.literal("none") }),
      ]),
    }),
  ),
  /** The youngest commit of it that passed everything in a fresh clone. */
  proof: z.nullable(z.object({ commit: text, at: instant, is_tip: z.boolean() })),
  /** The oldest commits of it that are here, where the clone does not have their parents; none: it is whole. */
  cut: z.array(text),
  passed: z.boolean(),
  /** What brings here the rest of the history, and the notes where there are none. */
  next: z.array(text),
});

const commit = z.object({ task_id: taskId, commit: text });

/** One run as S1 calls it: a session of the list, told in its exact lines. */
const sessionReport = z.object({ session: ordinal, lines: z.array(z.string()) });

export const runView = z.object({
  why: text,
  run: z.object({
    run_id: runId,
    pid: ordinal,
    /** The revision it found; everything after it is this run's. */
    from_revision: ordinal,
    sessions: count,
    /** How often its sessions waited for a provider and asked again. */
    retries: count,
    wall_ms: count,
  }),
  /** Its sessions that did not simply finish or ask. */
  session_ends: z.array(sessionEndView),
  /** Tasks that this run made done. */
  done: z.array(taskId),
  /** False: there is no repository, so that nothing is committed. */
  has_git: z.boolean(),
  commits: z.array(commit),
  /** Folder with the records of every check, relative to the root of the work tree. */
  evidence: text,
  next: z.array(text),
  report: z.nullable(sessionReport),
  status: statusView,
});

/** A run that was started in the background. */
export const detachedView = z.object({
  project_id: projectId,
  pid: ordinal,
  /** What it says, absolute. */
  log: text,
  next: z.array(text),
});

export const watchView = z.object({
  project_id: projectId,
  /** Of the run that was watched; null where none was live. */
  pid: z.nullable(ordinal),
  was_live: z.boolean(),
  /** Whoever watched has left; the run goes on. */
  left: z.boolean(),
  /** How the last run in the background ended; null where it was no such run, or was killed. */
  run: z.nullable(runView),
  status: statusView,
});

export const demoView = z.object({
  project_id: projectId,
  sessions: z.array(
    z.object({ session: ordinal, run_id: runId, pid: ordinal, lines: z.array(z.string()) }),
  ),
  verify: verifyView,
  passed: z.boolean(),
  /** Where the repository is left, or null when it was removed. */
  kept: z.nullable(text),
});

const agent = z.object({
  name: text,
  title: text,
  is_default: z.boolean(),
  /** The file that would be started, or null when it is not installed. */
  program: z.nullable(text),
  version: z.nullable(text),
  /** As far as the agent itself tells. */
  login: z.enum(["yes", "no", "unknown"]),
  /** What each permission means for it. */
  modes: z.record(z.enum(["default", "read-only", "dangerous"]), text),
  /** What to run before it can be used. */
  next: z.nullable(text),
});

export const agentsView = z.object({
  agents: z.array(agent),
  /** What a run takes when nothing else is said. */
  default: text,
  isolation: z.object({ kind: z.enum(["bwrap", "unshare", "group"]), guarantees: text }),
});

/** What came of an answer. A refusal is an error instead. */
export const answerView = z.object({
  project_id: projectId,
  answer_id: text,
  /** `given`: the same had been answered before. `left`: the run has not taken it up yet. */
  outcome: z.enum(["applied", "given", "left"]),
  what: text,
  /** Whether a live run carried it out. */
  by_run: z.boolean(),
  /** The run was asked to stop, and has not come to it yet. */
  is_stopping: z.boolean(),
  status: text,
  /** Of gates approved ahead: what is asked about all the same. */
  not_covered: z.array(text),
  /** Of an edit alone: what lint warns of since then, and how to write it right. */
  warnings: z.array(text),
  next: z.array(text),
});

/** Delegated work, as it stands. */
const dispatchItem = z.object({
  id: dispatchId,
  task_id: taskId,
  owner: text,
  objective: text,
  /** `session`: Stint started it; `outside`: only its return condition is looked at. */
  worker: z.enum(["session", "outside"]),
  /** By what it is known to be back, as a manifest writes it. */
  returns: text,
  status: z.enum(["sent", "returned", "timed_out", "lost", "cancelled"]),
  sent_at: instant,
  /** When it is looked at next; null once it is closed. */
  next_look_at: z.nullable(instant),
  deadline_at: instant,
  closed_at: z.nullable(instant),
  /** What came back, whole, or why nothing did; null while it is out. */
  result: z.nullable(text),
});

export const resultsView = z.object({
  project_id: projectId,
  status: text,
  results: z.array(dispatchItem),
});

/** What `dispatch` did, if anything, and what is out. A refusal is an error instead. */
export const dispatchView = z.object({
  project_id: projectId,
  status: text,
  /** Null where it was only looked at. `left`: it lies there for a run. */
  did: z.nullable(
    z.object({
      outcome: z.enum(["applied", "given", "left"]),
      what: text,
    }),
  ),
  dispatches: z.array(dispatchItem),
  next: z.array(text),
});

/** What `deliver` did. */
export const deliverView = z.object({
  project_id: projectId,
  /** Where the work is now; null before anything was committed. */
  delivery: z.nullable(deliveryNow),
  /** What was brought in just now. */
  commits: count,
  files: count,
  push: z.object({
    /** `left`: a person would have to be asked; `text` has the command. */
    kind: z.enum(["pushed", "left", "failed", "none"]),
    text: z.nullable(text),
  }),
  status: text,
  next: z.array(text),
});

const plannedTask = z.object({
  id: taskId,
  name: text,
  title: text,
  status: text,
  /** Ids, or null: every task above it. */
  after: z.nullable(z.array(taskId)),
  checks: z.array(text),
  /** Done, and only a person says so. */
  marked: z.optional(z.literal(true)),
  /** What Stint executes or calls itself, instead of a session: its `run:`, or POST and its `webhook:`. */
  act: z.nullable(text),
  /** Where below the root its sessions and checks start; null: at the root. */
  dir: z.nullable(text),
  /** Where its `run:` is executed: in the person's own files; null: in the workspace, or it has none. */
  in: z.nullable(z.literal("checkout")),
  /** Who does it elsewhere, and by what it is known to be back; absent: a session in hand. */
  delegated: z.optional(text),
  /** What will be asked about it. */
  approvals: z.array(text),
  /** When: before it starts, before it starts because it is a release step, about its output. */
  asked: z.array(z.enum(["before", "release", "after"])),
  ...inTree,
});

const plannedWorkspace = z.object({
  /** `own-copy`: a copy of the last commit. `in-place`: the checkout itself. */
  kind: z.enum(["own-copy", "in-place"]),
  /** Where sessions see it: at the path of the checkout, or where it lies. */
  shown_at: z.enum(["checkout", "own-path"]),
  /** Where it lies. */
  folder: text,
  /** Whether it starts from what the person has not committed, too. */
  includes_changes: z.boolean(),
  bring: z.union([z.enum(["default", "all", "none"]), z.array(text)]),
  setup: z.array(text),
  serve: z.nullable(z.object({ command: text, ready: text })),
  /** Where below the root sessions and checks start; null: at the root. */
  dir: z.nullable(text),
  /** Files that the manifest mentions, that no commit holds, and that nothing brings. */
  unseen: z.array(text),
  ...startFacts,
});

export const planView = z.object({
  project,
  status: text,
  /** A run works on it now. */
  held: z.boolean(),
  /** Those that sessions would be started with, the preferred one first. */
  agents: z.array(text),
  workspace: plannedWorkspace,
  delivery: plannedDelivery,
  plan: z.object({
    /** Digest of the manifest that is shown. */
    digest: text,
    /** Absent word: null. */
    approved_by: z.nullable(text),
    approved_at: z.nullable(instant),
    needs_word: z.boolean(),
    /** The file holds more or other than what is shown: it is gone, or not read yet. */
    is_behind: z.boolean(),
  }),
  tasks: z.array(plannedTask),
  /** Yeses that can be given now, and what is asked about all the same. */
  gates: z.object({
    ahead: z.array(taskId),
    /** Approves all of them; null where there are none. */
    command: z.nullable(text),
    later: z.array(text),
  }),
  /** What lint warns of. */
  warnings: count,
  limits: z.object({ ...limits.shape, strict: z.boolean() }),
  sessions: z.object({ least: count, most: count, left: count }),
  /** Where sessions are to work beside each other: what would be at work together, if all took equally long. */
  parallel: z.optional(
    z.object({
      sessions: ordinal,
      waves: z.array(z.array(taskId)),
      /** Tasks that wait for each other, one after another: no number of sessions is faster than these. */
      longest: z.array(taskId),
    }),
  ),
  /** Everything that Stint itself may execute for it. */
  commands: z.array(z.object({ command: text, allowed: z.boolean() })),
  next: z.array(text),
});

export const diffView = z.object({
  project_id: projectId,
  about: text,
  item: z.nullable(
    z.object({
      id: text,
      kind: text,
      status: text,
      reason: text,
      subject: text,
      subject_sha256: text,
      on_yes: text,
      on_no: text,
      expires_at: z.nullable(instant),
      /** Whether what was shown is still what is there. */
      is_current: z.boolean(),
    }),
  ),
  /** Lines of a difference; empty where there is none. */
  diff: z.string(),
  new_commands: z.array(text),
  next: z.array(text),
});

const changedFiles = z.object({
  /**
   * `committed`: by the commit that is named. `unfinished`: kept for the next attempt. `to-check`: kept, and its
   * checks run next. `session`: by it alone.
   */
  kind: z.enum(["committed", "unfinished", "to-check", "session"]),
  commit: z.nullable(text),
  total: count,
  /** The first hundred. */
  files: z.array(
    z.object({
      path: text,
      change: z.enum(["added", "modified", "deleted", "moved"]),
      /** Lines; null of what is no text, or was not counted. */
      added: z.nullable(count),
      removed: z.nullable(count),
    }),
  ),
});

const shownCheck = z.object({
  task_id: taskId,
  check: text,
  result: z.enum(["passed", "failed", "pending", "unavailable"]),
  summary: z.string(),
  at: z.nullable(text),
  /** The record of it, below the project folder. */
  evidence: text,
  /** The end of its output, cut. */
  output: z.string(),
});

const shownSession = z.object({
  session: ordinal,
  tasks: z.array(z.object({ task_id: taskId, attempt: count })),
  agent: text,
  started_at: instant,
  /** Null while it is at work, and where a kill cut it short. */
  ended_at: z.nullable(instant),
  wall_ms: z.nullable(count),
  tokens: z.nullable(count),
  cost_usd: z.nullable(z.number()),
  /** How it ended, in words. */
  ended: text,
  ended_well: z.boolean(),
  /** It has not ended: it is at work, or somebody outside has the work. */
  is_out: z.boolean(),
  last_words: z.nullable(z.string()),
  /** What it changed, in words of the journal; null where nothing was measured. */
  measured: z.nullable(text),
  /** Null where the trees are gone. */
  changed: z.nullable(changedFiles),
  checks: z.array(shownCheck),
  /** The end of what it wrote to standard error. */
  stderr: z.string(),
  /** Its path is below the project folder. */
  brief: z.nullable(z.object({ path: text, text: z.string(), is_cut: z.boolean() })),
  /** Its raw stream, below the project folder; null where there is none. */
  log: z.nullable(text),
});

/** One task with its attempts, or one session. */
export const showView = z.object({
  project_id: projectId,
  slug,
  /** The project folder, absolute. */
  folder: text,
  /** Null where a session was asked for. */
  task: z.nullable(
    z.object({
      id: taskId,
      name: text,
      title: text,
      status: text,
      labels: z.array(label),
      attempts: count,
      allowed: count,
      /** Of those allowed, so many were added: by an interruption, a question or a retry. */
      allowed_extra: count,
      checks: z.array(text),
      /** What Stint itself does for it, its `run:` or `webhook:`; null: it has none. */
      act: z.nullable(
        z.object({
          what: text,
          /** How it ended, in words; null: it was not done yet. */
          ended: z.nullable(text),
          ended_well: z.boolean(),
          /** The end of what it printed, or of the answer. */
          output: z.string(),
          /** The record of that, below the project folder; null where there is none. */
          record: z.nullable(text),
          /** Run after it; of a task with sessions each session has its own. */
          checks: z.array(shownCheck),
        }),
      ),
      /** Why it is where it is: what blocked it, what it waits for, who skipped it, whose word it is done by. */
      why: z.nullable(text),
      last_failure: z.nullable(
        z.object({ attempt: ordinal, check: text, excerpt: z.string(), at: instant }),
      ),
      changed: z.nullable(changedFiles),
      spent: z.nullable(z.object(told)),
    }),
  ),
  /** Newest first. */
  sessions: z.array(shownSession),
  sessions_left_out: count,
  next: z.array(text),
});

export const configView = z.object({
  repository: text,
  /** Whose front matter was taken into account; null: none was named. */
  manifest: z.nullable(text),
  values: z.array(
    z.object({
      key: text,
      value: z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
      from: z.enum([
        "option",
        "manifest",
        "stint.config.yaml",
        "stint.config.yml",
        "stint.config.json",
        "environment",
        "repository",
        /** It was written into the project when it was made, or by an option of a run since. */
        "project",
        "default",
      ]),
      /** What holds where the value is null, in words. */
      unset: z.nullable(text),
    }),
  ),
});

export const iterateView = z.object({
  kind: z.enum(["iteration", "workflow", "nothing-open"]),
  request: text,
  /** The file that was written or found; null where nothing is open. */
  manifest: z.nullable(text),
  /** Why it is a workflow and not one iteration. */
  because: z.array(text),
  steps: z.array(z.object({ name: text, title: text, child: z.nullable(text) })),
  run: z.nullable(runView),
  /** Stage six: terse, and what is next. */
  response: z.object({ summary: text, next: z.array(text) }),
});

export const completionView = z.object({ shell: text, script: text });

const installedSkill = z.object({
  skill: text,
  scope: z.enum(["project", "user"]),
  /** Who reads it there. */
  agents: z.array(text),
  folder: text,
  /** What is there afterwards. `edited`: by somebody, since it was installed. `foreign`: not from Stint. */
  state: z.enum(["absent", "current", "outdated", "edited", "foreign", "link"]),
  /** `left`: it was asked for, and what is there was left as it is. */
  outcome: z.enum(["shown", "installed", "updated", "unchanged", "removed", "left"]),
  why: z.nullable(text),
});

const checkedSkill = z.object({
  folder: text,
  errors: count,
  warnings: count,
  problems: z.array(z.extend(problemView, { file: text })),
});

export const skillsView = z.object({
  act: z.enum(["install", "list", "check", "remove"]),
  /** Of every act but `check`. */
  installed: z.array(installedSkill),
  /** Of `check` alone. */
  checked: z.array(checkedSkill),
  next: z.array(text),
});

export const mcpView = z.object({
  act: z.enum(["install", "list", "remove"]),
  servers: z.array(
    z.object({
      scope: z.enum(["project", "user"]),
      /** Who reads the file. */
      agents: z.array(text),
      file: text,
      /** What is there afterwards. `edited`: an entry of this name that is not as Stint writes it. */
      state: z.enum(["absent", "current", "edited", "unreadable", "link"]),
      /** `left`: it was asked for, and what is there was left as it is. */
      outcome: z.enum(["shown", "installed", "unchanged", "removed", "left"]),
      why: z.nullable(text),
    }),
  ),
  next: z.array(text),
});

export const errorView = z.object({
  error: z.object({
    code: text,
    message: text,
    hint: z.nullable(text),
    problems: z.optional(z.array(problemView)),
  }),
});

/** `watchdog`: what a tick did, or what ticks by itself on this machine. */
export const watchdogView = z.object({
  action: z.enum(["tick", "install", "remove", "status"]),
  at: instant,
  tick: z.nullable(
    z.object({
      projects: count,
      watched: count,
      acts: z.array(
        z.object({
          project_id: projectId,
          slug: z.nullable(slug),
          /** `look`: nothing can go on by itself, and a person has to look. */
          act: z.enum(["resume", "escalate", "look"]),
          why: text,
          /** Which one in a row without new evidence. */
          recovery: z.nullable(ordinal),
        }),
      ),
    }),
  ),
  timer: z.nullable(
    z.object({
      /** Null where nothing is installed. */
      kind: z.nullable(z.enum(["systemd", "launchd", "cron", "process"])),
      live: z.boolean(),
      places: z.array(text),
      changed: z.boolean(),
      last_tick: z.nullable(instant),
      /** `held`: a run works on it. */
      watches: z.array(z.object({ project_id: projectId, slug, status: text, held: z.boolean() })),
      /** Nobody knows whether they are watched. */
      unreadable: z.array(z.object({ project_id: projectId, why: text })),
    }),
  ),
});

export type WatchdogView = z.infer<typeof watchdogView>;
export type TickView = NonNullable<WatchdogView["tick"]> & Pick<WatchdogView, "at">;
export type CompletionView = z.infer<typeof completionView>;
export type ProblemView = z.infer<typeof problemView>;
/** What `stint lint` says: the problems of each file. */
export type LintView = z.infer<typeof lintView>;
export type InitView = z.infer<typeof initView>;
/** What `stint new` says: the project that was made, and its tasks. */
export type NewView = z.infer<typeof newView>;
/** What `stint status` says: tasks, blockers, what waits for a person, what was spent. */
export type StatusView = z.infer<typeof statusView>;
/** What `stint list` says: all projects of a user. */
export type ListView = z.infer<typeof listView>;
/** What `stint log` says: the lines of the journal. */
export type LogView = z.infer<typeof logView>;
export type DoctorView = z.infer<typeof doctorView>;
export type CleanView = z.infer<typeof cleanView>;
export type AgentsView = z.infer<typeof agentsView>;
export type AgentView = z.infer<typeof agent>;
export type FindingView = z.infer<typeof finding>;
export type ErrorView = z.infer<typeof errorView>;
export type BranchVerifyView = z.infer<typeof branchVerifyView>;
/** What `stint verify` says: whether all that was done is still there, and why not. */
export type VerifyView = z.infer<typeof verifyView>;
export type DetachedView = z.infer<typeof detachedView>;
export type WatchView = z.infer<typeof watchView>;
/** What `stint run` says at its end: why it ended, what was done, and the commands that go on. */
export type RunView = z.infer<typeof runView>;
export type AnswerView = z.infer<typeof answerView>;
export type DispatchItemView = z.infer<typeof dispatchItem>;
export type DispatchView = z.infer<typeof dispatchView>;
export type ResultsView = z.infer<typeof resultsView>;
export type DeliverView = z.infer<typeof deliverView>;
export type PlanView = z.infer<typeof planView>;
export type DiffView = z.infer<typeof diffView>;
export type DemoView = z.infer<typeof demoView>;
export type ShowView = z.infer<typeof showView>;
export type ConfigView = z.infer<typeof configView>;
export type SkillsView = z.infer<typeof skillsView>;
export type McpView = z.infer<typeof mcpView>;
export type IterateView = z.infer<typeof iterateView>;
export type ProgressView = z.infer<typeof progress>;
