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
import { StintError } from "../../core/stint-error.ts";
import { shellWord } from "../../core/written/commands.ts";
import { mergeLines } from "../../manifest/edit/line-diff.ts";
import { reconcileManifest } from "../../manifest/edit/reconcile-manifest.ts";
import type { Adopted, Reconciliation } from "../../manifest/edit/reconciliation.ts";
import { areLimitsStrict, statePageOf } from "../../manifest/plan.ts";
import { formatProblem, isError, type Problem } from "../../manifest/problem.ts";
import { decodeManifest } from "../../manifest/read-manifest.ts";
import { keptPath } from "../../store/store.ts";
import { nowOf } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { newAgentErrors } from "./agent-problems.ts";
import {
  type Edit,
  knownText,
  type ManifestPorts,
  seenText,
  type Texts,
  withBoxes,
  withSameBoxes,
} from "./manifest-texts.ts";
import { lookAt } from "../../process/look-at.ts";

/** What reading the manifest takes; a run has it, and so has a verb that holds the lease. */
type Reader = ManifestPorts & Pick<RunContext, "host" | "person" | "personsGit">;

/**
 * A person's change, as the event that adopts it; null when there is none. What git put there, by a switch
 * of the branch, a stash or a pull, is nobody's edit: the text from before holds.
 */
export async function adoptPersonsChanges(
  context: Reader,
): Promise<EventOf<"manifest-adopted" | "manifest-read"> | null> {
  const { holder, checkout } = context;
  const { state } = holder;
  const known = knownText(context);
  const seen = seenText(context);
  const disk = checkout.readManifest();
  if (disk === seen || (await context.personsGit.gitsDoing()) !== null) return null;
  if (disk === undefined || disk.trim() === "") throw gone(context, known, disk !== undefined);
  // What is no text cannot be written back as it was, so nothing of it is taken.
  decodeManifest(state.manifest.path, checkout.manifestBytes() ?? new Uint8Array());
  const text = withPersonsChange({ base: seen, text: disk }, known, state);
  const byPerson = { at: nowOf(context), by: context.person };
  const result = reconcile(context, known, text);
  switch (result.kind) {
    case "unchanged":
      return { kind: "manifest-read", ...byPerson, manifest_seen: holder.keepManifest(disk) };
    case "invalid":
      throw new StintError(
        "bad-input",
        `the changed manifest has errors; no change was adopted:\n${errorsIn(state, result.problems)}`,
        `Fix it, then run again: stint lint ${state.manifest.path}`,
      );
    case "adopted": {
      const anew = checkedAnewBy(state.tasks, result.intents);
      const file = withBoxes(disk, state.tasks, anew, false);
      // The file first; not of a project that is over, which is only looked at. Where the person saves at the same
      // moment, Stint writes it later.
      const mayWrite = !isTerminal(state);
      const isWritten = file === disk || (mayWrite && checkout.writeManifest(disk, file));
      const texts = {
        manifest_digest: holder.keepManifest(withBoxes(text, state.tasks, anew, false)),
        manifest_seen: holder.keepManifest(isWritten ? file : disk),
      };
      return adoptedBy(result, anew, texts, byPerson);
    }
    default:
      return result satisfies never;
  }
}

/** What a person changed, made in the text that is known; where both changed the same lines, theirs. */
function withPersonsChange(edit: Edit, known: string, state: ProjectState): string {
  const { base, text } = withSameBoxes(edit, known, state);
  return mergeLines(base, known, text) ?? text;
}

/** What no agent could be started for is no change to adopt, like any other error. */
function reconcile({ holder, agents }: ManifestPorts, known: string, disk: string): Reconciliation {
  const { tasks, counters } = holder.state;
  const result = reconcileManifest({ known, disk, tasks, nextTaskNumber: counters.tasks + 1 });
  if (result.kind !== "adopted") return result;
  const problems = newAgentErrors({ before: known, after: disk }, agents.names);
  return problems.length === 0 ? result : { kind: "invalid", problems };
}

function errorsIn({ manifest }: ProjectState, problems: readonly Problem[]): string {
  return problems
    .filter(isError)
    .map((problem) => formatProblem(manifest.path, problem))
    .join("\n");
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
  const result = reconcile(ports, known, nextKnown);
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

function describeChange(change: Adopted["changes"][number]): string {
  switch (change.kind) {
    case "added":
    case "removed":
    case "returned":
      return `${change.id} ${change.kind}: ${short(change.title)}`;
    case "reworded":
      return `${change.id} reworded: ${short(change.to)}`;
    case "rekeyed":
      return `${change.id}: ${change.keys.join(", ")} changed`;
    case "detailed":
      return `${change.id}: sub-steps changed`;
    case "reordered":
      return "tasks reordered";
    case "reopened":
      return `${change.id} reopened`;
    case "checked":
      return `${change.id} checked by a person`;
    case "rewritten":
      return `${change.part} rewritten`;
    default:
      return change satisfies never;
  }
}

const LONGEST_TITLE = 60;

function short(title: string): string {
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1)}…`;
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
    return new StintError(
      "bad-input",
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
  return new StintError(
    "bad-input",
    `the manifest ${manifest} is gone: what is in its place is ${what}`,
    `Restore its last known text: mv ${shellWord(path)} ${shellWord(aside)} && ${back}`,
  );
}
