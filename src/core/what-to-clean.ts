// What nothing needs any more, and what would be lost with it. Pure: it is given what was found and
// decides; a project that a run holds, or whose state cannot be read, is left alone.
import type { ProjectId } from "./ids.ts";
import type { ProjectStatus } from "./schema/project.ts";

export interface KnownProject {
  readonly id: ProjectId;
  readonly slug: string;
  readonly root: string;
  readonly isRootThere: boolean;
  /** Null: its state cannot be read. */
  readonly state: {
    readonly status: ProjectStatus;
    readonly isHeld: boolean;
    /** Tasks that are neither done nor left out. */
    readonly openTasks: readonly string[];
    /** A session or its checks were under way when the last word was written. */
    readonly isUnderWay: boolean;
  } | null;
}

export interface FoundFolder {
  readonly path: string;
  /** The project whose folder it lies in, known or not. */
  readonly project: ProjectId;
  /** `workspace`: whole. `litter`: begun and never finished, or removed in part. */
  readonly kind: "workspace" | "litter";
  /** Unfinished work that only it holds, by task; null where its refs cannot be read. */
  readonly keptTasks: readonly string[] | null;
  /** Branches whose commits no other branch, remote branch or tag of the repository holds. */
  readonly undelivered: readonly string[];
}

/** What runs in the background, or the watchdog, noted of a project. It says nothing of how the project stands. */
export interface FoundRecords {
  readonly path: string;
  readonly project: ProjectId;
  readonly kind: "background-runs" | "watchdog-notes";
  /** A process that writes there is alive, or a person is still to be told. */
  readonly isInUse: boolean;
}

export interface CleanFacts {
  readonly projects: readonly KnownProject[];
  readonly folders: readonly FoundFolder[];
  readonly records?: readonly FoundRecords[];
}

export interface Cleanable {
  readonly kind: FoundFolder["kind"] | FoundRecords["kind"] | "registry-entry";
  readonly project: ProjectId;
  /** A folder; of an entry, the checkout that is gone. */
  readonly path: string;
  readonly reason: string;
  /** The only copy of these would go with it: it needs a word of its own. */
  readonly onlyCopyOf: readonly string[];
}

export function whatToClean({ projects, folders, records = [] }: CleanFacts): readonly Cleanable[] {
  const known = new Map(projects.map((project) => [project.id, project]));
  const fromFolders = folders.flatMap((folder) => cleanFolder(folder, known.get(folder.project)));
  const entries = projects.flatMap((project) => cleanEntry(project, fromFolders));
  const fromRecords = records.flatMap((each) => cleanRecords(each, known.get(each.project)));
  return [...fromFolders, ...fromRecords, ...entries];
}

function cleanRecords(records: FoundRecords, project: KnownProject | undefined): Cleanable[] {
  const { isInUse, ...of } = records;
  const reason = whyNotNeeded(project);
  if (isInUse || project?.state?.isHeld === true || reason === null) return [];
  return [{ ...of, reason, onlyCopyOf: [] }];
}

function cleanFolder(folder: FoundFolder, project: KnownProject | undefined): Cleanable[] {
  if (project?.state?.isHeld === true) return [];
  const { path, kind } = folder;
  const of = { path, kind, project: folder.project };
  if (kind === "litter") {
    return [{ ...of, reason: "a process that was killed left it", onlyCopyOf: [] }];
  }
  const reason = whyNotNeeded(project);
  return reason === null ? [] : [{ ...of, reason, onlyCopyOf: onlyCopies(folder, project) }];
}

function whyNotNeeded(project: KnownProject | undefined): string | null {
  if (project === undefined) return "its project is not known here";
  if (!project.isRootThere) return `its checkout ${project.root} is gone`;
  const status = project.state?.status;
  return status === "Done" || status === "Abandoned" ? `its project is ${status}` : null;
}

function onlyCopies(folder: FoundFolder, project: KnownProject | undefined): string[] {
  const state = project?.state ?? null;
  const { keptTasks, undelivered } = folder;
  // Without a state nobody can say that a task is finished.
  const unfinished = keptTasks?.filter((task) => state?.openTasks.includes(task) ?? true) ?? [];
  return [
    ...(keptTasks === null ? ["the content of its own repository, which cannot be read"] : []),
    ...unfinished.map((task) => `unfinished work of ${task}`),
    ...undelivered.map((branch) => `commits that only ${branch} contains`),
    ...(state?.isUnderWay === true ? ["the attempt that was in progress"] : []),
  ];
}

/** Only the entry goes: the record of what was done stays, and `doctor --adopt` finds it again. */
function cleanEntry(project: KnownProject, folders: readonly Cleanable[]): Cleanable[] {
  const { id, root, isRootThere, state } = project;
  if (isRootThere || state === null || state.isHeld) return [];
  const own = folders.filter((folder) => folder.project === id);
  const isEnded = state.status === "Done" || state.status === "Abandoned";
  const onlyCopyOf = [
    ...(isEnded ? [] : [`the only way to reopen a project that is ${state.status}`]),
    ...own.flatMap((folder) => folder.onlyCopyOf),
  ];
  const reason = `its checkout ${root} is gone`;
  return [{ kind: "registry-entry", project: id, path: root, reason, onlyCopyOf }];
}
