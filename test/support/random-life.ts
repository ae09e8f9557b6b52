// The life of a project on one machine as a list of steps that a generator can make and shrink: acts
// of owners, each of which may end in the death of its process or in a loss of power.
import type { Files } from "../../src/store/files.ts";
import { Client, FOLDERS } from "./client.ts";
import { judgeAsReader, Ledger } from "./ledger.ts";
import { ModelFiles, SimulatedCrash } from "./model-files.ts";
import { VirtualWorld } from "./virtual-host.ts";

export const LIFE_ACTS = [
  "open",
  "commit",
  "note",
  "keepManifest",
  "keepWithNext",
  "settle",
  "renew",
  "release",
] as const;

export interface LifeStep {
  readonly act: (typeof LIFE_ACTS)[number];
  /** Operation of the act at which the process dies, from 1; null: it lives. */
  readonly diesAt: number | null;
  /** Which legal disk remains, by number; null: only the process dies, not the machine. */
  readonly disk: number | null;
}

const EXPIRY_MS = 61_000;

/** Lives through the steps and throws when a promise of the store is broken. */
export function live(
  steps: readonly LifeStep[],
  wrap: (files: Files) => Files = (files) => files,
): void {
  const world = new VirtualWorld(1);
  const machine = world.machine("m");
  const ledger = new Ledger();
  let disk = ModelFiles.withFolders(...FOLDERS);
  let owner = start();

  function start() {
    const files = disk.sibling();
    const host = machine.start();
    return { files, host, client: new Client(wrap(files), host, ledger) };
  }

  function perform(act: LifeStep["act"]): void {
    const { client } = owner;
    if (client.holder === undefined) client.recover();
    if (act === "open") {
      owner.host.kill();
      owner = start();
      owner.client.recover();
    } else client[act]();
  }

  for (const { act, diesAt, disk: remains } of steps) {
    if (diesAt !== null) owner.files.crashAt(diesAt);
    try {
      perform(act);
      owner.files.survive();
    } catch (error) {
      if (!(error instanceof SimulatedCrash)) throw error;
      owner.host.kill();
      if (remains !== null) {
        const states = disk.crashStates(60);
        disk = ModelFiles.fromDisk(states[remains % states.length] ?? disk.now());
        machine.reboot();
        world.advance(EXPIRY_MS);
      }
      owner = start();
      if (ledger.projectId !== undefined)
        judgeAsReader(ledger, owner.client.store, owner.client.id);
    }
  }
  owner.host.kill();
  owner = start();
  owner.client.recover();
  owner.client.commit();
  owner.client.inspect();
}
