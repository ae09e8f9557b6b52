// PROVE: what is committed passes its checks in a fresh clone, or it is not Done. All checks run at the tip; one that is
// red there is asked again at its own task's commit: red, it passes only here; green, something later changed that: a
// later task, which made it void, or a commit that is no task's, which broke the task. What broke and what passes only
// here blocks the project with both outputs. What could not be asked is said, and blocks nothing.
//
// Nothing is kept before its event: a kill leaves a folder, which the next opening removes, and everything is asked again.
import { join, resolve } from "node:path";
import { checkKey, describeCheck } from "../../checks/check-text.ts";
import { missingSetup, SETUP_FILES } from "../../core/proof/missing-setup.ts";
import { likelyReason, type LikelyReason } from "../../core/proof/likely-reason.ts";
import type { TaskId } from "../../core/ids.ts";
import {
  isMadeElsewhere,
  isProofSettled,
  type Repeated,
  repeatedChecks,
} from "../../core/proof/when-due.ts";
import type { DoneTask } from "../../core/project-state.ts";
import type { Proof, ProjectState } from "../../core/schema/project.ts";
import type { ProofRecord } from "../../core/schema/proof-record.ts";
import { StintError } from "../../core/stint-error.ts";
import { shortCommit } from "../../core/words/proof-words.ts";
import { isMarked } from "../../core/words/task-standing.ts";
import { sha256Of } from "../../store/digest.ts";
import { keptPath } from "../../store/store.ts";
import type { Tip } from "../../workspace/workspace.ts";
import { fact, nowOf } from "../base/fact.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { whileTold } from "../base/while-wanted.ts";
import { consentOf } from "../people/consent.ts";
import { workBetween } from "../space/task-work.ts";
import { wishesOf } from "../space/workspace-commands.ts";
import { deliveredTip } from "./delivered-tip.ts";
import { type CloneRun, type CloneWish, runInClone } from "./fresh-clone.ts";

/** The same whenever a person asks: what is found is recorded, and stops nothing. `isGone`: the workspace went with the work. */
export async function* proveAnyTime(context: RunContext, isGone: boolean): Steps {
  const isForced = context.settings.proof.when === "always";
  const work = isGone ? await deliveredTip(context) : await context.space.tip();
  const { proof, rows } = await proveCommit(context, work, isForced);
  yield { event: { kind: "proof-recorded", ...fact(context), proof }, rows };
}

/** Whether the run proves anything at all; asked each round, so that git is not. */
export function isProofWanted({ holder, settings }: RunContext): boolean {
  return settings.proof.when !== "never" && repeatedChecks(holder.state.tasks).length > 0;
}

/** Whether the run has to prove what is committed before it goes on. */
export async function isProofDue(context: RunContext): Promise<boolean> {
  const { state, lease } = context.holder;
  const tip = await context.space.tip();
  if (isProofSettled(state.proof, tip.commit, lease.acquired_at)) return false;
  return !(await isProvenBut(context, tip.tree));
}

/** Since what is proven nothing was committed but Stint's own boxes, for tasks without a check to repeat. */
async function isProvenBut(context: RunContext, tree: string): Promise<boolean> {
  const { proof, tasks, manifest } = context.holder.state;
  if (proof?.kind !== "proven") return false;
  const isNew = ({ task }: Repeated): boolean => task.done_at > proof.at && !isMadeElsewhere(task);
  if (repeatedChecks(tasks).some(isNew)) return false;
  try {
    const { paths } = await workBetween(context, `${proof.commit}^{tree}`, tree);
    return paths.every((path) => path === manifest.path);
  } catch (error) {
    // The commit is gone: somebody rewrote history, and what is there now is another.
    if (error instanceof StintError && error.code === "git-failed") return false;
    throw error;
  }
}

export async function* prove(context: RunContext): Steps {
  const { holder, settings } = context;
  const isForced = settings.proof.when === "always";
  const work = await context.space.tip();
  const { proof, rows } = await proveCommit(context, work, isForced);
  if (proof.kind !== "failed") {
    yield { event: { kind: "proof-recorded", ...fact(context), proof }, rows };
    return;
  }
  const blocker = {
    kind: "proof" as const,
    reason: failedWords(proof, holder.state),
    unblock: unblocking(context, proof),
  };
  yield { event: { kind: "blocked", ...fact(context), proof, blocker }, rows };
}

/** Every failing check in a sentence, with both outputs, as a person reads it. */
function failedWords(
  { failing, commit }: Extract<Proof, { kind: "failed" }>,
  { tasks }: ProjectState,
): string {
  const each = failing.map(({ task_id, check, reason }) => {
    const title = tasks.find(({ id }) => id === task_id)?.title ?? "";
    return `${task_id} "${title}": ${check} ${reason}`;
  });
  return `the work does not pass in a fresh clone at ${shortCommit(commit)}. ${each.join(". ")}`;
}

/** Whose box a person checked is done again by a session, as soon as that person takes the mark back. */
function unblocking(
  { holder: { entry, state } }: RunContext,
  { failing, path }: Extract<Proof, { kind: "failed" }>,
): string {
  const failed = new Set(failing.map(({ task_id }) => task_id));
  const marked = state.tasks.filter((task) => failed.has(task.id) && isMarked(task));
  const boxes = marked.length === 1 ? "the box" : "the boxes";
  const uncheck = `uncheck ${boxes} of ${marked.map(({ id }) => id).join(", ")} in ${resolve(entry.root, state.manifest.path)}`;
  const fix = `see ${join(entry.root, entry.folder, path)}, fix it`;
  const act = marked.length === 0 ? fix : `${uncheck}, or ${fix}`;
  return `${act}, then: stint resume ${state.project_id}`;
}

/** As it is written in a manifest. */
const GIVE_CHECKS = "Give tasks a check, for example: check: `npm test`";

interface Proven {
  readonly proof: Proof;
  /** For validation.md. */
  readonly rows: readonly string[];
}

/** Asks, and keeps the record with the next revision. `isForced`: also where nobody knows what a clone needs. */
async function proveCommit(
  context: RunContext,
  { commit, tree }: Tip,
  isForced: boolean,
): Promise<Proven> {
  if (commit === null) {
    const hint = "Work in a git repository: git init && git add -A && git commit -m start";
    return notProven(context, null, "without git there is nothing to clone", hint);
  }
  const { tasks, leftOut } = allowedChecks(context);
  if (tasks.length === 0) {
    const why = "no done task has a check that can be repeated in a clone";
    return notProven(context, commit, why, GIVE_CHECKS);
  }
  const setupLine = await missingLine(context, tree);
  const isSetUp = (wishesOf(context).setup ?? []).length > 0;
  if (setupLine !== null && !isSetUp && !isForced) {
    const why = `${setupLine.file} lists dependencies, and nothing says how to install them`;
    const hint = `Write it into the manifest or stint.config.yaml: setup: [${setupLine.line}]`;
    return notProven(context, commit, why, hint);
  }
  const { hidden, tooMany } = context.outsideFiles();
  const asking: Asking = {
    context,
    hidden,
    clones: [],
    isSetUp,
    setupLine: setupLine?.line ?? null,
  };
  const what = `proving the work in a fresh clone at ${shortCommit(commit)}`;
  const answer = await whileTold(context, what, () => answerOf(asking, { commit, tasks }));
  if (answer.kind === "not-proven") {
    keepProof(asking, commit, leftOut);
    return notProven(context, commit, answer.why, answer.hint);
  }
  const kept = keepProof(asking, commit, leftOut);
  if (answer.kind === "proven" && tooMany.length > 0) {
    const why = `too many files were made in ${tooMany.join(" and ")} since the project began: not all of them could be hidden from the clone`;
    const hint = `Remove those that nobody needs, then: stint verify --fresh ${context.holder.state.project_id}`;
    return notProven(context, commit, why, hint);
  }
  const { kind, checks } = answer;
  const { at } = fact(context);
  const row = `| proof (fresh clone at ${shortCommit(commit)}) | ${checks} checks | ${kind === "proven" ? "pass" : "fail"} | ${at} | \`${kept.path}\` | ${kind === "proven" ? "Done" : "fix it"} |`;
  return { proof: { commit, at, ...kept, ...answer }, rows: [row] };
}

function notProven(context: RunContext, commit: string | null, why: string, hint: string): Proven {
  return { proof: { kind: "not-proven", commit, at: nowOf(context), why, hint }, rows: [] };
}

interface Asking {
  readonly context: RunContext;
  readonly hidden: readonly string[];
  /** Every clone that was asked, in order. */
  readonly clones: ProofRecord["clones"];
  readonly isSetUp: boolean;
  readonly setupLine: string | null;
}

type ProvenAnswer = Pick<
  Extract<Proof, { kind: "proven" }>,
  "kind" | "checks" | "superseded" | "elsewhere"
>;
type FailedAnswer = Pick<Extract<Proof, { kind: "failed" }>, "kind" | "checks" | "failing">;
type UnknownAnswer = Pick<Extract<Proof, { kind: "not-proven" }>, "kind" | "why" | "hint">;

async function answerOf(
  asking: Asking,
  { commit, tasks }: { readonly commit: string; readonly tasks: readonly Repeated[] },
): Promise<ProvenAnswer | FailedAnswer | UnknownAnswer> {
  const atTip = await ask(asking, { commit, asked: "tip", tasks });
  if (atTip.trouble !== null) return setupFailed(asking, atTip.trouble.summary);
  const red = redTasks(tasks, atTip);
  const superseded: ProvenAnswer["superseded"] = [];
  const elsewhere: ProvenAnswer["elsewhere"] = [];
  const failing: { task_id: TaskId; check: string; reason: string }[] = [];
  for (const { task, checks } of red) {
    if (isMadeElsewhere(task)) {
      elsewhere.push(...checks.map((check) => ({ task_id: task.id, check: describeCheck(check) })));
      continue;
    }
    const own = ownRevision(asking.context.holder.state, task) ?? commit;
    const all = tasks.filter((each) => each.task.id === task.id);
    // One after another: there is one folder for clones.
    // oxlint-disable-next-line no-await-in-loop
    const atOwn = await askOwn(asking, { commit: own, asked: "own-commit", tasks: all });
    if (atOwn?.trouble) return setupFailed(asking, atOwn.trouble.summary);
    const still = atOwn === null ? checks : redChecks(all, atOwn, task.id);
    const voided = checks.filter(
      (check) => !still.some((each) => checkKey(each) === checkKey(check)),
    );
    if (atOwn?.commit === commit && voided.length > 0) {
      const names = voided.map(describeCheck).join(", ");
      const why = `${names} of ${task.id} failed once and passed once in a clone of the same commit`;
      return { kind: "not-proven", why, hint: `Make it give the same result each time: ${names}` };
    }
    for (const check of voided) {
      const wish = { task, check, from: own, commit, tasks: all };
      const found = { task_id: task.id, check: describeCheck(check) };
      // oxlint-disable-next-line no-await-in-loop
      const by = await supersededBy(asking, wish);
      if (by !== null) superseded.push({ ...found, by });
      else failing.push({ ...found, reason: whyBroken({ task, check, atTip, atOwn, tasks: all }) });
    }
    for (const check of checks.filter((each) => !voided.includes(each))) {
      // oxlint-disable-next-line no-await-in-loop
      const reason = await whyOnlyHere(asking, { task, check, atTip, atOwn, tasks: all });
      failing.push({ task_id: task.id, check: describeCheck(check), reason });
    }
  }
  const passed = atTip.runs.filter(({ run }) => run.passed).length;
  const [first, ...others] = failing;
  if (first !== undefined) return { kind: "failed", checks: passed, failing: [first, ...others] };
  return { kind: "proven", checks: passed, superseded, elsewhere };
}

function setupFailed({ context }: Asking, summary: string): UnknownAnswer {
  const { folder, project_id } = context.holder.entry;
  return {
    kind: "not-proven",
    why: summary.replace("the workspace could", "the clone could"),
    hint: `See ${folder}/logs/proof/setup, fix setup:, then: stint verify --fresh ${project_id}`,
  };
}

async function ask(asking: Asking, wish: Omit<CloneWish, "hidden">): Promise<CloneRun> {
  const ran = await runInClone(asking.context, { ...wish, hidden: asking.hidden });
  asking.clones.push(ran.record);
  return ran;
}

/** Null where there is no such commit: before the first one of a repository. */
async function askOwn(asking: Asking, wish: Omit<CloneWish, "hidden">): Promise<CloneRun | null> {
  try {
    return await ask(asking, wish);
  } catch (error) {
    if (error instanceof StintError && error.code === "git-failed") return null;
    throw error;
  }
}

function redTasks(tasks: readonly Repeated[], ran: CloneRun): Repeated[] {
  return tasks.flatMap(({ task }) => {
    const checks = redChecks(tasks, ran, task.id);
    return checks.length === 0 ? [] : [{ task, checks }];
  });
}

function redChecks(tasks: readonly Repeated[], { runs }: CloneRun, id: TaskId): Repeated["checks"] {
  const red = runs.filter(({ task, run }) => task === id && run.result === "failed");
  const keys = new Set(red.map(({ run }) => checkKey(run.check)));
  const { checks = [] } = tasks.find(({ task }) => task.id === id) ?? {};
  return checks.filter((check) => keys.has(checkKey(check)));
}

/** Those of which a person has allowed every command. */
function allowedChecks({ store, holder }: RunContext): {
  readonly tasks: readonly Repeated[];
  readonly leftOut: ProofRecord["left_out"];
} {
  const consent = consentOf(store, holder.state);
  const leftOut: ProofRecord["left_out"] = [];
  const tasks = repeatedChecks(holder.state.tasks).flatMap(({ task, checks }) => {
    const missing = new Set(consent.missing(task));
    const isAllowed = (check: Repeated["checks"][number]): boolean =>
      check.kind !== "command" || !missing.has(check.command);
    for (const check of checks.filter((each) => !isAllowed(each))) {
      leftOut.push({
        task: task.id,
        check: describeCheck(check),
        why: "nobody has allowed it yet",
      });
    }
    const allowed = checks.filter(isAllowed);
    return allowed.length === 0 ? [] : [{ task, checks: allowed }];
  });
  return { tasks, leftOut };
}

/** What a clone has to have installed and how, by the files at the top of the repository. */
async function missingLine(
  { space }: RunContext,
  tree: string,
): Promise<ReturnType<typeof missingSetup>> {
  const texts = await space.texts(tree, SETUP_FILES);
  if (texts.size === 0) return null;
  // Packages that are committed are there.
  const modules = await space.find(tree, (path) => path.startsWith("node_modules/"));
  return modules.size > 0 ? null : missingSetup(texts);
}

/** The commits of tasks in the order in which they were done. */
function committed({ tasks }: ProjectState): (DoneTask & { readonly commit: string })[] {
  return tasks
    .filter(
      (task): task is DoneTask & { commit: string } =>
        task.status === "done" && task.commit !== undefined && task.commit !== "none",
    )
    .toSorted((a, b) => a.done_at.localeCompare(b.done_at));
}

/** Its own commit; of one that has none the last before it, and where there is none, what Stint's work began with. */
function ownRevision(state: ProjectState, task: DoneTask): string | null {
  const all = committed(state);
  const own =
    all.find(({ id }) => id === task.id) ?? all.findLast((each) => each.done_at <= task.done_at);
  if (own !== undefined) return own.commit;
  const [first] = all;
  return first === undefined ? null : `${first.commit}~1`;
}

interface Voided {
  readonly task: DoneTask;
  readonly check: Repeated["checks"][number];
  /** Where it passes, and where it does not. */
  readonly from: string;
  readonly commit: string;
  readonly tasks: readonly Repeated[];
}

/**
 * The first later task whose commit made it red; null where a commit that is no task's did. The commit of a task has the
 * person's commits below it, so that alone says nothing: below the commit of the task that made it red, it is green.
 */
async function supersededBy(asking: Asking, voided: Voided): Promise<TaskId | null> {
  const { task, check, from, commit, tasks } = voided;
  const all = committed(asking.context.holder.state);
  const later = all.filter((each) => each.done_at > task.done_at && each.commit !== from);
  const isRed = async (at: string): Promise<boolean> =>
    at === commit || (await isRedAt(asking, { at, check, task, tasks }));
  let [low, high] = [0, later.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // Each answer says where to ask next.
    // oxlint-disable-next-line no-await-in-loop
    if (await isRed(later[middle]?.commit ?? commit)) high = middle;
    else low = middle + 1;
  }
  const found = later[low];
  return found === undefined || (await isRed(`${found.commit}~1`)) ? null : found.id;
}

async function isRedAt(
  asking: Asking,
  { at, check, task, tasks }: Pick<Voided, "check" | "task" | "tasks"> & { readonly at: string },
): Promise<boolean> {
  const ran = await ask(asking, { commit: at, asked: "later-commit", tasks });
  return redChecks(tasks, ran, task.id).some((each) => checkKey(each) === checkKey(check));
}

interface OnlyHere {
  readonly task: DoneTask;
  readonly check: Repeated["checks"][number];
  readonly atTip: CloneRun;
  readonly atOwn: CloneRun | null;
  readonly tasks: readonly Repeated[];
}

/** Where it passes and where it does not, as a person reads it. */
function whyBroken(found: OnlyHere): string {
  const { atTip, atOwn } = found;
  const [own, tip] = [atOwn?.commit ?? "", atTip.commit].map(shortCommit);
  return `passes at its own commit ${own} and fails at ${tip} (${wordsOf(found, atTip)}). A commit that belongs to no task changed that. Fix the work, or give the task the check that holds now`;
}

/** Both outputs, and what is likely missing there. */
async function whyOnlyHere(asking: Asking, found: OnlyHere): Promise<string> {
  const { task, atTip, atOwn } = found;
  const [tip, own] = [wordsOf(found, atTip), atOwn === null ? null : wordsOf(found, atOwn)];
  const claim = isMarked(task)
    ? "was never run by Stint, because a person had checked the box; it fails"
    : "passes only here: it fails";
  const where =
    own === null || atOwn?.commit === atTip.commit
      ? `in two clones of ${shortCommit(atTip.commit)} (${tip})`
      : `at ${shortCommit(atTip.commit)} (${tip}) and at its own commit ${shortCommit(atOwn?.commit ?? "")} (${own})`;
  const { kind, why, fix } = await reasonOf(asking, found);
  // Of a check that passed nowhere, nothing says that a file is missing there only.
  const isToldOf = !isMarked(task) || kind !== "unknown";
  return `${claim} ${where}${isToldOf ? `. Likely: ${why}; ${fix}` : ""}`;
}

function wordsOf({ check, task }: OnlyHere, { runs }: CloneRun): string {
  const ran = runs.find(
    (each) => each.task === task.id && checkKey(each.run.check) === checkKey(check),
  )?.run;
  if (ran === undefined) return "it was not run";
  const said = ran.output.split("\n").filter((line) => line.trim() !== "");
  // Programs tell what is wrong first and where last; what a person looks for is the first.
  const telling = said.find((line) => TELLING.test(line));
  const words = (telling === undefined ? said.slice(-SHOWN_LINES) : [telling]).join(" | ");
  const shown = words.trim().slice(0, SHOWN_CHARACTERS);
  return shown === "" || shown === ran.summary ? ran.summary : `${ran.summary}: ${shown}`;
}

const TELLING = /error|cannot|can't|not found|no such|no module|failed|missing|unable|denied/i;
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 300;

async function reasonOf(asking: Asking, found: OnlyHere): Promise<LikelyReason> {
  const { context, hidden, isSetUp, setupLine } = asking;
  const { check, atTip, atOwn, tasks } = found;
  const { space } = context;
  const asked = atOwn ?? atTip;
  const ran = asked.runs.find(({ run }) => checkKey(run.check) === checkKey(check))?.run;
  const tree = [...(await space.find(`${asked.commit}^{tree}`, () => true)).keys()];
  return likelyReason({
    text: `${describeCheck(check)}\n${ran?.summary ?? ""}\n${ran?.output ?? ""}`,
    tree,
    ignored: await space.ignored(),
    outside: hidden.length > 0 && (await passesWithOutside(asking, found, tasks)) ? hidden : [],
    packages: await packagesOf(context, `${asked.commit}^{tree}`),
    isSetUp,
    setupLine,
  });
}

/** The same clone once more, in which everything outside is seen: a fact, and no guess. */
async function passesWithOutside(
  asking: Asking,
  { task, check, atTip, atOwn }: OnlyHere,
  tasks: readonly Repeated[],
): Promise<boolean> {
  const { commit } = atOwn ?? atTip;
  const wish = { commit, asked: "with-outside-files", tasks, hidden: [] } as const;
  const ran = await runInClone(asking.context, wish);
  asking.clones.push(ran.record);
  return !redChecks(tasks, ran, task.id).some((each) => checkKey(each) === checkKey(check));
}

async function packagesOf(
  { space }: RunContext,
  tree: string,
): Promise<ReadonlySet<string> | null> {
  const text = (await space.texts(tree, ["package.json"])).get("package.json");
  if (text === undefined) return null;
  try {
    const written = JSON.parse(text) as Record<string, Record<string, unknown> | undefined>;
    const keys = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    return new Set(keys.flatMap((key) => Object.keys(written[key] ?? {})));
  } catch {
    return null;
  }
}

/** Durable with the event that names it; the same commit asked again replaces it. */
function keepProof(
  { context, clones, hidden }: Asking,
  commit: string,
  left_out: ProofRecord["left_out"],
): { readonly path: string; readonly sha256: ReturnType<typeof sha256Of> } {
  const { holder } = context;
  const { project_id } = holder.state;
  const at = nowOf(context);
  const record: ProofRecord = {
    project: project_id,
    commit,
    at,
    left_out,
    hidden: [...hidden],
    clones,
  };
  const path = `artifacts/proof/${commit}.json`;
  const text = `${JSON.stringify(record, null, 2)}\n`;
  holder.keepWithNext(keptPath("artifacts", "proof", `${commit}.json`), text);
  return { path, sha256: sha256Of(text) };
}
