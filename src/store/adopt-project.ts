// Trusts the copy of a project in a work tree: on another machine, after a move, after the state
// folder was lost. Only a person asks for it, and sees what is trusted.
import { join } from "node:path";
import { type ProjectState, projectState } from "../core/schema/project.ts";
import { StintError } from "../core/stint-error.ts";
import type { Adoptable, Repair } from "./doctor.ts";
import { ensureFolder } from "./durable.ts";
import { keepManifest } from "./file-holder.ts";
import { projectLayout } from "./layout.ts";
import { readableLines } from "./salvage-journal.ts";
import { decodeState } from "./state-codec.ts";
import type { Claim, RegistryEntry } from "./store.ts";
import type { Ward } from "./ward.ts";
import { writeRepaired } from "./write-repaired.ts";

export function findAdoptables(ward: Ward, root: string, projectsRoot: string): Adoptable[] {
  const agents = join(root, projectsRoot);
  return ward.list(agents).flatMap((agent) => {
    const projects = join(agents, agent, "projects");
    return ward
      .list(projects)
      .map((slug) => join(projectsRoot, agent, "projects", slug))
      .filter((folder) => ward.files.stat(join(root, folder, "state.json")) !== undefined)
      .map((folder) => judgeAdoption(ward, root, folder))
      .filter((each) => each !== undefined);
  });
}

export function adoptProject(ward: Ward, root: string, folder: string, claim: Claim): Repair {
  const { files } = ward;
  const found = judgeAdoption(ward, root, folder);
  if (found === undefined) throw notAdoptable(folder, "it is in order and needs no adoption");
  if (found.verdict.kind === "refused") throw notAdoptable(folder, found.verdict.reason);
  const { state } = found.verdict;
  const id = state.project_id;
  const entry: RegistryEntry = {
    project_id: id,
    slug: state.slug,
    owner_agent: state.owner_agent,
    root,
    folder,
    manifest: state.manifest.path,
    created_at: state.created_at,
  };
  const { registry } = ward;
  if (found.verdict.kind === "moved") {
    registry.move(entry);
    const holder = ward.store.acquire(id, claim);
    const inferred = [
      `the work tree moved from ${found.verdict.from} to ${root}`,
      ...holder.healed,
    ];
    holder.note(ward.happening("project-moved", claim, inferred));
    holder.release();
    return { project_id: id, revision: holder.state.revision, inferred };
  }
  registry.restore(entry);
  const shadow = ward.shadow(id);
  const inferred = [`state.json of ${folder} at revision ${state.revision} was trusted`];
  const copy = ward.read(projectLayout(entry).journal) ?? Buffer.alloc(0);
  const known = keepLastKnownManifest(ward, entry, state);
  inferred.push(...known.inferred);
  ensureFolder(files, shadow.states);
  const lines = readableLines([copy]);
  if (state.last_event !== null) lines.set(state.revision, state.last_event);
  const trusted = { ...state, manifest: { ...state.manifest, digest: known.digest } };
  const highest = Math.max(state.revision, ...lines.keys());
  const { fence } = state;
  inferred.push(
    ...writeRepaired(ward, { entry, state: trusted, lines, highest, fence, claim, inferred }),
  );
  const holder = ward.store.acquire(id, claim);
  inferred.push(...holder.healed);
  holder.release();
  return { project_id: id, revision: holder.state.revision, inferred };
}

function judgeAdoption(ward: Ward, root: string, folder: string): Adoptable | undefined {
  const refused = (reason: string): Adoptable => ({
    folder,
    verdict: { kind: "refused", reason },
  });
  const bytes = ward.read(join(root, folder, "state.json"));
  if (bytes === undefined) return refused("it has no state.json");
  const decoded = decodeState(bytes);
  if (!decoded.ok) return refused(`its state.json cannot be trusted: ${decoded.reason}`);
  const { state } = decoded;
  const judged = projectState.safeParse(state);
  if (!judged.success) {
    const issue = judged.error.issues[0];
    return refused(`its state.json is not a state: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const known = ward.registry.find(state.project_id);
  if (known !== undefined && ward.revisions(state.project_id).numbers().length > 0) {
    if (known.root === root) return undefined;
    if (ward.files.stat(known.root) !== undefined) {
      return refused(
        `project ${state.project_id} lives in ${known.root}; this is a copy of it. A project of its own: stint new ${state.manifest.path}`,
      );
    }
    return { folder, verdict: { kind: "moved", state, from: known.root } };
  }
  const done = state.tasks.filter((task) => task.status === "done").length;
  const trusted = [
    `project ${state.project_id} at revision ${state.revision}, ${state.status}`,
    `${done} of ${state.tasks.length} tasks done, on the word of this file alone`,
  ];
  return { folder, verdict: { kind: "adoptable", state, trusted } };
}

function keepLastKnownManifest(ward: Ward, entry: RegistryEntry, state: ProjectState) {
  const path = join(entry.root, entry.manifest);
  const bytes = ward.read(path);
  if (bytes === undefined) throw notAdoptable(entry.folder, `its manifest ${path} is missing`);
  const digest = keepManifest(
    ward.files,
    ward.shadow(entry.project_id),
    bytes.toString("utf8"),
    ward.tag,
  );
  const changed = digest !== state.manifest.digest;
  const inferred = changed
    ? [`${entry.manifest} differs from when the state was written; its text now is the last known`]
    : [];
  return { digest, inferred };
}

function notAdoptable(folder: string, reason: string): StintError {
  return new StintError(
    "bad-input",
    `${folder} was not adopted: ${reason}`,
    "See what could be adopted here: stint doctor",
  );
}
