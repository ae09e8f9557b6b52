// What a person allowed before anything of it is executed: commands, by the text they approved or one by one;
// the start of a task that wants their yes; the plan. Each yes is bound to exactly what was shown.
import { actText } from "../../core/acts.ts";
import type { Asking } from "../../core/asking.ts";
import { delegatedCommands } from "../../core/delegation.ts";
import type { EventOf, ProjectEvent } from "../../core/events.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { Instant } from "../../core/instant.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Task } from "../../core/schema/task.ts";
import { withoutChunks } from "../../core/step/chunks.ts";
import { hasGrant, needsReview } from "../../core/step/task-moves.ts";
import { StintError } from "../../core/stint-error.ts";
import { isReleaseStep } from "../../core/written/release-step.ts";
import type { ReadText } from "../../core/written/scripts-called.ts";
import { workspaceCommands, workspaceSettings } from "../../core/written/workspace-settings.ts";
import { commandsOf } from "../../manifest/edit/reconcile-manifest.ts";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { sha256Of } from "../../store/digest.ts";
import type { Store } from "../../store/store.ts";
import { approvalRequested } from "../base/fact.ts";

/** A command that came later than the text that was approved is not executed before somebody says so. */
export interface Consent {
  /** The commands of a task that nobody has allowed yet, and those of the workspace it needs. */
  readonly missing: (task: Task) => readonly string[];
  /** The commands of the workspace alone: its setup and its server, as the manifest names them. */
  readonly missingOfWorkspace: () => readonly string[];
}

export function consentOf(store: Store, state: ProjectState): Consent {
  const { plan, project_id } = state;
  const allowed = plan === null ? NONE : allowedBy(store, project_id, plan.digest);
  const isSaidYesTo = yesOneByOne(state);
  const allOfWorkspace = commandsOfWorkspace(store, state).filter((each) => !allowed.has(each));
  const ofWorkspace = allOfWorkspace.filter((each) => !isSaidYesTo(each));
  const allOf = (task: Task): string[] =>
    commandsOfTask(task).filter((each) => !allowed.has(each) && !allOfWorkspace.includes(each));
  // One yes is enough, whoever asked for it: another task, or the start of this one.
  const ownOf = (task: Task): string[] =>
    allOf(task).filter((each) => !isSaidYesTo(each) && !isShownAtStart(task, each));
  const isGranted = (task: Task, commands: readonly string[]): boolean =>
    commands.length === 0 || hasGrant(task, "command", sha256Of(commandSubject(commands)));
  const hasAll = (task: Task): boolean =>
    isGranted(task, [...ofWorkspace, ...ownOf(task)]) ||
    isGranted(task, [...allOfWorkspace, ...allOf(task)]);
  // A yes for one task counts for the workspace, which is the same for all of them.
  const missingOfWorkspace = (): readonly string[] =>
    state.tasks.some((task) => task.grants !== undefined && hasAll(task)) ? [] : ofWorkspace;
  /** Who said yes to a task said yes to its chunks. */
  const isAllowedForWhole = (chunk: Task, command: string): boolean => {
    const whole = state.tasks.find(({ id }) => id === chunk.chunk_of);
    if (whole === undefined || !commandsOfTask(whole).includes(command)) return false;
    return isGranted(whole, ownOf(whole)) || hasAll(whole) || isAllowedForWhole(whole, command);
  };
  return {
    missingOfWorkspace,
    missing(task) {
      if (hasAll(task)) return [];
      const own = ownOf(task).filter((command) => !isAllowedForWhole(task, command));
      const others = missingOfWorkspace();
      return others.length === 0 && isGranted(task, own) ? [] : [...others, ...own];
    },
  };
}

/** Commands that a person allowed apart from a whole text: the same one is never asked about twice. */
function yesOneByOne({ approval_items, tasks }: ProjectState): (command: string) => boolean {
  const said = new Set(
    approval_items
      .filter(({ kind, status }) => kind === "command" && status === "granted")
      .flatMap(({ subject }) => subject.split("\n")),
  );
  // Closed items are pruned; what they granted is kept with the task.
  const digests = new Set(
    tasks.flatMap(({ grants = [] }) =>
      grants.filter(({ kind }) => kind === "command").map((grant) => grant.subject_sha256),
    ),
  );
  const isKept = (command: string): boolean =>
    digests.size > 0 && digests.has(sha256Of(commandSubject([command])));
  return (command) => said.has(command) || isKept(command);
}

/** Who said yes to the start of a task has read the commands that stand below it. */
function isShownAtStart(task: Task, command: string): boolean {
  const subject = startSubject(task);
  const digest = sha256Of(subject);
  if (!hasGrant(task, "task-before", digest) && !hasGrant(task, "release", digest)) return false;
  const written = command.replace(/^POST (?=https?:)/, "");
  return subject
    .split("\n")
    .slice(1)
    .some((line) => {
      const said = line.trim();
      const isAddress = written !== command && said.endsWith(`: ${written}`);
      return said === command || said.includes(`\`${command}\``) || isAddress;
    });
}

/** What the manifest has executed for the workspace, whatever is allowed. */
export function commandsOfWorkspace(store: Store, state: ProjectState): readonly string[] {
  const settings = frontMatterOf(textOf(store, state.project_id, state.manifest.digest));
  return workspaceCommands(workspaceSettings(settings));
}

/** What a person is shown, and what their yes is bound to. */
export function commandSubject(commands: readonly string[]): string {
  return commands.join("\n");
}

export function commandsOfTask(
  task: Pick<
    Task,
    | "id"
    | "name"
    | "title"
    | "checks"
    | "run"
    | "in"
    | "protect"
    | "webhook"
    | "delegate"
    | "returns"
  >,
): string[] {
  return commandsOf([task]).map(asExecuted);
}

function asExecuted({ key, command }: ReturnType<typeof commandsOf>[number]): string {
  return key === "webhook" ? `POST ${command}` : command;
}

const NONE: ReadonlySet<string> = new Set();

/** A text never changes under its digest, so it is read once. */
const read = new WeakMap<Store, Map<Sha256, ReadonlySet<string>>>();

function allowedBy(store: Store, id: ProjectId, digest: Sha256): ReadonlySet<string> {
  const known = read.get(store) ?? new Map<Sha256, ReadonlySet<string>>();
  read.set(store, known);
  let commands = known.get(digest);
  if (commands === undefined) {
    const { plan } = normaliseManifest(parseManifest(textOf(store, id, digest)));
    const written = plan.tasks.flatMap((task) => {
      const act = actText(task);
      return [
        ...task.checks.flatMap((check) => (check.kind === "command" ? [check.command] : [])),
        ...(act === null ? [] : [act]),
        ...delegatedCommands(task),
      ];
    });
    commands = new Set([...workspaceCommands(workspaceSettings(plan.settings)), ...written]);
    known.set(digest, commands);
  }
  return commands;
}

/** A text that is lost, as after a project was adopted from its folder, allows nothing. */
function textOf(store: Store, id: ProjectId, digest: Sha256): string {
  try {
    return store.manifestText(id, digest);
  } catch (error) {
    if (error instanceof StintError && error.code === "state-corrupt") return "";
    throw error;
  }
}

export interface StartGate {
  readonly kind: "task-before" | "release";
  readonly subject: string;
}

/** Where it is seen whether a script that a task starts releases something. */
export interface Scripts {
  /** The folder that the commands of a task start in. */
  readonly dirOf: (task: Task) => string;
  /** Trees that may hold the script: one where it releases something is enough. */
  readonly trees: readonly ReadText[];
}

/** Null where none is in the way, or the person has said yes. */
export function startGate(
  task: Task,
  releases: "ask" | "auto",
  scripts: Scripts,
): StartGate | null {
  const kind = gateKind(task, releases, scripts);
  if (kind === null) return null;
  const subject = startSubject(task);
  return hasGrant(task, kind, sha256Of(subject)) ? null : { kind, subject };
}

/** Whether the task is still the one that was shown, and still has the gate. */
export function isStartStillAsked(
  task: Task,
  { kind, subject }: Pick<Approval, "kind" | "subject">,
): boolean {
  return subject === startSubject(task) && (kind === "release" || task.approve === "before");
}

/** As it is shown, with all that stands below it: reworded, it is asked again. */
function startSubject(task: Task): string {
  // Nor are there details in a state of an earlier version, and of a task that only its scripts make a release.
  const isAct = task.run !== undefined || task.webhook !== undefined;
  const acts = isAct || task.approve !== "before" ? commandsOfTask(task) : [];
  const below = task.details === undefined ? acts : [task.details];
  return [`start ${task.id}: ${task.title}`, ...below].join("\n");
}

/** Who wrote their own gate, before or after, has decided where they look. */
function gateKind(
  task: Task,
  releases: "ask" | "auto",
  scripts: Scripts,
): StartGate["kind"] | null {
  if (task.approve === "before") return "task-before";
  if (releases === "auto" || needsReview(task)) return null;
  return isRelease(task, scripts) ? "release" : null;
}

/** Whether it puts something in front of others, asked about or not. */
export function isRelease(task: Task, scripts: Scripts): boolean {
  const step = { ...task, dir: scripts.dirOf(task) };
  return scripts.trees.some((tree) => isReleaseStep(step, tree));
}

/** The request is persisted, and the gate is met when nothing else is eligible. */
export function startApproval(
  task: Task,
  { kind, subject }: StartGate,
  now: Asking,
): EventOf<"approval-requested"> {
  const named = `${task.id} "${task.title}"`;
  return approvalRequested(now, {
    kind,
    task_id: task.id,
    subject,
    reason:
      kind === "release"
        ? `${named} is a release step; it needs your yes before it starts`
        : `${named} needs your yes before it starts`,
    on_yes: "the task starts",
    on_no: "the task is blocked; nothing is executed",
  });
}

/**
 * The question whether the plan may be carried out, bound to the digest of the whole manifest: the events that
 * leave exactly one open, about the plan as it is; none where it is open.
 */
export function planRequests(store: Store, state: ProjectState, at: Instant): ProjectEvent[] {
  const fact = { at, by: state.owner_agent };
  const subject = planSubject(store, state);
  const subject_sha256 = sha256Of(subject);
  const open = state.approval_items.filter(
    ({ kind, status }) => kind === "plan" && status === "open",
  );
  const outdated = open
    .filter((item) => item.subject_sha256 !== subject_sha256)
    .map(({ id }): ProjectEvent => ({
      kind: "approval-outdated",
      ...fact,
      approval_id: id,
      reason: "the manifest changed since it was asked",
    }));
  if (open.length > outdated.length) return outdated;
  return [
    ...outdated,
    {
      kind: "approval-requested",
      ...fact,
      approval: {
        kind: "plan",
        subject,
        subject_sha256,
        reason: `the plan of ${state.manifest.path} needs your yes before anything is started`,
        on_yes: "the work may be started",
        on_no: "nothing is started; change the manifest, and you are asked again",
      },
    },
  ];
}

export function planSubject(store: Store, state: ProjectState): string {
  const { manifest, tasks } = state;
  const before = commandsOfWorkspace(store, state).map((command) => `may run: ${command}`);
  const lines = withoutChunks(tasks)
    .filter(({ status }) => status !== "superseded")
    .flatMap((task) => [
      `${task.id} ${task.title}`,
      ...commandsOfTask(task).map((command) => `  may run: ${command}`),
    ]);
  return [`${manifest.path} sha256 ${manifest.digest}`, ...before, ...lines].join("\n");
}
