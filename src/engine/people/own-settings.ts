// The settings of a repository are a person's file, yet sessions and checks can write it. What they
// make of it while a run lives is not followed by any later run before a person says yes to exactly
// that; otherwise a session could open its own isolation.
import type { ProjectEvent } from "../../core/events.ts";
import type { Approval } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { followedSettings } from "../../core/schema/run-records.ts";
import { diffLines } from "../../manifest/edit/line-diff.ts";
import { sha256Of } from "../../store/digest.ts";
import { keptPath } from "../../store/store.ts";
import { approvalRequested, asking } from "../base/fact.ts";
import { type Keeping, keepRecord, readKept } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import type { TreeFiles } from "../base/tree-files.ts";

export const SETTINGS_FILES = [
  "stint.config.yaml",
  "stint.config.yml",
  "stint.config.json",
] as const;

export interface SettingsFile {
  readonly name: string;
  readonly text: string;
}

/** Of a difference; the yes is bound to all of it. */
const MOST_SHOWN = 8000;
const PATH = keptPath("logs", "settings.json");

type Texts = Pick<TreeFiles, "textNow">;

export function settingsNow(tree: Texts): readonly SettingsFile[] {
  return SETTINGS_FILES.flatMap((name) => {
    const text = tree.textNow(name);
    return text === undefined ? [] : [{ name, text }];
  });
}

/** What a run that begins goes by. `isHeld`: not what is there. */
export function settingsToFollow(
  context: Keeping,
  tree: Texts,
): { readonly files: readonly SettingsFile[]; readonly isHeld: boolean } {
  const { state } = context.holder;
  const files = settingsNow(tree);
  const kept = readKept(context, PATH, followedSettings);
  if (kept !== undefined && digestOf(kept.followed) !== digestOf(files)) {
    // Of a run that was killed nobody knows who changed it.
    const wasCutShort = state.current_task_id !== null;
    const isForeign = kept.foreign === digestOf(files) || wasCutShort;
    if (isForeign && !isAllowed(state, files)) return { files: kept.followed, isHeld: true };
  }
  keepRecord(context, PATH, { followed: files, foreign: null });
  return { files, isHeld: false };
}

/** Asks about what was made of the settings since the run began; once for each text. */
export function changedSettings(context: RunContext): ProjectEvent | null {
  const { holder, checkout } = context;
  const kept = readKept(context, PATH, followedSettings);
  if (kept === undefined) return null;
  const files = settingsNow(checkout);
  const digest = digestOf(files);
  if (digest === digestOf(kept.followed) || isAllowed(holder.state, files)) return null;
  const isAsked = holder.state.approval_items.some(
    ({ kind, about, status }) => kind === "settings" && about === digest && status !== "withdrawn",
  );
  keepRecord(context, PATH, { ...kept, foreign: digest });
  if (isAsked) return null;
  const names = [...new Set([...kept.followed, ...files].map(({ name }) => name))];
  const whole = names.map((name) => differenceOf(name, kept.followed, files)).join("\n");
  const subject = whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN)}\n…` : whole;
  return approvalRequested(asking(context), {
    kind: "settings",
    subject,
    about: digest,
    reason: `${names.join(" and ")} changed during the run: this may include Stint's own settings, such as its isolation`,
    on_yes: "the next run uses them",
    on_no: "no run uses them; the file stays as it is",
  });
}

/** Whether an item asks about settings that are no longer there. */
export function isOtherSettings(tree: Texts, item: Approval): boolean {
  return item.kind === "settings" && item.about !== digestOf(settingsNow(tree));
}

function isAllowed({ approval_items }: ProjectState, files: readonly SettingsFile[]): boolean {
  const digest = digestOf(files);
  return approval_items.some(
    ({ kind, status, about }) => kind === "settings" && status === "granted" && about === digest,
  );
}

function differenceOf(
  name: string,
  before: readonly SettingsFile[],
  after: readonly SettingsFile[],
): string {
  const textIn = (files: readonly SettingsFile[]): string =>
    files.find((file) => file.name === name)?.text ?? "";
  return `${name}\n${diffLines(textIn(before), textIn(after))}`;
}

function digestOf(files: readonly SettingsFile[]): string {
  return sha256Of(JSON.stringify(files.map(({ name, text }) => [name, text])));
}
