// The parts that the file store and its doctor are made of: the registry of this user, and of one project
// everything that lies in its shadow and in its folder.
import { join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { sha256Of } from "./digest.ts";
import { Disk } from "./disk.ts";
import type { Files } from "./files.ts";
import type { Host } from "./host.ts";
import { type ProjectLayout, projectLayout, type ShadowLayout, shadowLayout } from "./layout.ts";
import { LeaseFiles } from "./lease-files.ts";
import { ProjectFolder } from "./project-folder.ts";
import { Registry } from "./registry.ts";
import { RevisionFiles } from "./revision-files.ts";
import type { RegistryEntry } from "./store.ts";

export interface FileStoreOptions {
  readonly files: Files;
  readonly host: Host;
  /** `<XDG state>/stint`. */
  readonly stateHome: string;
  /** Generated pages of the project folder by file name, made from a state. */
  readonly pages: (state: ProjectState) => Readonly<Record<string, string>>;
}

/** Everything of one project. */
export interface ProjectFiles {
  readonly entry: RegistryEntry;
  readonly disk: Disk;
  readonly registry: Registry;
  readonly shadow: ShadowLayout;
  readonly layout: ProjectLayout;
  readonly leases: LeaseFiles;
  readonly revisions: RevisionFiles;
  readonly folder: ProjectFolder;
  readonly pages: FileStoreOptions["pages"];
}

export class StoreFiles {
  readonly disk: Disk;
  readonly host: Host;
  readonly registry: Registry;
  readonly #options: FileStoreOptions;

  constructor(options: FileStoreOptions) {
    const { files, host, stateHome } = options;
    this.#options = options;
    this.host = host;
    this.disk = new Disk(files, Buffer.from(host.randomBytes(8)).toString("hex"));
    this.registry = new Registry(this.disk, stateHome);
  }

  shadow(id: ProjectId): ShadowLayout {
    return shadowLayout(this.#options.stateHome, id);
  }

  revisions(id: ProjectId): RevisionFiles {
    return new RevisionFiles(this.disk, this.shadow(id).states, id);
  }

  /** @throws not-found */
  find(id: ProjectId): ProjectFiles {
    return this.of(this.registry.get(id));
  }

  of(entry: RegistryEntry): ProjectFiles {
    const { disk, host, registry } = this;
    const id = entry.project_id;
    const shadow = this.shadow(id);
    const layout = projectLayout(entry);
    const places = { folder: shadow.leases, copy: layout.lease };
    return {
      entry,
      disk,
      registry,
      shadow,
      layout,
      leases: new LeaseFiles(disk, host, places, id),
      revisions: this.revisions(id),
      folder: new ProjectFolder(disk, layout, shadow, manifestPointer(entry)),
      pages: this.#options.pages,
    };
  }
}

/** The content of manifest.md in the project folder, whose exclusive creation claims it. */
export function manifestPointer(entry: RegistryEntry): Buffer {
  const up = entry.folder
    .split("/")
    .map(() => "..")
    .join("/");
  return Buffer.from(
    `The manifest is [${entry.manifest}](${up}/${entry.manifest}). <!-- stint project ${entry.project_id} -->\n`,
    "utf8",
  );
}

/** Of a manifest text, below the shadow. */
export function manifestPath(digest: Sha256): string {
  return `manifests/${digest}.md`;
}

/** Keeps a manifest text under its digest; keeping it again changes nothing. */
export function keepManifest(disk: Disk, shadow: ShadowLayout, text: string | Buffer): Sha256 {
  const digest = sha256Of(text);
  const path = join(shadow.folder, manifestPath(digest));
  disk.ensureFolder(shadow.manifests);
  // Whoever made the name had made the content durable; the name itself may not be yet.
  if (disk.stat(path) !== undefined) disk.flushFolder(shadow.manifests);
  else disk.create(path, Buffer.from(text));
  return digest;
}

/** The manifest texts that are promised to the next owner: those that the state names. */
export function namedManifests({ manifest, plan }: ProjectState): ReadonlySet<Sha256 | undefined> {
  return new Set([manifest.digest, manifest.seen, plan?.digest]);
}
