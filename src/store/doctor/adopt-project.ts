// Trusts the copy of a project in a work tree: on another machine, after a move, after the state
// folder was lost. Only a person asks for it, and sees what is trusted.
import { counted } from "../../core/words/amounts.ts";
import { join, relative, resolve } from "node:path";
import { pathInTree } from "../../core/files.ts";
import { parseProjectId } from "../../core/ids.ts";
import { type ProjectState, projectState } from "../../core/schema/project.ts";
import { StintError } from "../../core/stint-error.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { pathProblem } from "../../manifest/written-values.ts";
import {
  doctored,
  type DoctorFiles,
  healed,
  type Repair,
  writeRepaired,
} from "./repair-project.ts";
import type { Disk } from "../disk.ts";
import { keepManifest, type ProjectFiles, type StoreFiles } from "../store-files.ts";
import { projectLayout } from "../layout.ts";
import { readCopy } from "../project-folder.ts";
import { UPGRADE } from "../revision-files.ts";
import { decodeState } from "../state-codec.ts";
import type { Claim, RegistryEntry } from "../store.ts";
import { adoptCopies } from "./kept-files.ts";
import { highestTrace, readableLines, refuseAbsurd } from "./salvage-journal.ts";

/** A project folder in a work tree that this user's state folder has no shadow of. */
export interface Adoptable {
  readonly folder: string;
  readonly verdict:
    | {
        readonly kind: "adoptable";
        readonly state: ProjectState;
        /** Only its registration is lost; nothing of the folder has to be believed. */
        readonly hasShadow: boolean;
        readonly trusted: readonly string[];
      }
    /** The same project is registered at another place that is gone: the work tree was moved. */
    | { readonly kind: "moved"; readonly state: ProjectState; readonly from: string }
    | { readonly kind: "refused"; readonly reason: string };
}

export function findAdoptables(all: StoreFiles, root: string, projectsRoot: string): Adoptable[] {
  const { disk } = all;
  const agents = join(root, projectsRoot);
  return disk.list(agents).flatMap((agent) => {
    const projects = join(agents, agent, "projects");
    return disk
      .list(projects)
      .map((slug) => join(projectsRoot, agent, "projects", slug))
      .filter((folder) => disk.files.stat(projectLayout({ root, folder }).state) !== undefined)
      .map((folder) => judgeAdoption(all, root, folder))
      .filter((each) => each !== undefined);
  });
}

export function adoptProject(
  { all, store }: DoctorFiles,
  root: string,
  folder: string,
  claim: Claim,
): Repair {
  const found = judgeAdoption(all, root, folder);
  if (found === undefined) throw notAdoptable(folder, "it is intact and needs no adoption");
  const { verdict } = found;
  if (verdict.kind === "refused") throw notAdoptable(folder, verdict.reason);
  const project = all.of(entryOf(verdict.state, root, folder));
  const { entry, revisions } = project;
  if (revisions.numbers().length === 0) {
    const inferred = [
      ...trustCopy(all, project, verdict.state, claim),
      ...adoptCopies(project, store, verdict.state),
    ];
    return healed(store, entry.project_id, claim, inferred);
  }
  // The shadow is here, so nothing of the folder has to be believed: only its place is new.
  all.registry.move(entry);
  const placed =
    verdict.kind === "moved"
      ? `the work tree moved from ${verdict.from} to ${root}`
      : `the entry of the registry was missing; it was written again for ${root}`;
  const holder = store.acquire(entry.project_id, claim);
  const inferred = [placed, ...holder.healed];
  holder.note(doctored(all, "project-moved", claim, inferred));
  holder.release();
  return { project_id: entry.project_id, revision: holder.state.revision, inferred };
}

/** There is no shadow: state and journal are made from what the folder says. */
function trustCopy(
  all: StoreFiles,
  project: ProjectFiles,
  state: ProjectState,
  claim: Claim,
): string[] {
  const { entry, disk, shadow, layout } = project;
  const inferred = [`state.json of ${entry.folder} at revision ${state.revision} was trusted`];
  const lines = readableLines([readCopy(disk, layout.journal) ?? Buffer.alloc(0)]);
  if (state.last_event !== null) lines.set(state.revision, state.last_event);
  const highest = highestTrace(state.revision, lines);
  refuseAbsurd(lines, highest);
  const digest = keepLastKnownManifest(project);
  if (digest !== state.manifest.digest) {
    inferred.push(
      `${entry.manifest} differs from when the state was written; its text now is the last known`,
    );
  }
  all.registry.move(entry);
  disk.ensureFolder(shadow.states);
  const trusted = { ...state, manifest: { ...state.manifest, digest } };
  const rewriting = { state: trusted, kept: new Map(), lines, highest, fence: state.fence };
  const happening = doctored(all, "state-repaired", claim, inferred);
  return [...inferred, ...writeRepaired(project, rewriting, happening)];
}

function judgeAdoption(all: StoreFiles, root: string, folder: string): Adoptable | undefined {
  const { disk, registry } = all;
  const refused = (reason: string): Adoptable => ({
    folder,
    verdict: { kind: "refused", reason },
  });
  const { state: path } = projectLayout({ root, folder });
  const bytes = disk.files.stat(path)?.kind === "file" ? disk.read(path) : undefined;
  if (bytes === undefined) return refused("its state.json is not a file");
  const decoded = decodeState(bytes);
  if (!decoded.ok && decoded.kind === "unknown-version") {
    return refused(`its state.json is of another version: ${decoded.reason}. ${UPGRADE}`);
  }
  if (!decoded.ok) return refused(`its state.json cannot be trusted: ${decoded.reason}`);
  const { state } = decoded;
  const id = typeof state.project_id === "string" ? parseProjectId(state.project_id) : undefined;
  if (registry.damaged().some(({ project_id }) => project_id === id)) {
    return refused("its entry of the registry is damaged. To repair it: stint doctor --repair");
  }
  const known = id === undefined ? undefined : registry.find(id);
  const hasShadow = id !== undefined && all.revisions(id).numbers().length > 0;
  if (known?.root === root && known.folder === folder && hasShadow) return undefined;
  const problem = stateProblem(state) ?? placeProblem(disk, root, folder, state);
  if (problem !== undefined) return refused(problem);
  const { manifest } = state;
  if (known !== undefined && disk.files.stat(known.root) !== undefined) {
    if (known.root !== root || known.folder !== folder) {
      return refused(
        `project ${state.project_id} is in ${join(known.root, known.folder)}; this is a copy of it. To make it a separate project: stint new ${manifest.path}`,
      );
    }
  }
  const owner = registry.ownerOf(root, manifest.path);
  if (owner !== undefined && owner !== state.project_id) {
    return refused(`${manifest.path} already has a project: ${owner}`);
  }
  if (hasShadow && known !== undefined) {
    return { folder, verdict: { kind: "moved", state, from: known.root } };
  }
  const trusted = trustedBy(state, hasShadow);
  return { folder, verdict: { kind: "adoptable", state, hasShadow, trusted } };
}

function trustedBy(state: ProjectState, hasShadow: boolean): string[] {
  if (hasShadow)
    return [`project ${state.project_id}: its shadow is here, its registration is not`];
  const done = state.tasks.filter((task) => task.status === "done").length;
  return [
    `project ${state.project_id} at revision ${state.revision}, ${state.status}`,
    `${done} of ${counted(state.tasks.length, "task")} done, according to this file alone`,
  ];
}

function stateProblem(state: ProjectState): string | undefined {
  const judged = projectState.safeParse(state);
  if (judged.success) return undefined;
  const issue = judged.error.issues[0];
  return `its state.json is not a state: ${issue?.path.join(".")}: ${issue?.message}`;
}

/** What a state says of its place must be where it was found, and its manifest below the root or about it. */
function placeProblem(
  disk: Disk,
  root: string,
  folder: string,
  state: ProjectState,
): string | undefined {
  const [slug, , owner] = folder.split("/").toReversed();
  if (slug !== state.slug || owner !== state.owner_agent) {
    return `it is the folder of ${state.owner_agent}/projects/${state.slug} under another name; rename it back`;
  }
  const { path } = state.manifest;
  const problem = isAbout(disk, root, path) ? undefined : pathProblem(path);
  if (problem !== undefined) return `its manifest is ${JSON.stringify(path)}: ${problem}`;
  if (relative(root, resolve(root, path)) !== path) {
    return `its manifest is ${JSON.stringify(path)}: the path is not plain`;
  }
  return undefined;
}

/** A manifest outside of the work tree says itself that it is about it: the word of a state is not enough. */
function isAbout(disk: Disk, root: string, manifest: string): boolean {
  const path = resolve(root, manifest);
  if (pathInTree(manifest) !== null || disk.files.stat(path)?.kind !== "file") return false;
  if (disk.realPath(path) !== path) return false;
  const { repository } = frontMatterOf((disk.read(path) ?? Buffer.alloc(0)).toString("utf8"));
  if (typeof repository !== "string" || disk.files.stat(repository) === undefined) return false;
  return disk.realPath(repository) === disk.realPath(root);
}

function entryOf(state: ProjectState, root: string, folder: string): RegistryEntry {
  return {
    project_id: state.project_id,
    slug: state.slug,
    owner_agent: state.owner_agent,
    root,
    folder,
    manifest: state.manifest.path,
    created_at: state.created_at,
  };
}

function keepLastKnownManifest({ entry, disk, shadow }: ProjectFiles) {
  const path = join(entry.root, entry.manifest);
  if (disk.files.stat(path)?.kind !== "file") {
    throw notAdoptable(entry.folder, `its manifest ${path} is missing`);
  }
  const isInTree = pathInTree(entry.manifest) !== null;
  const leadsUp = relative(disk.files.realPath(entry.root), disk.realPath(path)).startsWith("..");
  if (isInTree && leadsUp) {
    throw notAdoptable(entry.folder, `its manifest ${path} leads out of the work tree by a link`);
  }
  const text = (disk.read(path) ?? Buffer.alloc(0)).toString("utf8");
  return keepManifest(disk, shadow, text);
}

function notAdoptable(folder: string, reason: string): StintError {
  return new StintError(
    "bad-input",
    `${folder} was not adopted: ${reason}`,
    "See what could be adopted here: stint doctor",
  );
}
