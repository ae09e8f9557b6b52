// The doctor of the file store.
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { adoptProject, findAdoptables } from "./adopt-project.ts";
import type { Adoptable, Doctor, Examination, Repair } from "./doctor.ts";
import { examineProject } from "./examine-project.ts";
import type { FileStore, FileStoreOptions } from "../file-store.ts";
import { repairProject } from "./repair-project.ts";
import type { Claim, RegistryEntry } from "../store.ts";
import { DoctorFiles } from "./doctor-files.ts";

export class FileDoctor implements Doctor {
  readonly #doctorFiles: DoctorFiles;

  constructor(options: FileStoreOptions, store: FileStore) {
    this.#doctorFiles = new DoctorFiles(options, store);
  }

  examine(id: ProjectId): Examination {
    return examineProject(this.#doctorFiles, id);
  }

  repair(id: ProjectId, claim: Claim, rebuild: (entry: RegistryEntry) => ProjectState): Repair {
    return repairProject(this.#doctorFiles, id, claim, rebuild);
  }

  adoptables(root: string, projectsRoot: string): Adoptable[] {
    return findAdoptables(this.#doctorFiles, root, projectsRoot);
  }

  adopt(root: string, folder: string, claim: Claim): Repair {
    return adoptProject(this.#doctorFiles, root, folder, claim);
  }
}
