// `doctor` looks at the system and at projects; repairs or adopts only when asked to, and says what it inferred. `agents`
// says which coding agents are installed here, in which version, whether somebody is logged in as far as the agent itself
// tells, and how a session of theirs would run.
import type { AgentsView, DoctorView, FindingView } from "../../core/schema/views.ts";
import { flawlessPlan, planToState } from "../new-project.ts";
import { join, posix } from "node:path";
import { CODING_AGENTS, DEFAULT_AGENT } from "../../agents/agents.ts";
import { dataSize, fileCount } from "../../core/words/amounts.ts";
import { protectSettings } from "../../core/written/protect.ts";
import { workspaceSettings } from "../../core/written/workspace-settings.ts";
import { parseProjectId, type ProjectId } from "../../core/ids.ts";
import type { Config } from "../../core/schema/config.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { workspacePromise } from "../../core/words/workspace-promise.ts";
import type { Adoptable } from "../../store/doctor/adopt-project.ts";
import { excludeFromCommits, findRepository } from "../../store/repository.ts";
import type { Claim, Holder, RegistryEntry } from "../../store/store.ts";
import {
  damagedSpace,
  measureWorkspace,
  repairSpace,
  repositoryLoss,
  whatIsCutShort,
} from "../../engine/space/kept-space.ts";
import { isolationHere, lookAtAgents } from "../../engine/run/run-agents.ts";
import { tryWalls } from "../../engine/space/try-walls.ts";
import { workspacesIn } from "../../engine/space/look-at-workspaces.ts";
import { chooseWorkspace } from "../run/choose-workspace.ts";
import { releaseQuietly, whileHeld } from "../run/lease.ts";
import { openManifest } from "../manifest-file.ts";
import { faultOf, orFault } from "../faults.ts";
import { checkoutFindings } from "./checkout-findings.ts";
import { registryFindings, registryFolders } from "./registry-findings.ts";
import {
  oldTemporaryFinding,
  problemOf,
  stateHomeFinding,
  temporaryFolderFinding,
} from "./machine-findings.ts";
import { readConfig } from "../run/read-config.ts";
import { resolveProject } from "../resolve-project.ts";
import { agentsIn } from "../run/run-settings.ts";
import { freshRunId, nowOf, type System } from "../system.ts";

export interface DoctorInput {
  readonly project?: string | undefined;
  readonly repair?: boolean;
  readonly adopt?: boolean;
}

export async function doctor(system: System, input: DoctorInput): Promise<DoctorView> {
  const named = input.project === undefined ? undefined : parseProjectId(input.project);
  // A project that is named is looked for where it lives, from any folder.
  const here = findRepository(system.cwd).root;
  const mends = input.repair === true || input.adopt === true;
  const stateHome = stateHomeFinding(system);
  const notFolders = await registryFolders(system, mends);
  const listed = orFault(() => system.store.list());
  const registry = [...notFolders];
  if (listed.ok) registry.push(...(await registryFindings(system, here, mends)));
  // One cause is told once.
  else if (stateHome.severity === "fine" && notFolders.length === 0)
    registry.push(problemOf(listed.fault, system.stateHome));
  const home = named === undefined ? undefined : orNull(() => system.store.find(named))?.root;
  const root = home ?? here;
  const { config, finding: configFinding } = await examineConfig(root);
  const claim: Claim = {
    owner: "stint doctor",
    run_id: freshRunId(system),
  };
  const physician = await system.doctor();
  const repaired: DoctorView["repaired"] = [];
  if (input.adopt === true && listed.ok) {
    for (const each of physician.adoptables(root, config.root ?? "agents")) {
      if (each.verdict.kind === "refused") continue;
      if (named !== undefined && each.verdict.state.project_id !== named) continue;
      repaired.push(told(physician.adopt(root, each.folder, claim)));
      excludeFromCommits(findRepository(root), `/${posix.dirname(each.folder)}/`);
    }
  }
  const chosen = listed.ok ? await projectsFor(system, input.project, root) : [];
  if (input.repair === true) {
    for (const id of chosen) {
      const repair = physician.repair(id, claim, (entry) =>
        stateFromManifest(entry, system, config),
      );
      // A delivery that was cut short is ended under the lease.
      const holder = system.store.acquire(id, claim);
      const space = inSpace(system, holder);
      // oxlint-disable-next-line no-await-in-loop
      const mended = await whileHeld(system, holder, (texts) => [...texts]);
      repaired.push(told({ ...repair, inferred: [...repair.inferred, ...space, ...mended] }));
    }
  }
  // What sessions would work in without it is not what they work in.
  const isRepositoryLost = entriesOf(system, chosen).some(
    (entry) => orNull(() => repositoryLoss(system.store, entry)) !== null,
  );
  const folders = entriesOf(system, chosen).map((entry) => join(entry.root, entry.folder));
  const agentNames = agentsIn(config) ?? [DEFAULT_AGENT];
  return {
    system: eachOnce([
      nodeFinding(),
      configFinding,
      temporaryFolderFinding(),
      // An adoption makes one.
      repaired.length > 0 ? stateHomeFinding(system) : stateHome,
      ...(await checkoutFindings(root, entriesOf(system, chosen))),
      ...registry,
      ...oldTemporaryFinding(system, folders, input.repair === true),
      isolationFinding(config.isolation ?? "auto"),
      await wallsFinding(system, config),
      ...(isRepositoryLost ? [] : workspaceFinding(system, root, config)),
      ...(await Promise.all(agentNames.map((name) => agentFindings(system, name)))).flat(),
    ]),
    projects: await Promise.all(
      chosen.map(async (project_id) => ({
        project_id,
        findings: [
          ...physician.examine(project_id).findings,
          ...(await workspaceFindings(system, project_id).catch((error: unknown) => [
            problemOf(error, project_id),
          ])),
        ],
      })),
    ),
    adoptable: listed.ok
      ? physician.adoptables(root, config.root ?? "agents").map(adoptableView)
      : [],
    repaired,
  };
}

/** One cause may be in the way of several looks. */
function eachOnce(findings: readonly FindingView[]): FindingView[] {
  return findings.filter(
    ({ what }, index) => findings.findIndex((each) => each.what === what) === index,
  );
}

async function workspaceFindings(system: System, id: ProjectId): Promise<FindingView[]> {
  const at = nowOf(system);
  const entry = system.store.find(id);
  const lost = entry === undefined ? null : repositoryLoss(system.store, entry);
  if (entry !== undefined && lost !== null) {
    const [fix = null] = lost.hint.split("\n");
    return [{ severity: "problem", what: lost.message, where: entry.root, fix }];
  }
  const fix = `stint doctor --repair ${id}`;
  const damaged = entry === undefined ? [] : damagedSpace(system.store, entry);
  const open = damaged.map(({ path, why, fix: other }): FindingView => ({
    severity: "problem",
    what: `a part of its workspace is damaged: ${why}`,
    where: path,
    fix: other ?? fix,
  }));
  const cutShort = entry === undefined ? null : whatIsCutShort(system.store, entry);
  if (cutShort !== null) open.push({ severity: "problem", what: cutShort, where: id, fix });
  const found = entry === undefined ? null : await measureWorkspace(system.store, entry, at);
  if (found === null || found.use === null) return open;
  const { bytes, files, is_whole } = found.use;
  const size = `${is_whole ? "" : "at least "}${dataSize(bytes)} in ${fileCount(files)}`;
  const what = `its workspace takes ${size}`;
  return [...open, { severity: "fine", what, where: found.home, fix: null }];
}

/** Settings that cannot be read are a finding, and no reason to look at nothing else. */
async function examineConfig(root: string): Promise<{ config: Config; finding: FindingView }> {
  const where = join(root, "stint.config.yaml");
  try {
    const config = await readConfig(root);
    const isSet = Object.keys(config).length > 0;
    const what = isSet
      ? "the settings of this work tree are valid"
      : "no settings; the defaults apply";
    return { config, finding: { severity: "fine", what, where, fix: null } };
  } catch (error) {
    return { config: {}, finding: problemOf(error, where) };
  }
}

function isolationFinding(wanted: "auto" | "on" | "off"): FindingView {
  const where = `isolation: ${wanted}`;
  try {
    const { kind, guarantees, refusal } = isolationHere(wanted);
    const severity = kind === "group" ? "notice" : "fine";
    const isWanted = kind === "group" && wanted !== "off";
    const why = isWanted && refusal !== null ? `. ${refusal.why}` : "";
    const fix = isWanted ? (refusal?.fix ?? "install bubblewrap") : null;
    return { severity, what: `isolation by ${kind}: ${guarantees}${why}`, where, fix };
  } catch (error) {
    return problemOf(error, where);
  }
}

/** What sessions and checks of a run could write and read here, tried. */
async function wallsFinding(system: System, config: Config): Promise<FindingView> {
  const settings = protectSettings(config);
  const { protect } = settings;
  const where = `protect: ${protect}`;
  if (protect === "off") {
    const what = "no walls: sessions and checks can write and read what you can";
    return { severity: "notice", what, where, fix: "set protect: home" };
  }
  try {
    const isolation = config.isolation ?? "auto";
    const tried = await tryWalls({ ...system, settings, isolation });
    if (tried.whyNot !== null) {
      const what = `no walls: ${tried.whyNot}; sessions and checks can write and read what you can`;
      const severity = protect === "strict" ? "problem" : "notice";
      return { severity, what, where, fix: "install bubblewrap, and leave isolation: auto" };
    }
    const { writable, hidden, broken } = tried;
    const walls = `walls: outside the workspace ${writable.length} places can be written, ${hidden.length} are hidden`;
    if (broken.length === 0) {
      const what = `${walls}; tried: a write to the home was refused, and nothing hidden was seen`;
      return { severity: "fine", what, where, fix: null };
    }
    const what = `${walls}, but ${broken.join("; ")}`;
    return { severity: "notice", what, where, fix: "see docs/security.md" };
  } catch (error) {
    return problemOf(error, where);
  }
}

/** Where the sessions of a run would work, and what that promises. */
function workspaceFinding(system: System, root: string, config: Config): FindingView[] {
  const hasGit = findRepository(root).gitFolder !== null;
  const where = hasGit ? root : `${root}, which is in no git repository`;
  try {
    const wish = workspaceSettings(config).workspace ?? {};
    const home = system.env["HOME"];
    const { kind, shownAt, dir } = chooseWorkspace({}, wish, { root, hasGit, home });
    const { kind: isolation } = isolationHere(config.isolation ?? "auto");
    const isAtCheckout = kind === "own-copy" && isolation !== "group" && shownAt !== "own-path";
    const { name, holds, missing } = workspacePromise({ kind, isAtCheckout, isolation });
    const lies =
      kind === "own-copy" ? `; copies are in ${dir ?? workspacesIn(system.stateHome)}` : "";
    const what = [`workspace: ${name}: ${holds}${lies}`, ...missing].join(". But: ");
    return [{ severity: missing.length === 0 ? "fine" : "notice", what, where, fix: null }];
  } catch (error) {
    return [problemOf(error, where)];
  }
}

/** Of the agent that a run would take; `stint agents` asks them all. */
async function agentFindings(system: System, name: string): Promise<FindingView[]> {
  const agent = CODING_AGENTS.find((each) => each.name === name);
  if (agent === undefined) return [];
  // Without room to ask them in; that is a finding of its own.
  const [look] = await lookAtAgents(system, [agent]).catch((error: unknown) => {
    faultOf(error);
    return [];
  });
  if (look === undefined) return [];
  const where = look.program ?? `--agent ${name}`;
  if (look.program === null) {
    const what = `${agent.describe}, the default agent, is not installed`;
    return [{ severity: "notice", what, where, fix: `${look.next}; or see: stint agents` }];
  }
  const login = { yes: "logged in", no: "not logged in", unknown: "login unknown" }[look.login];
  const what = `${agent.describe} ${look.version ?? "unknown version"}, ${login}; in a session: ${look.modes.default}`;
  return [{ severity: look.login === "no" ? "notice" : "fine", what, where, fix: look.next }];
}

/** A delivery that was cut short can be ended only with a workspace that can be read. */
function inSpace({ store, host }: System, holder: Holder): string[] {
  try {
    return repairSpace({ holder, store, nowMs: host.nowMs() });
  } catch (error) {
    releaseQuietly(holder);
    throw error;
  }
}

function entriesOf({ store }: System, ids: readonly ProjectId[]): RegistryEntry[] {
  return ids.map((id) => store.find(id)).filter((entry) => entry !== undefined);
}

/** It has a finding already; nothing else of it can be looked at. */
function isDamaged({ store }: System, id: ProjectId): boolean {
  return store.damaged().some(({ project_id }) => project_id === id);
}

function orNull<T>(act: () => T): T | null {
  const done = orFault(act);
  return done.ok ? done.value : null;
}

async function projectsFor(
  system: System,
  reference: string | undefined,
  root: string,
): Promise<ProjectId[]> {
  const named = reference === undefined ? undefined : parseProjectId(reference);
  if (named !== undefined && isDamaged(system, named)) return [];
  if (reference !== undefined) return [await resolveProject(system, reference)];
  return system.store
    .list()
    .filter((entry) => entry.root === root)
    .map((entry) => entry.project_id);
}

/** The last resort: no copy of the state can be read, only the manifest is left. */
function stateFromManifest(entry: RegistryEntry, system: System, config: Config): ProjectState {
  const { text } = openManifest(entry.root, entry.manifest);
  const { plan } = flawlessPlan(entry.manifest, text, { config, root: entry.root });
  return planToState(plan, entry, { text, at: nowOf(system), config });
}

function adoptableView({ folder, verdict }: Adoptable): DoctorView["adoptable"][number] {
  switch (verdict.kind) {
    case "adoptable":
      return { folder, verdict: "adoptable", details: [...verdict.trusted] };
    case "moved":
      return { folder, verdict: "moved", details: [`its work tree was ${verdict.from}`] };
    case "refused":
      return { folder, verdict: "refused", details: [verdict.reason] };
    default:
      return verdict satisfies never;
  }
}

function told(repair: {
  readonly project_id: ProjectId;
  readonly revision: number;
  readonly inferred: readonly string[];
}): DoctorView["repaired"][number] {
  return { ...repair, inferred: [...repair.inferred] };
}

function nodeFinding(): FindingView {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  return {
    severity: isSupported ? "fine" : "problem",
    what: `Node ${process.versions.node}${isSupported ? "" : " is too old; 20.19 or newer is needed"}`,
    where: process.execPath,
    fix: isSupported ? null : "install Node 20.19 or newer",
  };
}

/** Those that `agents` lists. */
export const LISTED_AGENTS: readonly string[] = CODING_AGENTS.map(({ name }) => name);

export async function agents(system: System): Promise<AgentsView> {
  const { root } = findRepository(system.cwd);
  const config = await readConfig(root);
  const chosen = agentsIn(config)?.[0] ?? DEFAULT_AGENT;
  const { kind, guarantees } = isolationHere(config.isolation ?? "auto");
  const views = await lookAtAgents(system, CODING_AGENTS);
  return {
    agents: views.map((view) => ({ ...view, is_default: view.name === chosen })),
    default: chosen,
    isolation: { kind, guarantees },
  };
}
