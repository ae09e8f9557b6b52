// The story that fencing is for: a process stands still in the middle of an act, its lease expires,
// a successor on another machine works, and then the first one wakes and finishes its act. The act
// is one of an owner's, or opening the project after a predecessor that died in a commit.
import { StintError } from "../../src/core/stint-error.ts";
import type { Files } from "../../src/store/files.ts";
import { Client, FOLDERS, isRefusal, STATE_HOME } from "./client.ts";
import { demand, Ledger } from "./ledger.ts";
import type { DiskState } from "./model-disk.ts";
import { ModelFiles, SimulatedCrash } from "./model-files.ts";
import { VirtualWorld } from "./virtual-host.ts";

export const OWNER_ACTS = ["commit", "note", "keepManifest", "settle", "renew", "release"] as const;
export type OwnerAct = (typeof OWNER_ACTS)[number];

/** What the successor does meanwhile, or the operation of its `acquire` at which it dies. */
export type Meanwhile =
  | "acquires"
  | "commits"
  | "works on"
  | "releases"
  | { readonly diesAt: number };

export interface Awakening {
  /** Whether the act had so many operations. */
  readonly slept: boolean;
  readonly successorDied: boolean;
}

type Wrap = (files: Files) => Files;

const PATIENCE_MS = 61_000;

/** Stops an owner before operation `at` of its act. Throws when a promise of the store is broken. */
export function wakeOwner(
  act: OwnerAct,
  at: number,
  meanwhile: Meanwhile,
  wrap: Wrap = (files) => files,
): Awakening {
  const scene = new Scene(ModelFiles.withFolders(...FOLDERS), new Ledger(), wrap);
  const owner = scene.start("first");
  owner.client.create();
  owner.client.acquire();
  owner.client.commit();
  // The act finds spares to write into.
  owner.client.settle();
  owner.client.commit();
  return scene.wake(owner, at, () => owner.client[act](), meanwhile);
}

/** A project as its owner left it when it died in a commit. */
export interface Death {
  readonly disk: DiskState;
  readonly ledger: Ledger;
}

/** Every death in a commit; where the journal can be left with a cut line, it is. */
export function deathsInCommit(): Death[] {
  const deaths: Death[] = [];
  for (let at = 1; ; at++) {
    const disk = ModelFiles.withFolders(...FOLDERS);
    const ledger = new Ledger();
    const { files, client } = new Scene(disk, ledger, (port) => port).start("zero");
    client.create();
    client.acquire();
    client.settle();
    client.commit();
    if (!dies(files, at, () => client.commit())) return deaths;
    const states = disk.crashStates();
    const torn = states.find((state) => hasTornJournal(ModelFiles.fromDisk(state), client.id));
    deaths.push({ disk: torn ?? disk.now(), ledger });
  }
}

/** Stops a process before operation `at` of opening what a death left. */
export function wakeOpener(death: Death, at: number, meanwhile: Meanwhile): Awakening {
  const scene = new Scene(ModelFiles.fromDisk(death.disk), death.ledger.clone(), (files) => files);
  scene.world.advance(PATIENCE_MS);
  const opener = scene.start("first");
  return scene.wake(opener, at, () => void opener.client.acquire(), meanwhile);
}

interface Process {
  readonly files: ModelFiles;
  readonly client: Client;
}

class Scene {
  readonly world = new VirtualWorld(1);
  readonly #disk: ModelFiles;
  readonly #ledger: Ledger;
  readonly #wrap: Wrap;

  constructor(disk: ModelFiles, ledger: Ledger, wrap: Wrap) {
    this.#disk = disk;
    this.#ledger = ledger;
    this.#wrap = wrap;
  }

  start(machine: string): Process {
    const files = this.#disk.sibling();
    const host = this.world.machine(machine).start();
    return { files, client: new Client(this.#wrap(files), host, this.#ledger) };
  }

  wake(sleeper: Process, at: number, act: () => void, meanwhile: Meanwhile): Awakening {
    const successor = this.start("second");
    const wakeAt = sleeper.files.operations + at;
    let slept = false;
    let successorDied = false;
    sleeper.files.beforeOperation = ({ number }) => {
      if (number !== wakeAt) return;
      slept = true;
      this.world.advance(PATIENCE_MS);
      successorDied = workMeanwhile(successor, meanwhile);
    };
    demand(outcomeOf(act) !== "broken", "the woken process failed in a way nobody can act on");
    if (!slept) return { slept, successorDied };

    if (!successorDied) {
      this.#demandFencedOff(sleeper.client);
      if (successor.client.holder !== undefined) {
        successor.client.commit();
        successor.client.inspect();
      }
    }
    this.world.advance(PATIENCE_MS);
    const last = this.start("third").client;
    last.recover();
    last.commit();
    last.inspect();
    return { slept, successorDied };
  }

  /** Whoever was overtaken may finish the act it was in, but begins no other. */
  #demandFencedOff(client: Client): void {
    const { store } = this.start("reader").client;
    const ruling = store.read(client.id).lease.lease?.fence;
    if (client.holder === undefined || client.holder.lease.fence === ruling) return;
    for (const act of ["renew", "commit"] as const) {
      demand(outcomeOf(() => client[act]()) !== "told", `the woken owner was let to ${act}`);
    }
  }
}

function workMeanwhile({ client, files }: Process, what: Meanwhile): boolean {
  if (typeof what === "object") return dies(files, what.diesAt, () => client.acquire());
  client.acquire();
  if (what !== "acquires") client.commit();
  if (what === "works on") {
    client.keepManifest();
    client.commit();
    client.commit();
  }
  if (what === "releases") client.release();
  return false;
}

function hasTornJournal(files: ModelFiles, id: string): boolean {
  const fd = files.open(`${STATE_HOME}/shadows/${id}/journal.jsonl`, "r");
  return !files.read(fd).toString("latin1").endsWith("\n");
}

/** Whether the process died: the act had so many operations. */
function dies(files: ModelFiles, at: number, act: () => void): boolean {
  files.crashAt(at);
  try {
    act();
  } catch (error) {
    if (error instanceof SimulatedCrash) return true;
    throw error;
  }
  files.survive();
  return false;
}

function outcomeOf(act: () => void): "told" | "refused" | "failed" | "broken" {
  try {
    act();
    return "told";
  } catch (error) {
    if (isRefusal(error)) return "refused";
    if (error instanceof StintError && error.hint !== "") return "failed";
    return "broken";
  }
}
