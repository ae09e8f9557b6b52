// Plays a story once and, stopped before each of its operations and after the last, boots a machine
// from every disk that a crash may leave there. A disk that was judged under the same told facts is
// not judged again; stories that begin alike share that memory.
import type { Files } from "../../src/store/files.ts";
import { Client, FOLDERS } from "./client.ts";
import { Ledger } from "./ledger.ts";
import type { DiskState } from "./model-disk.ts";
import { ModelFiles, SimulatedCrash } from "./model-files.ts";
import { VirtualWorld } from "./virtual-host.ts";

export interface Story {
  /** A client in its own process on the machine that will crash. */
  readonly start: () => Client;
  /** Ends the process of a client as kill -9 does. */
  readonly kill: (client: Client) => void;
  /** Lets the process of a client die at operation `at` of an act. @returns whether it came so far */
  readonly dieIn: (client: Client, at: number, act: () => void) => boolean;
}

export interface Exploration {
  readonly crashPoints: number;
  /** Disks that a crash may leave, counted at every crash point. */
  readonly diskStates: number;
  /** Those among them that were booted and judged. */
  readonly judged: number;
  readonly failures: readonly string[];
}

const ENOUGH_FAILURES = 3;

/** A file port over the model as the explored store sees it; planted bugs go here. */
export type Wrap = (files: Files) => Files;

export interface ExploreOptions {
  readonly wrap?: Wrap;
  /** Disks that were judged before, shared between stories. */
  readonly judged?: Set<string>;
  /** Only the disk with nothing that was not flushed, and the one with everything. */
  readonly extremesOnly?: boolean;
}

export function exploreCrashes(
  tell: (story: Story) => void,
  { wrap = (files) => files, judged = new Set(), extremesOnly = false }: ExploreOptions = {},
): Exploration {
  const world = new VirtualWorld(1);
  const machine = world.machine("m");
  const disk = ModelFiles.withFolders(...FOLDERS);
  const ledger = new Ledger();
  const judgedBefore = judged.size;
  const failures: string[] = [];
  const processes = new Map<Client, { files: ModelFiles; end: () => void }>();
  let crashPoints = 0;
  let diskStates = 0;

  function crashHere(where: string): void {
    crashPoints++;
    if (failures.length >= ENOUGH_FAILURES) return;
    const states = extremesOnly ? [disk.flushed(), disk.now()] : disk.crashStates();
    diskStates += states.length;
    for (const state of states) {
      const key = `${ledger.key}\n${state.key}`;
      if (judged.has(key)) continue;
      judged.add(key);
      const failure = failureAfter(state, ledger, world.nowMs, wrap);
      if (failure !== undefined) failures.push(`${where}; disk: ${state.label}: ${failure}`);
    }
  }

  tell({
    start() {
      const files = disk.sibling();
      const host = machine.start();
      files.beforeOperation = ({ number, kind, path }) =>
        crashHere(`before operation ${number}, ${kind} ${path}`);
      const client = new Client(wrap(files), host, ledger);
      processes.set(client, {
        files,
        end() {
          host.kill();
          files.kill();
        },
      });
      return client;
    },
    kill: (client) => processes.get(client)?.end(),
    dieIn(client, at, act) {
      const process = processes.get(client);
      process?.files.crashAt(at);
      try {
        act();
      } catch (error) {
        if (!(error instanceof SimulatedCrash)) throw error;
        process?.end();
        return true;
      }
      process?.files.survive();
      return false;
    },
  });
  crashHere("at the end");
  return { crashPoints, diskStates, judged: judged.size - judgedBefore, failures };
}

/** Boots from a disk, recovers, goes on working, and recovers once more as another process. */
function failureAfter(
  state: DiskState,
  before: Ledger,
  nowMs: number,
  wrap: Wrap,
): string | undefined {
  // After the boot another boot id rules, so the old lease is over when it expires.
  const world = new VirtualWorld(2, nowMs + 61_000);
  const machine = world.machine("m");
  machine.reboot();
  const files = ModelFiles.fromDisk(state);
  const ledger = before.clone();
  try {
    const next = new Client(wrap(files), machine.start(), ledger);
    next.recover();
    next.commit();
    next.inspect();
    next.release();
    const last = new Client(wrap(files.sibling()), machine.start(), ledger);
    last.recover();
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.name} ${error.message}` : String(error);
  }
}
