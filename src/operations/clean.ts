// `clean`: what nothing needs any more, shown first, removed when a person says so. Never the only copy
// of anything without its own word, and never anything of a project that a run holds.
import { realpathSync, statSync } from "node:fs";
import { parseProjectId, type ProjectId } from "../core/ids.ts";
import { isFinished } from "../core/eligibility.ts";
import { isTerminal } from "../core/project-state.ts";
import type { CleanView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { type Cleanable, type KnownProject, whatToClean } from "../core/what-to-clean.ts";
import {
  endDelivery,
  lookAtWorkspaces,
  removeRecords,
  removeWorkspace,
  sizeOf,
  workspacesIn,
} from "../engine/space/look-at-workspaces.ts";
import type { Holder, RegistryEntry } from "../store/store.ts";
import { whileTold } from "../engine/base/while-wanted.ts";
import { assertPerson, freshRunId, type System } from "./system.ts";
import { faultOf, orFault } from "./faults.ts";
import { isInUse, recordsBeside } from "./doctor/records-beside.ts";
import { noticesTo } from "./run/run-surroundings.ts";
import { dirname } from "node:path";
import { readSpace } from "../engine/space/kept-space.ts";
import { workspaceSettings } from "../core/written/workspace-settings.ts";
import { findRepository } from "../store/repository.ts";
import { chooseWorkspace } from "./run/choose-workspace.ts";
import { readConfig } from "./run/read-config.ts";

export interface CleanInput {
  /** Removes what is shown. */
  readonly yes?: boolean;
  /** Ids of projects of which also the only copies may go. */
  readonly force?: readonly string[] | undefined;
  /** Hears of what takes longer than a second. */
  readonly tell?: (text: string) => void;
}

type Item = CleanView["items"][number];

export async function clean(system: System, input: CleanInput): Promise<CleanView> {
  if (input.yes === true) assertPerson(system, "what may be removed");
  // Its workspace would look like one of a project that nobody knows.
  const [damaged] = system.store.damaged();
  if (damaged !== undefined) throw damaged.fault;
  const projects = system.store.list().map((entry) => knownProject(system, entry));
  const folders = await lookAtWorkspaces(system.stateHome, await workspaceDirs(system), projects);
  const found = whatToClean({ projects, folders, records: await recordsBeside(system) });
  const forced = forcedIds(system, input.force ?? [], found);
  const isApplied = input.yes === true;
  const told = { host: system.host, tell: noticesTo(input.tell ?? (() => {})) };
  const items: Item[] = [];
  // One after another: the entry of a project goes after its workspaces.
  for (const each of found) {
    // oxlint-disable-next-line no-await-in-loop
    const item = await whileTold(told, `measuring ${nameOf(each)}`, () => itemOf(each));
    const project = projects.find(({ id }) => id === each.project) ?? null;
    const isKept = each.onlyCopyOf.length > 0 && !forced.has(each.project);
    if (isKept) {
      const why = `this is the only copy; to remove it anyway: stint clean --yes --force ${each.project}`;
      items.push({ ...item, outcome: "kept", why });
    } else if (!isApplied) items.push(item);
    else {
      // oxlint-disable-next-line no-await-in-loop
      const removed = await whileTold(told, `removing ${nameOf(each)}`, () =>
        remove(system, each, project),
      );
      items.push({ ...item, ...removed });
    }
  }
  const counted = items.filter(({ outcome }) => outcome === "shown" || outcome === "removed");
  return {
    is_applied: isApplied,
    items,
    bytes: counted.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    next:
      !isApplied && items.some(({ outcome }) => outcome === "shown")
        ? [["stint clean --yes", ...[...forced].map((id) => `--force ${id}`)].join(" ")]
        : [],
  };
}

function knownProject({ store }: System, entry: RegistryEntry): KnownProject {
  const { project_id: id, slug, root } = entry;
  const read = orFault(() => store.read(id));
  if (!read.ok) return { id, slug, root, isRootThere: isThere(root), state: null };
  const { state, lease } = read.value;
  const { status, tasks } = state;
  // What was delegated may be a session in a lane of it.
  const underWay = ["in_progress", "validating", "awaiting_result"];
  const isUnderWay = tasks.some((task) => underWay.includes(task.status));
  const openTasks = tasks.filter((task) => !isFinished(task)).map((task) => task.id);
  const facts = { status, isUnderWay, openTasks, isHeld: lease.held };
  return { id, slug, root, isRootThere: isThere(root), state: facts };
}

/** A folder that cannot be looked at, on a share that is away, is not one that is gone. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOTDIR";
  }
}

/** @throws bad-input for an id that nothing was found of; lease-held for one that a run holds */
function forcedIds(
  { store }: System,
  words: readonly string[],
  found: readonly Cleanable[],
): ReadonlySet<ProjectId> {
  return new Set(
    words.map((word) => {
      const id = parseProjectId(word);
      if (id !== undefined && found.some(({ project }) => project === id)) return id;
      if (id !== undefined && store.find(id) !== undefined && store.read(id).lease.held) {
        throw new StintError(
          "lease-held",
          `${id} is held by a run; nothing of it was removed`,
          `See what it does: stint status ${id}; end it: stint stop ${id}`,
        );
      }
      throw new StintError(
        "bad-input",
        `${word} has nothing that could be removed`,
        "--force takes the whole id of a project, as stint clean shows it.",
      );
    }),
  );
}

function nameOf({ kind, project }: Cleanable): string {
  return kind === "workspace" ? `the workspace of ${project}` : `what is left of ${project}`;
}

async function itemOf(each: Cleanable): Promise<Item> {
  const { kind, project, path, reason, onlyCopyOf } = each;
  const size = kind === "registry-entry" ? null : await sizeOf(path);
  return {
    kind,
    project_id: project,
    path,
    reason,
    bytes: size?.bytes ?? null,
    files: size?.files ?? null,
    only_copy_of: [...onlyCopyOf],
    outcome: "shown",
    why: null,
  };
}

async function remove(
  system: System,
  each: Cleanable,
  project: KnownProject | null,
): Promise<Pick<Item, "outcome" | "why">> {
  let holder: Holder | null = null;
  try {
    holder = takeLease(system, project);
    const isOver = holder === null || isTerminal(holder.state);
    if (holder !== null && !isOver && each.kind !== "litter") {
      return { outcome: "kept", why: `its project is ${holder.state.status} by now` };
    }
    if (each.kind === "registry-entry") system.store.forget(each.project);
    else if (each.kind === "background-runs" || each.kind === "watchdog-notes") {
      if (await isInUse(system, each.kind, each.project)) {
        return { outcome: "kept", why: "a process that was started meanwhile writes there" };
      }
      removeRecords(each.path);
    } else {
      const open = await endDelivery(each.path, project);
      if (open !== null) return { outcome: "kept", why: open };
      // Litter may lie beside a workspace that is in use; what was forced away may still be held by refs.
      const mayDropRefs = each.kind === "workspace" && each.onlyCopyOf.length === 0;
      await removeWorkspace(each.path, mayDropRefs ? project : null);
    }
    return { outcome: "removed", why: null };
  } catch (error) {
    const { code, message, hint } = faultOf(error);
    return { outcome: code === "lease-held" ? "kept" : "failed", why: `${message} ${hint}` };
  } finally {
    holder?.release();
  }
}

/** So that no run begins meanwhile. One whose checkout is gone cannot begin, and is not made anew here. */
function takeLease(system: System, project: KnownProject | null): Holder | null {
  if (project === null || !project.isRootThere || project.state === null) return null;
  return system.store.acquire(project.id, { owner: system.user, run_id: freshRunId(system) });
}

/**
 * Every folder in which workspaces may lie: that of the state folder, those that settings name, here and in the checkouts
 * of known projects, and those where known projects have had one.
 */
async function workspaceDirs(system: System): Promise<readonly string[]> {
  const entries = system.store.list();
  const roots = new Set([findRepository(system.cwd).root, ...entries.map(({ root }) => root)]);
  const named = await Promise.all([...roots].map((root) => dirOf(system, root)));
  const dirs = [
    workspacesIn(system.stateHome),
    ...named,
    ...entries.map((entry) => keptDir(system, entry)),
  ];
  // One that is not there holds nothing, and one by two names is one.
  const real = new Map<string, string>();
  for (const dir of dirs) {
    const path = dir === null ? null : realPathOf(dir);
    if (dir !== null && path !== null && !real.has(path)) real.set(path, dir);
  }
  return [...real.values()];
}

/** A workspace is `<folder>/<project>/<n>`. */
function keptDir({ store }: System, entry: RegistryEntry): string | null {
  // A record that cannot be read says nothing; `doctor` says why.
  const read = orFault(() => readSpace(store, entry)?.home);
  return !read.ok || read.value === undefined ? null : dirname(dirname(read.value));
}

/** Settings that cannot be read name nothing; whoever runs there is told. */
async function dirOf({ env }: System, root: string): Promise<string | null> {
  try {
    const { workspace } = workspaceSettings(await readConfig(root));
    if (workspace?.dir === undefined) return null;
    const place = { root, hasGit: true, home: env["HOME"] };
    return chooseWorkspace({ workspace: "own-path" }, workspace, place).dir ?? null;
  } catch (error) {
    faultOf(error);
    return null;
  }
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return null;
    throw error;
  }
}
