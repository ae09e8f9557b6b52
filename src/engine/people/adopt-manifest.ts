// A person's change of the manifest, found in their file or sent by `stint edit`, becomes the event that
// adopts it. A session has a copy of its own, so whose a change is needs no guess.
import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Letter } from "../../core/answers.ts";
import type { AdoptedTask, EventOf, ProjectEvent } from "../../core/events.ts";
import type { TaskId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { isTerminal } from "../../core/project-state.ts";
import { checkedAnewBy } from "../../core/step/manifest.ts";
import { counted } from "../../core/words/amounts.ts";
import { StintError } from "../../core/stint-error.ts";
import { shellWord } from "../../core/written/commands.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import type { Adopted } from "../../manifest/edit/reconciliation.ts";
import { areLimitsStrict, statePageOf } from "../../manifest/plan.ts";
import { formatProblem, isError, type Problem } from "../../manifest/problem.ts";
import { keptPath } from "../../store/store.ts";
import { nowOf } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import {
  type Edit,
  knownText,
  type ManifestPorts,
  seenText,
  type Texts,
  withBoxes,
  withSameBoxes,
} from "./manifest-texts.ts";
import {
  describeChange,
  findPersonsEdit,
  NotAdopted,
  reconcileEdit,
  withPersonsChange,
} from "./persons-edit.ts";
import { lookAt } from "../../process/look-at.ts";

/** What reading the manifest takes; a run has it, and so has a verb that holds the lease. */
type Reader = ManifestPorts & Pick<RunContext, "host" | "person" | "personsGit">;

/** A person's change, as the event that adopts it; null when there is none. @throws NotAdopted */
export async function adoptPersonsChanges(
  context: Reader,
): Promise<EventOf<"manifest-adopted" | "manifest-read"> | null> {
  const { holder, checkout } = context;
  const { state } = holder;
  const edit = await findPersonsEdit(context);
  switch (edit.kind) {
    case "none":
    case "by-git":
      return null;
    case "gone":
      throw gone(context, knownText(context), edit.isEmptied);
    case "read":
      return {
        kind: "manifest-read",
        ...nowBy(context),
        manifest_seen: holder.keepManifest(edit.disk),
      };
    case "refused":
      throw new NotAdopted(
        `the changed manifest has errors; no change was adopted:\n${errorsIn(state, edit.problems)}`,
        `Fix it, then run again: stint lint ${state.manifest.path}`,
        inShort(state, edit.problems),
      );
    case "adopted": {
      const { disk, text, adopted } = edit;
      const anew = checkedAnewBy(state.tasks, adopted.intents);
      const file = withBoxes(disk, state.tasks, anew, false);
      // The file first; not of a project that is over, which is only looked at. Where the person saves at the same
      // moment, Stint writes it later.
      const mayWrite = !isTerminal(state);
      const isWritten = file === disk || (mayWrite && checkout.writeManifest(disk, file));
      const texts = {
        manifest_digest: holder.keepManifest(withBoxes(text, state.tasks, anew, false)),
        manifest_seen: holder.keepManifest(isWritten ? file : disk),
      };
      return adoptedBy(adopted, anew, texts, nowBy(context));
    }
    default:
      return edit satisfies never;
  }
}

function nowBy(context: Reader): Pick<ProjectEvent, "at" | "by"> {
  return { at: nowOf(context), by: context.person };
}

function errorsIn({ manifest }: ProjectState, problems: readonly Problem[]): string {
  return problems
    .filter(isError)
    .map((problem) => formatProblem(manifest.path, problem))
    .join("\n");
}

function inShort({ manifest: { path } }: ProjectState, problems: readonly Problem[]): string {
  const [first, ...others] = problems.filter(isError);
  const more = others.length === 0 ? "" : ` (and ${counted(others.length, "more error")})`;
  return `the changed manifest has errors, and no change was adopted: ${path}:${first?.line}: ${first?.message}${more}`;
}

export type EditOutcome =
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly reason: string; readonly hint: string }
  /** The file holds the change; the event makes it known. */
  | { readonly kind: "event"; readonly event: ProjectEvent };

/** An edit that was sent: that change, and nothing else, is made in the file and in the text that is known. */
export function adoptEdit(ports: ManifestPorts, edit: Edit, letter: Letter): EditOutcome {
  const { holder, checkout } = ports;
  const { state } = holder;
  const { project_id, manifest } = state;
  const disk = checkout.readManifest() ?? "";
  const { base, text } = withSameBoxes(edit, disk, state);
  const known = knownText(ports);
  const nextFile = mergeLines(base, disk, text);
  if (nextFile === undefined) {
    return refused(
      `lines of ${manifest.path} that you changed were also changed by others since you opened it`,
      `Nothing was written. Edit it again, starting from the current text: stint edit ${project_id}`,
    );
  }
  // With whatever else the person wrote since their file was last read.
  const nextKnown = withPersonsChange({ base: seenText(ports), text: nextFile }, known, state);
  const result = reconcileEdit(ports, known, nextKnown);
  if (result.kind === "unchanged") return { kind: "unchanged" };
  if (result.kind === "invalid") {
    return refused(
      `the edited manifest has errors; no change was adopted:\n${errorsIn(state, result.problems)}`,
      `Fix it: stint edit ${project_id}`,
    );
  }
  const current = state.current_task_id;
  if (current !== null && !result.intents.some(({ id }) => id === current)) {
    return refused(
      `${current} is being worked on and is not in the edited manifest`,
      `End it first: stint skip ${current} ${project_id} --reason "why"; or: stint stop ${project_id} --now`,
    );
  }
  const anew = checkedAnewBy(state.tasks, result.intents);
  const file = withBoxes(nextFile, state.tasks, anew, false);
  // The file first: a kill in between leaves the letter, and the same change is found made.
  if (file !== disk && !checkout.writeManifest(disk, file)) {
    return refused(`${manifest.path} was saved at the same moment`, "Edit it again.");
  }
  const { at, by, id: answer_id } = letter;
  if (state.status === "Done") {
    const reason = `${manifest.path} was edited`;
    // What changed is read from the file by the next run.
    return { kind: "event", event: { kind: "reopened", at, by, answer_id, reason, task_ids: [] } };
  }
  const texts = {
    manifest_digest: holder.keepManifest(withBoxes(nextKnown, state.tasks, anew, false)),
    manifest_seen: holder.keepManifest(file),
  };
  return { kind: "event", event: adoptedBy(result, anew, texts, { at, by, answer_id }) };
}

function refused(reason: string, hint: string): EditOutcome {
  return { kind: "refused", reason, hint };
}

/** `anew` are done tasks whose new checks have to say whether they still are. */
function adoptedBy(
  { changes, plan, intents }: Adopted,
  anew: readonly TaskId[],
  texts: Required<Texts>,
  when: Pick<ProjectEvent, "at" | "by" | "answer_id">,
): EventOf<"manifest-adopted"> {
  const marks = new Map<TaskId, NonNullable<AdoptedTask["marked"]>>();
  for (const change of changes) {
    if (change.kind === "reopened") marks.set(change.id, "reopened");
    if (change.kind === "checked" && !change.needsCheck) marks.set(change.id, "done");
  }
  for (const id of anew) marks.set(id, "checks-changed");
  return {
    kind: "manifest-adopted",
    ...when,
    ...texts,
    goal: plan.goal,
    success_criteria: plan.successCriteria,
    strict: areLimitsStrict(plan),
    page: statePageOf(plan) ?? null,
    changes: changes.map(describeChange),
    tasks: intents.map((intent) => {
      const marked = marks.get(intent.id);
      return marked === undefined ? { intent } : { intent, marked };
    }),
  };
}

/**
 * Somebody took the manifest away, or put something else in its place: what is there now, and the command that
 * brings the last known text, which is kept beside the project, back without touching that.
 */
function gone({ holder }: Reader, known: string, isEmptied: boolean): StintError {
  const { root, folder, manifest } = holder.entry;
  const kept = keptPath("artifacts", "last-known-manifest.md");
  holder.keep(kept, known);
  const path = join(root, manifest);
  const back = `cp ${shellWord(join(root, folder, kept))} ${shellWord(path)}`;
  const facts = lookAt(path);
  if (facts === undefined || isEmptied) {
    return new NotAdopted(
      `the manifest ${manifest} is ${isEmptied ? "empty" : "gone"}`,
      `Restore its last known text: ${back}`,
    );
  }
  if (facts.isFile()) {
    return new StintError(
      "state-unwritable",
      `the manifest ${manifest} cannot be read`,
      `See who may read it (ls -l ${shellWord(path)}); if it is yours: chmod u+r ${shellWord(path)}`,
    );
  }
  const what = facts.isSymbolicLink()
    ? `a link to ${readlinkSync(path)}, which is not followed`
    : facts.isDirectory()
      ? "a folder"
      : "not a file";
  let aside = `${path}.aside`;
  for (let n = 2; existsSync(aside); n += 1) aside = `${path}.aside-${n}`;
  return new NotAdopted(
    `the manifest ${manifest} is gone: what is in its place is ${what}`,
    `Restore its last known text: mv ${shellWord(path)} ${shellWord(aside)} && ${back}`,
  );
}
