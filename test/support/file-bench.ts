// A file store on a real temporary folder with a machine of its own: what the tests of store and
// doctor stand on, and the few ways in which disks and people damage a project.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newRunId, type ProjectId } from "../../src/core/ids.ts";
import { instantFromMs } from "../../src/core/instant.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import { Doctor } from "../../src/store/doctor/doctor.ts";
import { FileStore } from "../../src/store/file-store.ts";
import { type Files, realFiles } from "../../src/store/files.ts";
import { projectLayout, shadowLayout } from "../../src/store/layout.ts";
import { StateEncoder } from "../../src/store/state-codec.ts";
import type { Claim, Holder, RegistryEntry } from "../../src/store/store.ts";
import { EPOCH, happening, MANIFEST_TEXT, sampleProject, sampleState } from "./project-fixture.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { VirtualWorld, type VirtualProcess } from "./virtual-host.ts";

export interface FileProcess {
  readonly host: VirtualProcess;
  readonly store: FileStore;
  readonly doctor: Doctor;
  readonly claim: Claim;
}

export class FileBench {
  readonly #folder = temporaryFolder();
  readonly world = new VirtualWorld(7, EPOCH);
  readonly machine = this.world.machine("here");
  readonly path = this.#folder.path;
  readonly root = join(this.path, "repo");
  readonly stateHome = join(this.path, "state", "stint");

  constructor() {
    mkdirSync(this.root);
    writeFileSync(join(this.root, "prompt.md"), MANIFEST_TEXT);
  }

  close(): void {
    this.#folder.remove();
  }

  process(files: Files = realFiles, stateHome = this.stateHome): FileProcess {
    const host = this.machine.start();
    const options = { files, host, stateHome, pages };
    const store = new FileStore(options);
    const claim = { owner: "stint", run_id: newRunId((n) => host.randomBytes(n)) };
    return { host, store, claim, doctor: new Doctor(options, store) };
  }

  /** A project at revision `revisions`, nobody holding it. */
  create(revisions = 4, options: { manifest?: string; slug?: string } = {}): RegistryEntry {
    const { store, host, claim } = this.process();
    const { entry } = store.create(
      sampleProject(this.root, (n) => host.randomBytes(n), { tasks: 3, ...options }),
    );
    // Each by an owner of its own, so that none of them carries the lines of another.
    for (let n = 2; n <= revisions; n += 1) {
      const holder = store.acquire(entry.project_id, claim);
      this.commit(holder, `event-${n}`);
      holder.release();
    }
    return entry;
  }

  commit(holder: Holder, kind: string): ProjectState {
    const next = { ...holder.state, next_action: `after ${kind}` };
    return holder.commit(next, happening(kind, this.world.nowMs));
  }

  acquire(id: ProjectId): Holder {
    const { store, claim } = this.process();
    return store.acquire(id, claim);
  }

  shadow(id: ProjectId) {
    return shadowLayout(this.stateHome, id);
  }

  layout(entry: Pick<RegistryEntry, "root" | "folder">) {
    return projectLayout(entry);
  }

  revisionPath(id: ProjectId, revision: number): string {
    return join(this.shadow(id).states, `${String(revision).padStart(12, "0")}.json`);
  }

  /** What was kept aside, by name. */
  foreign(id: ProjectId): string[] {
    const { foreign } = this.shadow(id);
    return existsSync(foreign) ? readdirSync(foreign).toSorted() : [];
  }

  /** A state made from the manifest alone, as the operations make it. */
  rebuild = (entry: RegistryEntry): ProjectState => ({
    ...sampleState(entry.slug, instantFromMs(this.world.nowMs), 3),
    next_action: "rebuilt from the manifest",
  });

  refuseRebuild = (): ProjectState => {
    throw new Error("a rebuild was asked for although a copy of the state is readable");
  };
}

function pages(state: ProjectState): Record<string, string> {
  return { "README.md": `# at ${state.revision}\n` };
}

export function flipByte(path: string, position: number): void {
  const bytes = readFileSync(path);
  const at = position < 0 ? bytes.length + position : position;
  bytes[at] = (bytes[at] ?? 0) ^ 0x01;
  writeFileSync(path, bytes);
}

export function cutTo(path: string, size: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, size < 0 ? bytes.length + size : size));
}

/** Bytes with a valid seal over any content: what a forger who knows the format writes. */
export function sealed(state: ProjectState): Buffer {
  return new StateEncoder().encode(state);
}
