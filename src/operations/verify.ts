// `verify`: whether the work is intact, what is proven and what rests on somebody's word, answered from the files alone.
// Takes no lock and changes nothing. It is intact when three criteria hold, each with what was found.
import { join } from "node:path";
import {
  CRITERIA,
  type CriterionId,
  judgePersistence,
  lostLines,
  namedRecords,
  NO_PROBLEMS,
  type PersistenceProblems,
  readHistory,
} from "../core/history.ts";
import { parseProjectId, type ProjectId, type TaskId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { withoutChunks } from "../core/step/chunks.ts";
import type { DeliveryNow, VerifyView } from "../core/schema/views.ts";
import { unfinishedTasks } from "../core/project-state.ts";
import { deliveryNow, missingCommits } from "../engine/space/delivery-now.ts";
import { repositoryLoss } from "../engine/space/kept-space.ts";
import { writtenTasks } from "../engine/people/manifest-texts.ts";
import type { PersonsEdit } from "../engine/people/persons-edit.ts";
import { counted } from "../core/words/amounts.ts";
import { errnoOf } from "../core/words/system-error.ts";
import { standingOf } from "../core/words/task-standing.ts";
import { projectLayout, registryLayout, shadowLayout } from "../store/layout.ts";
import { findRepository } from "../store/repository.ts";
import type { Finding } from "../store/doctor/doctor.ts";
import { keptPath, type RegistryEntry, type Snapshot } from "../store/store.ts";
import { evidenceTexts } from "../core/words/evidence-text.ts";
import { commitsSince, editSince, editView } from "./evidence/since-then.ts";
import { orFault, type OrFault } from "./faults.ts";
import { resolveProject } from "./resolve-project.ts";
import type { System } from "./system.ts";
import { readAtOnce } from "../store/files.ts";
import { sha256Of } from "../store/digest.ts";

export interface VerifyInput {
  readonly project?: string | undefined;
}

export async function verify(system: System, input: VerifyInput): Promise<VerifyView> {
  const named = input.project === undefined ? undefined : parseProjectId(input.project);
  const registered = named === undefined ? undefined : orDamage(() => system.store.find(named));
  if (named !== undefined && registered?.ok === false)
    return unreadable(named, registered.fault.message);
  const id = await resolveProject(system, input.project);
  const read = orDamage(() => system.store.read(id));
  if (!read.ok) return unreadable(id, read.fault.message);
  const snapshot = read.value;
  const { state } = snapshot;
  const journal = orDamage(() => system.store.journal(id));
  const lines = journal.ok ? journal.value : [];
  // A journal that cannot be read says nothing else.
  const told: PersistenceProblems = journal.ok
    ? judgePersistence(state, lines)
    : { ...NO_PROBLEMS, "seamless-continuation": [journal.fault.message] };
  // Records are judged below, one line each.
  const { kept } = shadowLayout(system.stateHome, id);
  const records = new Set(namedRecords(state).map(({ path }) => join(kept, path)));
  const wrong = (await system.doctor())
    .examine(id)
    .findings.filter(({ fix, where }) => fix !== null && !records.has(where));
  const isInJournal = ({ where }: Finding): boolean =>
    where === shadowLayout(system.stateHome, id).journal;
  const now = await deliveryNow(snapshot.entry.root, state);
  const edit = await editSince(system, snapshot);
  // What a crash may leave counts here as well.
  const problems: PersistenceProblems = {
    "id-continuity": [...idProblems(system, snapshot), ...told["id-continuity"]],
    "status-preservation": [
      ...wrong.filter((each) => !isInJournal(each)).map(findingText),
      ...told["status-preservation"],
      ...evidenceProblems(system, snapshot),
      ...boxProblems(system, snapshot, edit),
      ...repositoryProblems(system, snapshot),
      ...(await commitProblems(snapshot, now)),
    ],
    "seamless-continuation": [
      ...lostLines(lines),
      ...wrong.filter(isInJournal).map(findingText),
      ...told["seamless-continuation"],
      ...copiedJournal(system, snapshot.entry),
    ],
  };
  const { length: runs } = readHistory(lines).runs;
  const { project_id, revision, counters } = state;
  const facts = { project_id, revision, runs, sessions: counters.sessions };
  const rests = {
    proof: state.proof ?? null,
    later: await commitsSince(system, snapshot, now),
    edit: editView(edit, state),
    tasks: whatTasksRestOn(state),
  };
  return viewOf({ ...facts, ...rests }, foundIn(state, runs), problems);
}

function whatTasksRestOn({ tasks }: ProjectState): VerifyView["tasks"] {
  return tasks
    .filter(({ status }) => status !== "superseded")
    .map((task) => {
      const { id, title, labels = [] } = task;
      const done = task.status === "done" ? task : null;
      const skipped = task.status === "skipped" ? task : null;
      const marked = done?.evidence.find((each) => each.kind === "person");
      const hasCommit = done?.commit !== undefined && done.commit !== "none";
      return {
        id,
        title,
        standing: standingOf(task),
        labels: [...labels],
        evidence: done === null ? [] : evidenceTexts(done),
        by: skipped?.by ?? marked?.who ?? null,
        reason: skipped?.reason ?? null,
        commit: hasCommit ? (done.commit ?? null) : null,
      };
    });
}

function foundIn(state: ProjectState, runs: number): Record<CriterionId, string> {
  const tasks = state.tasks.filter(({ status }) => status !== "superseded");
  const done = tasks.filter(({ status }) => status === "done").length;
  const over = `${counted(state.counters.sessions, "session")} of ${counted(runs, "run")}`;
  return {
    "id-continuity": `registry, state, shadow and journal say ${state.project_id}; ${counted(tasks.length, "task id")} kept over ${over}`,
    "status-preservation": `${done} of ${counted(tasks.length, "task")} done, each with its evidence, box and commit`,
    "seamless-continuation": `${counted(state.revision, "revision")} and ${over} without a gap, nothing executed twice`,
  };
}

function viewOf(
  facts: Omit<VerifyView, "question" | "criteria" | "passed">,
  found: Record<CriterionId, string>,
  problems: PersistenceProblems,
): VerifyView {
  const criteria = (Object.keys(CRITERIA) as CriterionId[]).map((id) => ({
    id,
    name: CRITERIA[id],
    passed: problems[id].length === 0,
    found: problems[id].length === 0 ? found[id] : counted(problems[id].length, "problem"),
    problems: [...new Set(problems[id])],
  }));
  const passed = criteria.every((each) => each.passed);
  return { question: "Proper cross-session persistence?", ...facts, criteria, passed };
}

/** Nothing can be judged without a state, so nothing is claimed. */
function unreadable(project_id: ProjectId, reason: string): VerifyView {
  const all = <T>(each: T): Record<CriterionId, T> => ({
    "id-continuity": each,
    "status-preservation": each,
    "seamless-continuation": each,
  });
  const nothing = { revision: null, runs: 0, sessions: 0, proof: null };
  const facts = { project_id, ...nothing, later: null, edit: null, tasks: [] };
  return viewOf(facts, all(""), all([reason]));
}

function idProblems(system: System, { entry, state }: Snapshot): string[] {
  const { project_id: id, root, manifest } = entry;
  const problems: string[] = [];
  if (state.project_id !== id) problems.push(`the shadow of ${id} holds ${state.project_id}`);
  const reservation = registryLayout(system.stateHome).manifest(root, manifest);
  if (idIn(readIfThere(reservation)) !== id) {
    problems.push(`${reservation} does not give ${manifest} to ${id}`);
  }
  const folder = projectLayout(entry);
  const copied = idIn(readIfThere(folder.state));
  if (copied !== undefined && copied !== id) problems.push(`${folder.state} says ${copied}`);
  const pointer = readIfThere(join(folder.folder, "manifest.md"))?.toString("utf8") ?? "";
  if (!pointer.includes(`stint project ${id} `)) {
    problems.push(`${join(folder.folder, "manifest.md")} does not name ${id}`);
  }
  return problems;
}

function idIn(bytes: Buffer | undefined): string | undefined {
  try {
    const { project_id } = JSON.parse(bytes?.toString("utf8") ?? "") as { project_id?: unknown };
    return typeof project_id === "string" ? project_id : undefined;
  } catch {
    return undefined;
  }
}

function findingText({ what, where, fix }: Finding): string {
  return `${where}: ${what}. To fix it: ${fix}`;
}

function copiedJournal(system: System, entry: RegistryEntry): string[] {
  const durable = readIfThere(shadowLayout(system.stateHome, entry.project_id).journal);
  const { journal: path } = projectLayout(entry);
  const copy = readIfThere(path);
  if (durable !== undefined && copy?.equals(durable) === true) return [];
  const what = copy === undefined ? "is missing" : "is not what Stint wrote";
  return [`${path} ${what}. To fix it: stint doctor ${entry.project_id} --repair`];
}

function evidenceProblems(system: System, { entry, state }: Snapshot): string[] {
  return examineEvidence(system, entry, state).flatMap(
    ({ task_id, path, shadow, folder, mend }) => {
      if (shadow !== "same") {
        const look = `To see what can be saved: stint doctor ${entry.project_id}`;
        return [`${task_id}: its record ${path} is ${shadow}. ${look}`];
      }
      if (folder === "same") return [];
      return [`${task_id}: the copy of ${path} in the work tree is ${folder}. To fix it: ${mend}`];
    },
  );
}

/** Of what is done; what a person wrote for the next run is no damage, nor is what waits for a delivery. */
function boxProblems(system: System, snapshot: Snapshot, edit: PersonsEdit): string[] {
  const { entry, state } = snapshot;
  const { root, manifest } = entry;
  const text = readIfThere(join(root, manifest))?.toString("utf8");
  if (text === undefined) return [`${manifest} is gone`];
  const { byId } = writtenTasks(text, state.tasks);
  const live = withoutChunks(state.tasks).filter(({ status }) => status !== "superseded");
  const wanted = editedTasks(edit);
  const isWanted = (task: Task): boolean => task.status !== "done" && wanted.has(task.id);
  // What only the text that Stint knows has comes to the person's file with the delivery.
  const seen = boxesIn(system, snapshot, state.manifest.seen ?? state.manifest.digest);
  const known = boxesIn(system, snapshot, state.manifest.digest);
  const comesWithBox = ({ id }: Task): boolean => known.get(id) === true && seen.get(id) !== true;
  const comesWithTask = ({ id }: Task): boolean => known.has(id) && !seen.has(id);
  const problems = live
    .filter((task) => !byId.has(task.id) && !isWanted(task) && !comesWithTask(task))
    .map((task) => `${task.id} "${task.title}" is not in ${manifest}`);
  const unfinished = new Set(unfinishedTasks(state.tasks).map(({ id }) => id));
  for (const task of live) {
    const isChecked = byId.get(task.id)?.item.box.checked;
    if (isChecked === undefined || unfinished.has(task.id) || isOpen(task, state)) continue;
    if (isChecked && task.status !== "done" && !isWanted(task)) {
      problems.push(`the box of ${task.id} is checked, but it is ${task.status}`);
    }
    if (!isChecked && task.status === "done" && !comesWithBox(task)) {
      problems.push(`${task.id} is done, but its box is not checked`);
    }
  }
  return problems;
}

/** Without it nothing says whether the commits are still there. */
function repositoryProblems({ store }: System, { entry }: Snapshot): string[] {
  const lost = orDamage(() => repositoryLoss(store, entry));
  return lost.ok && lost.value !== null ? [lost.value.message] : [];
}

/** By task, as a text of the manifest has them; none where that text is lost, which is told as damage. */
function boxesIn(
  { store }: System,
  { entry, state }: Snapshot,
  digest: Sha256,
): ReadonlyMap<TaskId, boolean> {
  const text = orDamage(() => store.manifestText(entry.project_id, digest));
  if (!text.ok) return new Map();
  const { byId } = writtenTasks(text.value, state.tasks);
  return new Map([...byId].map(([id, { item }]) => [id, item.box.checked]));
}

function editedTasks(edit: PersonsEdit): ReadonlySet<string> {
  const changes = edit.kind === "adopted" ? edit.adopted.changes : [];
  return new Set(
    changes.flatMap((change) =>
      change.kind === "removed" || change.kind === "checked" ? [change.id] : [],
    ),
  );
}

/** A session may hold its own box, a person the one that they were asked about or skipped. */
function isOpen(task: Task, state: ProjectState): boolean {
  const isUnderWay = task.status === "in_progress" || task.status === "validating";
  const isAsked = state.questions.some(
    (question) => question.status === "open" && question.task_id === task.id,
  );
  return isUnderWay || isAsked || task.status === "skipped";
}

async function commitProblems(
  { entry: { root }, state }: Snapshot,
  now: DeliveryNow | null,
): Promise<string[]> {
  if (findRepository(root).gitFolder === null) return [];
  const recorded = state.tasks.flatMap((task) =>
    task.status === "done" && task.commit !== undefined && task.commit !== "none"
      ? [{ id: task.id, commit: task.commit }]
      : [],
  );
  const commits = recorded.map(({ commit }) => commit);
  const missing = new Set(await missingCommits(root, commits));
  const lost = now?.kind === "taken-out" ? now : null;
  const holder = lost?.branch ?? "any branch";
  return recorded.flatMap(({ id, commit }) => {
    // On the branch by another id: cloned again after it was amended or squashed.
    const isElsewhere = now?.kind === "delivered" || (lost !== null && !lost.tasks.includes(id));
    if (missing.has(commit) && !isElsewhere) {
      return [`${id}: its commit ${commit} is not in the repository`];
    }
    if (!lost?.tasks.includes(id)) return [];
    // What brings them back, all in one command, is said with the last.
    const back = id === lost.tasks.at(-1) ? `. ${lost.hint}` : "";
    return [`${id}: its commit ${commit} is no longer on ${holder}, nor is the same change${back}`];
  });
}

/** Damage is the answer here, not an error. */
function orDamage<T>(act: () => T): OrFault<T> {
  const done = orFault(act);
  if (!done.ok && done.fault.code === "not-found") throw done.fault;
  return done;
}

export interface EvidenceCopies {
  readonly task_id: string;
  readonly path: string;
  /** The durable one, and the one in the project folder. */
  readonly shadow: Copy;
  readonly folder: Copy;
  /** Brings the copy in the folder back from the durable one. */
  readonly mend: string;
}

type Copy = "same" | "changed" | "missing";

/** Every record that the state names. */
export function examineEvidence(
  system: System,
  entry: RegistryEntry,
  state: ProjectState,
): EvidenceCopies[] {
  const { kept } = shadowLayout(system.stateHome, entry.project_id);
  return namedRecords(state).map(({ of, path, sha256 }) => {
    const judge = (bytes: Buffer | undefined): Copy => {
      if (bytes === undefined) return "missing";
      return sha256Of(bytes) === sha256 ? "same" : "changed";
    };
    const copy = join(entry.root, entry.folder, path);
    const own = orDamage(() => system.store.kept(entry.project_id, keptPath(...path.split("/"))));
    return {
      task_id: of,
      path,
      shadow: own.ok ? judge(own.value) : "changed",
      folder: judge(readIfThere(copy)),
      mend: `cp ${join(kept, path)} ${copy}`,
    };
  });
}

/** @throws where a file is there and the system refuses it: that is no damage of the work */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readAtOnce(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}
