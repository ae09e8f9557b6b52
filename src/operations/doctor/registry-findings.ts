// What `doctor` says of entries of the registry that cannot be read, and what a repair did about them. Other projects are
// not held up by them.
import type { FindingView } from "../../core/schema/views.ts";
import { orFault } from "../faults.ts";
import { readConfig } from "../run/read-config.ts";
import type { System } from "../system.ts";

/** Folders that are none keep every project from being found. */
export async function registryFolders(system: System, repair: boolean): Promise<FindingView[]> {
  const physician = await system.doctor();
  const paths = physician.misplaced();
  if (paths.length === 0) return [];
  if (!repair) {
    return paths.map((where) => ({
      severity: "problem",
      what: `${where} is not a folder`,
      where: system.stateHome,
      fix: "stint doctor --repair",
    }));
  }
  const done = orFault(() => physician.clearRegistry());
  if (!done.ok) {
    const { message: what, hint: fix } = done.fault;
    return [{ severity: "problem", what, where: system.stateHome, fix }];
  }
  return done.value.map((what) => ({ severity: "fine", what, where: system.stateHome, fix: null }));
}

/** @param here the work tree that the doctor stands in; a reservation may name another one */
export async function registryFindings(
  system: System,
  here: string,
  repair: boolean,
): Promise<FindingView[]> {
  const found = system.store.damaged();
  if (found.length === 0) return [];
  if (!repair) {
    return found.map(({ path, fault }) => ({
      severity: "problem",
      what: fault.message,
      where: path,
      fix: "stint doctor --repair",
    }));
  }
  const physician = await system.doctor();
  const findings: FindingView[] = [];
  for (const damaged of found) {
    const { project_id, path, root } = damaged;
    // oxlint-disable-next-line no-await-in-loop
    const trees = await Promise.all([root ?? here, here].map(workTree));
    const repaired = orFault(() => physician.repairEntry(damaged, trees));
    if (!repaired.ok) {
      const { message, hint } = repaired.fault;
      findings.push({ severity: "problem", what: message, where: path, fix: hint });
      continue;
    }
    const { aside, entry } = repaired.value;
    const was = `the entry of ${project_id} was damaged; it was set aside as ${aside}`;
    findings.push(
      entry === null
        ? {
            severity: "problem",
            what: was,
            where: path,
            fix: "in its work tree: stint doctor --adopt",
          }
        : {
            severity: "fine",
            what: `${was} and written again for ${entry.root}`,
            where: path,
            fix: null,
          },
    );
  }
  return findings;
}

/** Settings that cannot be read are told elsewhere; the usual folder is tried then. */
async function workTree(root: string): Promise<{ root: string; projectsRoot: string }> {
  const config = await readConfig(root).catch(() => null);
  return { root, projectsRoot: config?.root ?? "agents" };
}
