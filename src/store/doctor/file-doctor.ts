// The doctor of the file store.
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { adoptProject, findAdoptables } from "./adopt-project.ts";
import type { Adoptable, Doctor, Examination, Repair } from "./doctor.ts";
import { examineProject } from "./examine-project.ts";
import type { FileStore, FileStoreOptions } from "../file-store.ts";
import { repairProject } from "./repair-project.ts";
import type { Claim, RegistryEntry } from "../store.ts";
import { Ward } from "./ward.ts";

export class FileDoctor implements Doctor {
  readonly #ward: Ward;

  constructor(options: FileStoreOptions, store: FileStore) {
    this.#ward = new Ward(options, store);
  }

  examine(id: ProjectId): Examination {
    return examineProject(this.#ward, id);
  }

  repair(id: ProjectId, claim: Claim, rebuild: (entry: RegistryEntry) => ProjectState): Repair {
    return repairProject(this.#ward, id, claim, rebuild);
  }

  adoptables(root: string, projectsRoot: string): Adoptable[] {
    return findAdoptables(this.#ward, root, projectsRoot);
  }

  adopt(root: string, folder: string, claim: Claim): Repair {
    return adoptProject(this.#ward, root, folder, claim);
  }
}
