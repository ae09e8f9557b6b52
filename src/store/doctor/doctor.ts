// What `stint doctor` asks of a store: look, repair, adopt. Looking changes nothing; the other two
// say what they inferred, because what they write was not told by a run.
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Claim, RegistryEntry } from "../store.ts";

export interface Finding {
  /** `problem`: a run would stop here. `notice`: the next run heals it by itself. */
  readonly severity: "fine" | "notice" | "problem";
  readonly what: string;
  readonly where: string;
  /** What to run, when something is to be done. */
  readonly fix: string | null;
}

export interface Examination {
  readonly entry: RegistryEntry;
  readonly findings: readonly Finding[];
}

/** A project folder in a work tree that this user's state folder has no shadow of. */
export interface Adoptable {
  readonly folder: string;
  readonly verdict:
    | {
        readonly kind: "adoptable";
        readonly state: ProjectState;
        readonly trusted: readonly string[];
      }
    /** The same project is registered at another place that is gone: the work tree was moved. */
    | { readonly kind: "moved"; readonly state: ProjectState; readonly from: string }
    | { readonly kind: "refused"; readonly reason: string };
}

export interface Repair {
  readonly project_id: ProjectId;
  readonly revision: number;
  readonly inferred: readonly string[];
}

export interface Doctor {
  examine(id: ProjectId): Examination;
  /**
   * Rebuilds state and journal from every copy there is. `rebuild` makes a state from the manifest
   * alone, for when no copy of the state can be read.
   */
  repair(id: ProjectId, claim: Claim, rebuild: (entry: RegistryEntry) => ProjectState): Repair;
  /** Project folders below `<root>/<projectsRoot>` that could be adopted. Changes nothing. */
  adoptables(root: string, projectsRoot: string): Adoptable[];
  /** Trusts the copy in one project folder and makes the shadow from it. */
  adopt(root: string, folder: string, claim: Claim): Repair;
}
