// One file of a small project, changed by nobody's hand: a bit turned over, or an end cut off. The
// store heals it or refuses with a way out; what it accepts is exactly what was written.
import { StintError } from "../../src/core/stint-error.ts";
import type { JournalEntry } from "../../src/core/schema/project.ts";
import { Client, FOLDERS, ROOT, STATE_HOME } from "./client.ts";
import { demand, Ledger } from "./ledger.ts";
import { ModelFiles } from "./model-files.ts";
import { VirtualWorld } from "./virtual-host.ts";

export type Damage = { readonly flip: number; readonly bit: number } | { readonly cutTo: number };
export type Verdict = "unnoticed" | "healed" | "refused";

const world = new VirtualWorld(1);
const machine = world.machine("m");
const ledger = new Ledger();
const disk = ModelFiles.withFolders(...FOLDERS);
const writer = new Client(disk.sibling(), machine.start(), ledger);
writer.create();
writer.acquire();
writer.keepManifest();
writer.commit();
writer.note();
writer.release();

const whole = disk.now();
const id = writer.id;
const state = JSON.stringify(writer.store.read(id).state);
const lines = writer.store.journal(id);
const { digest } = writer.store.read(id).state.manifest;
const text = writer.store.manifestText(id, digest);

/** The files whose every byte counts, by what they are. */
export const FILES = {
  "the state in the shadow": `${STATE_HOME}/shadows/${id}/state/${lastOf(`${STATE_HOME}/shadows/${id}/state`)}`,
  "the journal in the shadow": `${STATE_HOME}/shadows/${id}/journal.jsonl`,
  "the log of kept files": `${STATE_HOME}/shadows/${id}/pending/${lastOf(`${STATE_HOME}/shadows/${id}/pending`)}`,
  "the lease in the shadow": `${STATE_HOME}/shadows/${id}/lease/${lastOf(`${STATE_HOME}/shadows/${id}/lease`)}`,
  "the manifest text in the shadow": `${STATE_HOME}/shadows/${id}/manifests/${lastOf(`${STATE_HOME}/shadows/${id}/manifests`)}`,
  "the state in the project folder": `${ROOT}/agents/stint/projects/prompt/state.json`,
  "the journal in the project folder": `${ROOT}/agents/stint/projects/prompt/logs/journal.jsonl`,
} as const;

export function sizeOf(path: string): number {
  return disk.stat(path)?.size ?? 0;
}

/** Damages one file and opens the project. Throws when something wrong is accepted. */
export function damage(path: string, how: Damage): Verdict {
  const files = ModelFiles.fromDisk(whole);
  const fd = files.open(path, "r+");
  if ("cutTo" in how) files.truncate(fd, how.cutTo);
  else {
    const byte = files.read(fd)[how.flip] ?? 0;
    files.write(fd, Uint8Array.of(byte ^ (1 << how.bit)), 0, 1, how.flip);
  }
  files.fsync(fd);
  const before = files.read(fd);
  const client = new Client(files, machine.start(), ledger.clone());
  try {
    demand(JSON.stringify(client.store.read(id).state) === state, "another state was accepted");
    demandSameLines(client.store.journal(id));
    demand(client.store.manifestText(id, digest) === text, "another manifest text was accepted");
    client.acquire();
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    demand(error.code === "state-corrupt", `${error.code}: ${error.message}`);
    demand(error.hint.includes(`stint doctor ${id} --repair`), `no way out in: ${error.hint}`);
    demand(error.message.includes(path), `it does not say which file: ${error.message}`);
    return "refused";
  }
  client.inspect();
  demandSameLines(client.store.journal(id).slice(0, lines.length));
  return files.read(fd).equals(before) && client.holder?.healed.length === 0
    ? "unnoticed"
    : "healed";
}

function demandSameLines(found: readonly JournalEntry[]): void {
  demand(JSON.stringify(found) === JSON.stringify(lines), "another journal was accepted");
}

function lastOf(folder: string): string {
  return disk.list(folder).at(-1) ?? "";
}
