// A project and its workspace for whoever looks while no run is at work: where it lies and what it takes, what
// a task made there, and what a kill left.
import { pathInTree } from "../../core/files.ts";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Instant, instantFromMs } from "../../core/instant.ts";
import { type KeptSpace, keptSpace } from "../../core/schema/run-records.ts";
import type { Task } from "../../core/schema/task.ts";
import type { MeasuredUse } from "../../core/schema/workspace-record.ts";
import { StintError } from "../../core/stint-error.ts";
import { findGitFolder } from "../../git/git-folder.ts";
import { sha256Of } from "../../store/digest.ts";
import type { Holder, RegistryEntry, Snapshot, Store } from "../../store/store.ts";
import { measureUse, readMeasuredUse } from "../../workspace/base/disk-use.ts";
import { endCutShort, isCutShort } from "../../workspace/deliver/end-delivery.ts";
import {
  byHand,
  type DamagedRecord,
  damagedRecords,
  setAsideDamagedRecords,
} from "../../workspace/damaged-records.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { type Keeping, keepRecord, memoryOf, readKept } from "../base/kept-record.ts";
import { ownPaths, treeFiles } from "../base/tree-files.ts";
import { lookAtPersonsGit } from "../people/persons-git.ts";
import { KEPT_SPACE } from "./has-space.ts";
import { isThere } from "../../process/look-at.ts";

export function keepSpace(kept: Keeping, space: KeptSpace): void {
  keepRecord(kept, KEPT_SPACE, space);
}

/** Null before the first run. */
export function readSpace(store: Store, entry: RegistryEntry): KeptSpace | null {
  return readKept({ store, holder: { state: entry } }, KEPT_SPACE, keptSpace) ?? null;
}

/** Whether the workspace with this home has its own repository: without it, it is none. */
export function hasRepository(home: string): boolean {
  return isThere(join(home, "git", "HEAD"));
}

/**
 * Work that was begun in a repository goes on in none else, and not without one. What was recorded counts, never that
 * there is no repository now.
 */
export function repositoryLoss(store: Store, entry: RegistryEntry): StintError | null {
  const { root, project_id } = entry;
  if (readSpace(store, entry)?.kind !== "own-copy" || findGitFolder(root) !== null) return null;
  return new StintError(
    "state-unwritable",
    `the git repository of ${root} is gone: it has no .git any more. Nothing more was started.`,
    `If it was moved, move it back, then run: stint resume ${project_id}\nIf it was removed, the work that was committed went with it; see what else is left: stint doctor`,
  );
}

/** It had one, and it was removed. */
export function isSpaceGone(store: Store, entry: RegistryEntry): boolean {
  const kept = readSpace(store, entry);
  return kept !== null && !isThere(kept.home);
}

/** Null: it has none yet, or it is gone. */
function spaceThere(store: Store, entry: RegistryEntry): KeptSpace | null {
  const kept = readSpace(store, entry);
  return kept === null || !isThere(kept.home) ? null : kept;
}

/** To read from: nothing is started in it. Null where there is none. */
export function openKeptSpace(store: Store, entry: RegistryEntry): Workspace | null {
  const kept = spaceThere(store, entry);
  if (kept === null || !isThere(entry.root)) return null;
  const { manifest, folder: projectFolder, root, project_id, slug } = entry;
  return openWorkspace({
    kind: kept.kind,
    checkout: realpathSync(root),
    home: kept.home,
    project: project_id,
    slug,
    ...(pathInTree(manifest) === null ? {} : { manifest }),
    ownPaths: ownPaths({ root, manifest, projectFolder }),
    shownAt: "own-path",
    hide: [],
    mounts: [],
    bring: async () => [],
    runInside: () => Promise.reject(new Error("nothing is started by whoever only looks")),
  });
}

export interface WorkspaceUse extends KeptSpace {
  /** Null: never measured. */
  readonly use: MeasuredUse | null;
}

/** To show it nothing is walked. */
export function workspaceUse(store: Store, entry: RegistryEntry): WorkspaceUse | null {
  const kept = spaceThere(store, entry);
  return kept === null ? null : { ...kept, use: readMeasuredUse(kept.home) };
}

/** To measure it takes a while. */
export async function measureWorkspace(
  store: Store,
  entry: RegistryEntry,
  at: Instant,
): Promise<WorkspaceUse | null> {
  const kept = spaceThere(store, entry);
  return kept === null ? null : { ...kept, use: await measureUse(kept.home, at) };
}

export interface DamagedPart extends DamagedRecord {
  /** Null: a repair does it. */
  readonly fix: string | null;
}

/** Parts of its workspace that cannot be read, or are in the place of others. */
export function damagedSpace(store: Store, entry: RegistryEntry): readonly DamagedPart[] {
  // Something in the place of it is there, too.
  const home = readSpace(store, entry)?.home;
  if (home === undefined) return [];
  return damagedRecords(home).map((each) => ({ ...each, fix: byHand(home, each) }));
}

/** Under the lease: sets them aside, and says so in the journal. @returns what was done, one line each */
export function repairSpace({ holder, store, nowMs }: MendContext): string[] {
  const kept = readSpace(store, holder.entry);
  const told = kept === null ? [] : setAsideDamagedRecords(kept.home);
  const fact = {
    at: instantFromMs(nowMs),
    by: holder.state.owner_agent,
    kind: "workspace-repaired",
  };
  for (const summary of told) holder.note({ ...fact, summary });
  return told;
}

export interface MendContext {
  readonly holder: Holder;
  readonly store: Store;
  readonly nowMs: number;
}

/**
 * Whoever holds the lease first ends a delivery that was cut short: the person's manifest may be among the files
 * that it had put in place, and would be taken for an edit.
 * @returns what the person is told; it is in the journal too
 */
export async function mendCutShort({ holder, store, nowMs }: MendContext): Promise<string[]> {
  const { entry, state } = holder;
  if (whatIsCutShort(store, entry) === null) return [];
  const { home = "" } = readSpace(store, entry) ?? {};
  const place = { home, project: entry.project_id, checkout: entry.root };
  const { obstacle, notes } = await endCutShort(place);
  const ended =
    obstacle === null
      ? "an interrupted delivery was completed or undone"
      : `a delivery was interrupted and cannot be completed or undone: ${obstacle.why}`;
  const told = [ended, ...notes];
  const fact = { at: instantFromMs(nowMs), by: state.owner_agent, kind: "delivery-mended" };
  for (const summary of told) holder.note({ ...fact, summary });
  return told;
}

/** A sentence for `status` and `doctor`; null where every delivery has come to its end. */
export function whatIsCutShort(store: Store, entry: RegistryEntry): string | null {
  const kept = readSpace(store, entry);
  if (kept === null || kept.kind === "in-place" || !isCutShort(kept.home)) return null;
  return `a delivery into ${entry.root} was interrupted: it may have left uncommitted files and a lock of the index`;
}

/**
 * Why the manifest on disk is not the one that holds: git put it there, and nobody wrote it. Null where it is
 * the one that holds, or is read as a person's edit.
 */
export async function whyNotAdopted(
  store: Store,
  { entry, state }: Pick<Snapshot, "entry" | "state">,
): Promise<string | null> {
  const { root, manifest, folder: projectFolder } = entry;
  // Before the first run nothing says where the work belongs; in place, every text is somebody's.
  const kind = readSpace(store, entry)?.kind;
  if (kind !== "own-copy" || !isThere(root)) return null;
  const disk = treeFiles({ root, manifest, projectFolder }).readManifest();
  if (disk !== undefined && sha256Of(disk) === (state.manifest.seen ?? state.manifest.digest))
    return null;
  return await lookAtPersonsGit(entry, store).gitsDoing();
}

/** What its sessions left of these paths, as git shows it; null without work, or where its workspace is gone. */
export async function outputDiff(
  store: Store,
  entry: RegistryEntry,
  task: Task,
  paths: readonly string[],
): Promise<string | null> {
  const { work } = memoryOf({ store, holder: { state: entry } }, task.id);
  const space = openKeptSpace(store, entry);
  if (work === undefined || space === null || paths.length === 0) return null;
  return await space.diff(work.base, work.tree, paths);
}
