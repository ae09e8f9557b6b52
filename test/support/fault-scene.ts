// One act of the store during which one file operation goes wrong, and what must hold afterwards:
// the act succeeded and is durable, or it stopped hard with a message that says what to do; then
// nothing more is written, and once the fault is gone the project opens again with nothing lost.
import { StintError } from "../../src/core/stint-error.ts";
import type { Files } from "../../src/store/files.ts";
import { Client, FOLDERS } from "./client.ts";
import { type FaultyFiles, type FileCall, type FileFault, faultyFiles } from "./faulty-files.ts";
import { demand, Ledger } from "./ledger.ts";
import type { DiskState } from "./model-disk.ts";
import { ModelFiles } from "./model-files.ts";
import { VirtualWorld } from "./virtual-host.ts";

export const FAULTY_ACTS = [
  "create",
  "acquire after a kill",
  "commit",
  "keepManifest",
  "keepWithNext",
  "settle",
  "renew",
  "release",
] as const;
export type FaultyAct = (typeof FAULTY_ACTS)[number];

interface Start {
  readonly disk: DiskState;
  readonly ledger: Ledger;
}

const EXPIRY_MS = 61_000;

/** The calls that an act makes when nothing goes wrong. */
export function callsOf(act: FaultyAct): readonly FileCall[] {
  return new FaultScene(act).calls();
}

/**
 * @param wrap a bug planted between the store and the faulty port
 * @returns what the act said: "told", or the code of the error
 */
export function strike(
  act: FaultyAct,
  fault: FileFault,
  wrap: (files: Files) => Files = (files) => files,
): string {
  return new FaultScene(act).strike(fault, wrap);
}

class FaultScene {
  readonly #act: FaultyAct;
  readonly #world = new VirtualWorld(1);
  readonly #machine = this.#world.machine("m");
  readonly #ledger: Ledger;
  readonly #disk: ModelFiles;

  constructor(act: FaultyAct) {
    this.#act = act;
    const { disk, ledger } = startOf(act);
    this.#disk = ModelFiles.fromDisk(disk);
    this.#ledger = ledger.clone();
  }

  calls(): readonly FileCall[] {
    const files = faultyFiles(this.#disk.sibling());
    this.#perform(this.#prepared(files));
    return files.calls;
  }

  strike(fault: FileFault, wrap: (files: Files) => Files): string {
    const model = this.#disk.sibling();
    const host = this.#machine.start();
    const files = faultyFiles(model, fault);
    // Everything before the act in question goes well: the holder moves to the faulty port for it.
    const client = this.#prepared(files, wrap, host);
    const said = this.#attempt(client);
    demand(files.struck > 0, "the fault did not strike");
    if (said !== "told" && client.holder !== undefined) this.#demandPoisoned(client);
    host.kill();
    this.#reopen(this.#disk.now(), 0);
    this.#machine.reboot();
    this.#reopen(this.#disk.flushed(), EXPIRY_MS);
    return said;
  }

  #prepared(
    files: FaultyFiles,
    wrap: (files: Files) => Files = (port) => port,
    host = this.#machine.start(),
  ): Client {
    const client = new Client(wrap(files), host, this.#ledger);
    files.pause(() => {
      if (this.#act === "acquire after a kill" || this.#act === "create") return;
      client.acquire();
      // So that some acts find a spare to write into.
      if (this.#act === "keepWithNext") client.settle();
    });
    return client;
  }

  #perform(client: Client): void {
    if (this.#act === "acquire after a kill") client.acquire();
    else client[this.#act]();
  }

  #attempt(client: Client): string {
    try {
      this.#perform(client);
      return "told";
    } catch (error) {
      if (!(error instanceof StintError)) throw error;
      demand(error.code === "state-unwritable", `${error.code}: ${error.message}`);
      demand(/ \/(repo|home)\b\S*/.test(error.message), `no path in: ${error.message}`);
      demand(/\(E[A-Z]+\)/.test(error.message), `no reason in: ${error.message}`);
      demand(error.hint.includes("stint doctor"), `no way out in: ${error.hint}`);
      return error.code;
    }
  }

  /** After a failure the holder writes nothing more and gives nothing back. */
  #demandPoisoned(client: Client): void {
    const before = this.#disk.now().key;
    for (const act of ["commit", "note", "renew"] as const) {
      let refused = false;
      try {
        client[act]();
      } catch (error) {
        refused = error instanceof StintError;
      }
      demand(refused, `a holder whose write failed was let to ${act}`);
    }
    client.release();
    demand(this.#disk.now().key === before, "a holder whose write failed went on writing");
  }

  #reopen(disk: DiskState, patienceMs: number): void {
    this.#world.advance(patienceMs);
    const files = ModelFiles.fromDisk(disk);
    const client = new Client(files, this.#machine.start(), this.#ledger.clone());
    client.recover();
    client.commit();
    client.inspect();
  }
}

const starts = new Map<FaultyAct, Start>();

/** The project as it is before the act; made once. */
function startOf(act: FaultyAct): Start {
  const known = starts.get(act);
  if (known !== undefined) return known;
  const disk = ModelFiles.withFolders(...FOLDERS);
  const ledger = new Ledger();
  // A day earlier, so that the owner whose pid is used again is known by its start to be dead.
  const host = new VirtualWorld(1, Date.UTC(2025, 11, 31)).machine("m").start();
  const client = new Client(disk.sibling(), host, ledger);
  if (act !== "create") {
    client.create();
    client.acquire();
    client.commit();
    if (act !== "acquire after a kill") client.release();
  }
  const start = { disk: disk.flushed(), ledger };
  starts.set(act, start);
  return start;
}
