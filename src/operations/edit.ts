// `edit`: a person's change to the manifest, adopted at any time, also while a session is at work. The
// text is kept in a copy before anything else, and stays there until it is adopted.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import type { AnswerView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { treeFiles } from "../engine/tree-files.ts";
import { createDurably, ensureFolder, flushFile, removeIfPresent } from "../store/durable.ts";
import { realFiles } from "../store/files.ts";
import { assertPerson } from "./assert-person.ts";
import { giveAnswer } from "./give-answer.ts";
import { resolveProject } from "./resolve-project.ts";
import type { System } from "./system.ts";

/** A manifest opened for editing: the copy is the person's, the file is left alone meanwhile. */
export interface OpenedEdit {
  readonly project: ProjectId;
  readonly copy: string;
  readonly base: string;
}

export async function beginEdit(
  system: System,
  project: string | undefined,
  text?: string,
): Promise<OpenedEdit> {
  assertPerson(system, "an edit of the manifest");
  const id = await resolveProject(system, project);
  const { entry } = system.store.read(id);
  const { root, manifest, folder: projectFolder } = entry;
  const base = treeFiles({ root, manifest, projectFolder }).readManifest();
  if (base === undefined) {
    throw new StintError(
      "not-found",
      `the manifest ${manifest} is gone`,
      `See what is kept of it: stint doctor ${id}`,
    );
  }
  const folder = join(system.stateHome, "edits");
  const tag = Buffer.from(system.host.randomBytes(6)).toString("hex");
  const copy = join(folder, `${id}-${tag}.md`);
  ensureFolder(realFiles, folder);
  createDurably(realFiles, copy, Buffer.from(text ?? base, "utf8"), tag);
  return { project: id, copy, base };
}

export async function edit(
  system: System,
  { project, copy, base }: OpenedEdit,
): Promise<AnswerView> {
  flushFile(realFiles, copy);
  const text = readFileSync(copy, "utf8");
  try {
    const view = await giveAnswer(system, {
      project,
      answer: () => ({ verb: "edit", base, text }),
    });
    if (view.outcome !== "left") removeIfPresent(realFiles, copy);
    return view;
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    const hint = `Your text is kept: ${copy}\n${error.hint}`;
    throw new StintError(error.code, error.message, hint, { cause: error });
  }
}
