// A process that uses the store and tells the ledger what it asked for and what it was told.
import { instantFromMs } from "../../src/core/instant.ts";
import { newRunId, type ProjectId } from "../../src/core/ids.ts";
import type { ProjectState } from "../../src/core/schema/project.ts";
import { StintError } from "../../src/core/stint-error.ts";
import { FileStore } from "../../src/store/file-store.ts";
import type { Files } from "../../src/store/files.ts";
import type { Host } from "../../src/store/host.ts";
import { type Happening, type Holder, keptPath, type Store } from "../../src/store/store.ts";
import { type Ledger, judgeAsReader, demand, proveJournal } from "./ledger.ts";
import { sampleProject } from "./project-fixture.ts";

export const ROOT = "/repo";
export const STATE_HOME = "/home/state/stint";
export const FOLDERS = [ROOT, "/home/state"] as const;

/** One page that names the revision, so that a stale page is seen. */
function pages(state: ProjectState): Record<string, string> {
  return { "README.md": `revision ${state.revision}\n` };
}

export interface Places {
  readonly root: string;
  readonly stateHome: string;
}

export class Client {
  readonly store: Store;
  readonly #files: Files;
  readonly #host: Host;
  readonly #ledger: Ledger;
  readonly #places: Places;
  holder: Holder | undefined;

  constructor(
    files: Files,
    host: Host,
    ledger: Ledger,
    places: Places = { root: ROOT, stateHome: STATE_HOME },
  ) {
    this.#files = files;
    this.#host = host;
    this.#ledger = ledger;
    this.#places = places;
    this.store = new FileStore({ files, host, stateHome: places.stateHome, pages });
  }

  get id(): ProjectId {
    const id = this.#ledger.projectId ?? this.store.list()[0]?.project_id;
    if (id === undefined) throw new Error("there is no project");
    return id;
  }

  create(): void {
    const project = sampleProject(this.#places.root, (count) => this.#host.randomBytes(count));
    const { summary } = project.happening;
    this.#ledger.begin(summary);
    const snapshot = this.store.create({
      ...project,
      firstState: (slug) => ({ ...project.firstState(slug), next_action: summary }),
    });
    this.#ledger.projectId = snapshot.entry.project_id;
    this.#ledger.tell(summary, snapshot.state.revision);
  }

  acquire(): Holder {
    const { fence } = this.#ledger;
    const run_id = newRunId((count) => this.#host.randomBytes(count));
    this.holder = this.store.acquire(this.id, { owner: "test", run_id });
    this.#ledger.tellRevision(this.holder.state.revision);
    this.#ledger.tellFence(this.holder.lease.fence, fence);
    this.#ledger.projectId = this.holder.entry.project_id;
    return this.holder;
  }

  commit(act = "commit"): void {
    this.#ask(act, (holder, happening) => {
      const { state } = holder;
      const written = holder.commit({ ...state, next_action: happening.summary }, happening);
      demand(written.revision === holder.state.revision, "the holder and its answer differ");
      return written.revision;
    });
  }

  note(): void {
    this.#ask("note", (holder, happening) => {
      holder.note(happening);
      return holder.state.revision;
    });
  }

  /** Keeps a new manifest text, then names it in a revision. */
  keepManifest(): void {
    const text = `# Goal\n\n${this.#ledger.name("manifest")}\n`;
    const digest = this.#holding().keepManifest(text);
    this.#ledger.manifests.set(digest, text);
    this.#ask("manifest", (holder, happening) => {
      const { state } = holder;
      const manifest = { ...state.manifest, digest };
      return holder.commit({ ...state, manifest, next_action: happening.summary }, happening)
        .revision;
    });
  }

  /** Keeps a file with the revision that follows. */
  keepWithNext(): void {
    const name = this.#ledger.name("kept");
    const path = keptPath("logs", "kept.txt");
    this.#holding().keepWithNext(path, name);
    this.commit();
    this.#ledger.kept.set(path, name);
  }

  /** Keeps a file that is durable at once. */
  keep(): void {
    const name = this.#ledger.name("kept");
    const path = keptPath("logs", "kept.txt");
    this.#holding().keep(path, name);
    this.#ledger.kept.set(path, name);
  }

  settle(): void {
    this.#holding().settle();
  }

  renew(): void {
    this.#holding().renew();
  }

  release(): void {
    this.holder?.release();
    this.holder = undefined;
  }

  /** Opens a project after a crash: what readers see holds, and the next owner makes it whole. */
  recover(): Holder {
    if (this.#ledger.projectId === undefined) this.#finishCreation();
    judgeAsReader(this.#ledger, this.store, this.id);
    const holder = this.acquire();
    this.inspect();
    this.#demandNoLeftovers();
    this.#ledger.settle(this.store.journal(this.id));
    return holder;
  }

  /** Demands that the project is whole under its owner: shadow, copies and pages agree. */
  inspect(): void {
    const { id } = this;
    const snapshot = judgeAsReader(this.#ledger, this.store, id);
    const { revision } = snapshot.state;
    demand(this.store.journal(id).length === revision, "the journal misses its last line");
    demand(snapshot.folder === "same", `the copy in the project folder is ${snapshot.folder}`);
    const { folder, shadow } = this.#folders();
    const journal = this.#read(`${shadow}/journal.jsonl`);
    proveJournal(journal);
    demand(this.#read(`${folder}/logs/journal.jsonl`).equals(journal), "the journals differ");
    const readme = this.#read(`${folder}/README.md`).toString("utf8");
    demand(
      readme.startsWith(`revision ${revision}\n`),
      `README.md says "${readme}" at ${revision}`,
    );
    const kept = this.#files.list(`${shadow}/state`).filter((name) => /^\d/.test(name));
    demand(kept.length <= 2, `old revisions were not removed: ${kept.join(", ")}`);
  }

  /** Opening a project removes the temp files of those who died. */
  #demandNoLeftovers(): void {
    const { folder, shadow } = this.#folders();
    for (const place of [`${shadow}/state`, `${shadow}/manifests`, folder, `${folder}/logs`]) {
      const left = this.#files.list(place).filter((name) => name.startsWith("."));
      demand(left.length === 0, `${place} holds ${left.join(", ")}`);
    }
  }

  #folders(): { folder: string; shadow: string } {
    const { entry } = this.store.read(this.id);
    return {
      folder: `${entry.root}/${entry.folder}`,
      shadow: `${this.#places.stateHome}/shadows/${entry.project_id}`,
    };
  }

  #ask(act: string, run: (holder: Holder, happening: Happening) => number): void {
    const holder = this.#holding();
    const summary = this.#ledger.name(act);
    const at = instantFromMs(this.#host.nowMs());
    this.#ledger.begin(summary);
    try {
      this.#ledger.tell(summary, run(holder, { at, kind: act, by: "test", summary }));
    } catch (error) {
      if (isRefusal(error)) this.#ledger.refuse(summary);
      throw error;
    }
  }

  /** A creation that was not told may be cut anywhere; asking again finishes it or finds it done. */
  #finishCreation(): void {
    try {
      this.create();
    } catch (error) {
      if (!(error instanceof StintError) || error.code !== "bad-input") throw error;
    }
  }

  #holding(): Holder {
    if (this.holder === undefined) throw new Error("this client holds no lease");
    return this.holder;
  }

  #read(path: string): Buffer {
    const fd = this.#files.open(path, "r");
    try {
      return this.#files.read(fd);
    } finally {
      this.#files.close(fd);
    }
  }
}

/** The answers that promise that nothing was written. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof StintError && (error.code === "lease-lost" || error.code === "state-changed")
  );
}
