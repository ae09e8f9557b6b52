// `edit`: a person's change to the manifest, adopted at any time, also while a session is at work. The
// text is kept in a copy before anything else, and stays there until it is adopted. What it was made
// from stays beside it: given again later, it does not undo the boxes that were set since.
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { AnswerView } from "../core/schema/views.ts";
import { shellWord } from "../core/written/commands.ts";
import { StintError } from "../core/stint-error.ts";
import { errnoOf, ofFile } from "../core/words/system-error.ts";
import {
  type Edit,
  seenText,
  withSameBoxes,
  writtenTasks,
} from "../engine/people/manifest-texts.ts";
import { readSpace } from "../engine/space/kept-space.ts";
import { diffLines, mergeLines } from "../manifest/edit/line-diff.ts";
import { splitTask } from "../manifest/edit/split-task.ts";
import { piecesOf } from "../manifest/lint/split-title.ts";
import { decodeManifest } from "../manifest/read-manifest.ts";
import { Disk } from "../store/disk.ts";
import { realFiles } from "../store/files.ts";
import { assertPerson, type System } from "./system.ts";
import { faultOf, orFault } from "./faults.ts";
import { sendAnswer } from "./answers/send-answer.ts";
import { newAdvice } from "./run/new-advice.ts";
import { checkoutOf } from "./manifest-file.ts";
import { resolveProject } from "./resolve-project.ts";
import type { Answer } from "../core/answers.ts";
import { proposalPath } from "../engine/people/proposals.ts";
import { namedApproval } from "./answers/named-item.ts";

/** A manifest opened for editing: the copy is the person's, the file is left alone meanwhile. */
export interface OpenedEdit {
  readonly project: ProjectId;
  readonly copy: string;
  readonly base: string;
  /** The file that the person gave instead of opening an editor. */
  readonly given?: string;
}

export async function beginEdit(
  system: System,
  project: string | undefined,
  given?: string,
): Promise<OpenedEdit> {
  assertPerson(system, "an edit of the manifest");
  const id = await resolveProject(system, project);
  return beginWith(system, id, {
    edit: (disk, state) =>
      given === undefined ? { base: disk, text: disk } : takenUp(system, given, disk, state),
    ...(given === undefined ? {} : { given }),
  });
}

/** A task that names several pieces of work, as that many; `tell` shows the lines before and after. */
export async function beginSplit(
  system: System,
  project: string | undefined,
  task: string,
  tell: (text: string) => void,
): Promise<OpenedEdit> {
  assertPerson(system, "an edit of the manifest");
  const id = await resolveProject(system, project);
  return beginWith(system, id, {
    edit(disk, state) {
      const text = splitIn(disk, state, task);
      tell(diffLines(disk, text));
      return { base: disk, text };
    },
  });
}

/** @throws with why it is not split, and what to do */
function splitIn(disk: string, { tasks, project_id }: ProjectState, named: string): string {
  const again = `Write it yourself: stint edit ${project_id}`;
  const task = tasks.find(
    ({ id, name, status }) => status !== "superseded" && (id === named || name === named),
  );
  const written = task === undefined ? undefined : writtenTasks(disk, tasks).byId.get(task.id);
  if (task === undefined || written === undefined) {
    throw new StintError(
      "not-found",
      `the manifest has no task ${named}`,
      `See which there are: stint plan ${project_id}`,
    );
  }
  if (task.status !== "pending") {
    throw new StintError(
      "bad-input",
      `${task.id} "${task.title}" is ${task.status.replace("_", " ")}; only a task that has not started can be split`,
      again,
    );
  }
  const pieces = piecesOf(written.planned.title);
  const edited = splitTask(disk, written.item, pieces);
  if (!edited.ok) throw new StintError("bad-input", `${task.id}: ${edited.reason}`, again);
  return edited.text;
}

interface Beginning {
  readonly edit: (disk: string, state: ProjectState) => Edit;
  readonly given?: string;
}

function beginWith(system: System, id: ProjectId, { edit: made, given }: Beginning): OpenedEdit {
  const { entry, state } = system.store.read(id);
  const disk = checkoutOf(entry).readManifest();
  if (disk === undefined) {
    throw new StintError(
      "not-found",
      `the manifest ${entry.manifest} is gone`,
      `Stint has kept its text. To see how to restore it: stint plan ${id}`,
    );
  }
  const { base, text } = made(disk, state);
  const folder = join(system.stateHome, "edits");
  const tag = Buffer.from(system.host.randomBytes(6)).toString("hex");
  const copy = join(folder, `${id}-${tag}.md`);
  const copies = new Disk(realFiles, tag);
  copies.ensureFolder(folder);
  copies.create(copy, Buffer.from(text, "utf8"));
  copies.create(basePath(copy), Buffer.from(base, "utf8"));
  return { project: id, copy, base, ...(given === undefined ? {} : { given }) };
}

function basePath(copy: string): string {
  return `${copy}.base`;
}

/**
 * A text that was kept is made from an earlier one; any other file is the whole new manifest. Where both
 * changed the same lines the person, who gives it once more, means theirs; boxes stay as they are by now. A text that the
 * file has already may still have to be adopted: then the edit is the difference to what Stint read last.
 */
function takenUp({ store }: System, given: string, disk: string, state: ProjectState): Edit {
  const text = readGiven(given);
  if (!existsSync(basePath(given))) {
    return { base: text === disk ? seenText({ store, holder: { state } }) : disk, text };
  }
  const base = basePath(given);
  const kept = { base: ofFile(base, () => readFileSync(base, "utf8")), text };
  if (mergeLines(kept.base, disk, text) !== undefined) return kept;
  return { base: disk, text: withSameBoxes(kept, disk, state).text };
}

function readGiven(path: string): string {
  let bytes: Buffer;
  try {
    bytes = ofFile(path, () => readFileSync(path));
  } catch (cause) {
    if (!["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes(errnoOf(cause) ?? "")) throw cause;
    throw new StintError("not-found", `${path} cannot be read`, "Name an existing file.", {
      cause,
    });
  }
  return decodeManifest(path, bytes);
}

export async function edit(
  system: System,
  { project, copy, base, given }: OpenedEdit,
): Promise<AnswerView> {
  const copies = new Disk(realFiles, basename(copy));
  // A text that cannot be read is the person's all the same: only one that is gone counts as empty.
  const isThere = statSync(copy, { throwIfNoEntry: false }) !== undefined;
  const bytes = isThere ? ofFile(copy, () => readFileSync(copy)) : Buffer.alloc(0);
  if (bytes.toString("utf8").trim() === "") {
    for (const path of [copy, basePath(copy)]) copies.remove(path);
    throw new StintError(
      "bad-input",
      "the edited manifest is empty; nothing was adopted",
      `If no more work is wanted: stint abandon ${project} --reason "why"`,
    );
  }
  copies.flushFile(copy);
  try {
    const text = decodeManifest("the edited manifest", bytes);
    const view = await sendAnswer(system, {
      project,
      answer: () => ({ verb: "edit", base, text }),
    });
    if (view.outcome === "left") {
      return { ...view, warnings: [...(await warningsOf(system, project, { base, text }))] };
    }
    const isKeptCopy = given !== undefined && dirname(given) === dirname(copy);
    for (const path of isKeptCopy ? [copy, given] : [copy]) {
      copies.remove(path);
      copies.remove(basePath(path));
    }
    if (view.outcome === "given") return { ...view, what: nothingEdited(system, project) };
    return { ...view, warnings: [...(await warningsOf(system, project, { base, text }))] };
  } catch (error) {
    const fault = faultOf(error);
    const again = `stint edit ${project} --file ${shellWord(copy)}`;
    const hint = `${fault.hint}\n${whereTextIs(system, project, bytes)}: ${again}`;
    throw new StintError(fault.code, fault.message, hint, { cause: error });
  }
}

/** What lint would warn of since this edit; with the lines of the file, which may have more by now. */
async function warningsOf(
  system: System,
  project: ProjectId,
  { base, text }: Edit,
): Promise<readonly string[]> {
  try {
    const { entry } = system.store.read(project);
    const disk = checkoutOf(entry).readManifest() ?? text;
    return await newAdvice(system, entry, {
      before: base,
      after: mergeLines(base, disk, text) ?? text,
      isInPlace: readSpace(system.store, entry)?.kind === "in-place",
      includesChanges: false,
    });
  } catch (error) {
    // The edit is made; what cannot be read for advice is told by whoever needs it.
    faultOf(error);
    return [];
  }
}

/** What a person wrote in the file itself waits for the next run, also where git put it there. */
function nothingEdited({ store }: System, project: ProjectId): string {
  const { entry, state } = store.read(project);
  const isRead = checkoutOf(entry).readManifest() === seenText({ store, holder: { state } });
  const waits = `; ${entry.manifest} has changes from before, and the next run reads them`;
  return `nothing was edited${isRead ? "" : waits}`;
}

/** The file gets the text before the state does: a fault in between must not look like an edit that was lost. */
function whereTextIs({ store }: System, project: ProjectId, text: Buffer): string {
  const read = orFault(() => {
    const { entry } = store.read(project);
    return { entry, disk: checkoutOf(entry).readManifest() };
  });
  return read.ok && read.value.disk === text.toString("utf8")
    ? `${read.value.entry.manifest} has your edit already, and the next run adopts it; to adopt it before that`
    : "Your text is kept; after you fixed that, use it as it is";
}

/**
 * The change to the manifest that a person takes over: one that was set aside after a session, or that nobody explained.
 * One that nobody is asked about is made as the person's edit that it is. `named`: an approval, or the name under which a
 * change was set aside.
 */
export function acceptedChange(system: System, state: ProjectState, named: string): Answer {
  const item = state.approval_items.find(({ id, about }) => id === named || about === named);
  const name = item?.about ?? (/^session-\d+$/.test(named) ? named : undefined);
  const kept = name === undefined ? undefined : setAside(system, state, name);
  if (item === undefined && kept !== undefined) return { verb: "edit", ...kept };
  const { id, kind, subject_sha256 } = item ?? namedApproval(state, named);
  if (kind === "proposal") {
    return { verb: "approve", item: id, subject_sha256 };
  }
  throw new StintError(
    "bad-input",
    `${id} is not a change to the manifest`,
    `Look at it (stint diff ${id} ${state.project_id}), then: stint approve ${id} ${state.project_id}`,
  );
}

/** The change of that name, where it is kept. @throws where it is no text: it would come back as something else */
function setAside({ store }: System, { project_id }: ProjectState, name: string) {
  const whole = store.kept(project_id, proposalPath(name, "text"));
  if (whole !== undefined && whole.length > 0) decodeManifest(proposalPath(name, "text"), whole);
  const read = (part: "base" | "wanted"): string | undefined =>
    store.kept(project_id, proposalPath(name, part))?.toString("utf8");
  const [base, text] = [read("base"), read("wanted")];
  return base === undefined || text === undefined ? undefined : { base, text };
}
