// What the doctor's acts share: the parts of the file store, and safe reads of anything.
import { instantFromMs } from "../../core/instant.ts";
import type { ProjectId } from "../../core/ids.ts";
import { StintError } from "../../core/stint-error.ts";
import { listIfPresent, readIfPresent } from "../durable.ts";
import type { FileStore, FileStoreOptions } from "../file-store.ts";
import type { Files } from "../files.ts";
import type { Host } from "../host.ts";
import { projectLayout, type ShadowLayout, shadowLayout } from "../layout.ts";
import { LeaseFiles } from "../lease/lease-files.ts";
import { Registry } from "../registry.ts";
import { RevisionFiles } from "../revision/revision-files.ts";
import type { Claim, Happening, RegistryEntry } from "../store.ts";
import { orHardStop } from "../unwritable.ts";

export class DoctorFiles {
  readonly store: FileStore;
  readonly files: Files;
  readonly host: Host;
  readonly tag: string;
  readonly registry: Registry;
  readonly #stateHome: string;

  constructor(options: FileStoreOptions, store: FileStore) {
    this.store = store;
    this.files = options.files;
    this.host = options.host;
    this.tag = Buffer.from(options.host.randomBytes(8)).toString("hex");
    this.registry = new Registry(options.files, options.stateHome, this.tag);
    this.#stateHome = options.stateHome;
  }

  entry(id: ProjectId): RegistryEntry {
    const entry = this.registry.find(id);
    if (entry !== undefined) return entry;
    throw new StintError("not-found", `there is no project ${id}`, "See what there is: stint list");
  }

  shadow(id: ProjectId): ShadowLayout {
    return shadowLayout(this.#stateHome, id);
  }

  revisions(id: ProjectId): RevisionFiles {
    return new RevisionFiles(this.files, this.shadow(id).states, this.tag, id);
  }

  leases(entry: RegistryEntry): LeaseFiles {
    const shadow = this.shadow(entry.project_id);
    const layout = projectLayout(entry);
    return new LeaseFiles(this.files, this.host, shadow, layout, this.tag, entry.project_id);
  }

  list(folder: string): string[] {
    return orHardStop("list", folder, () => listIfPresent(this.files, folder));
  }

  read(path: string): Buffer | undefined {
    return orHardStop("read", path, () => readIfPresent(this.files, path));
  }

  /** A copy in a work tree: what is no file there holds nothing. */
  readCopy(path: string): Buffer | undefined {
    const facts = orHardStop("look at", path, () => this.files.stat(path));
    return facts?.kind === "file" ? this.read(path) : undefined;
  }

  happening(kind: string, claim: Claim, inferred: readonly string[]): Happening {
    return {
      at: instantFromMs(this.host.nowMs()),
      kind,
      by: claim.owner,
      summary: inferred.join("; "),
      data: { inferred: [...inferred] },
    };
  }
}
