// Real processes on one real project: who died is followed at once, who only stands still keeps its
// lease, and many that write at the same time lose nothing and double nothing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FileStore } from "../../src/store/file-store.ts";
import { type Files, realFiles } from "../../src/store/files.ts";
import { thisHost } from "../../src/store/host.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { Child } from "../support/child.ts";
import { Client } from "../support/client.ts";
import { Ledger } from "../support/ledger.ts";
import { newPlace, type Place } from "../support/place.ts";
import { replay } from "../support/replay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
let transitions = "";
let contend = "";

beforeAll(async () => {
  transitions = await bundleProgram("transitions", folder.path);
  contend = await bundleProgram("contend", folder.path);
});

afterAll(() => folder.remove());

function start(program: string, { root, stateHome }: Place, ...words: string[]): Child {
  return new Child(process.execPath, [program, root, stateHome, ...words], {});
}

function created(): { place: Place; ledger: Ledger; client: Client } {
  const place = newPlace(folder.path);
  const ledger = new Ledger("test-");
  const client = new Client(realFiles, thisHost(), ledger, place);
  client.create();
  return { place, ledger, client };
}

describe("S3 a holder in another process", () => {
  it("that was killed by SIGKILL is followed by the next write", async () => {
    const { place, ledger, client } = created();
    const holder = start(transitions, place, "acquire", "commit", "wait");
    await holder.says("waiting");
    expect(() => client.acquire()).toThrow(expect.objectContaining({ code: "lease-held" }));
    holder.process.kill("SIGKILL");
    replay((await holder.ended).stdout, ledger);
    client.recover();
    client.commit();
    client.inspect();
  });

  it.runIf(process.platform === "linux")("that is stopped keeps its lease for ever", async () => {
    const { place, client } = created();
    const holder = start(transitions, place, "acquire", "wait");
    await holder.says("waiting");
    holder.process.kill("SIGSTOP");
    while (stateOf(holder.process.pid) !== "T") await nextTurn();
    const host = thisHost();
    const tomorrow = { ...host, nowMs: () => host.nowMs() + 86_400_000 };
    const later = new Client(realFiles, tomorrow, new Ledger(), place);
    expect(() => later.acquire()).toThrow(expect.objectContaining({ code: "lease-held" }));
    expect(client.store.read(client.id).lease.held).toBe(true);
    holder.process.kill("SIGKILL");
    await holder.ended;
    client.recover();
  });
});

describe("S3 eight processes at the same time", () => {
  it("claim one task: exactly one is told yes", async () => {
    const { place } = created();
    const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
    const endings = await Promise.all(
      names.map((name) => start(contend, place, name, "claim").ended),
    );
    expect(endings.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      names.map(() => ({ code: 0, stderr: "" })),
    );
    expect(endings.filter(({ stdout }) => stdout.includes('"yes"'))).toHaveLength(1);
    expect(endings.filter(({ stdout }) => stdout.includes('"no"'))).toHaveLength(7);
  });

  it("make 1,600 revisions: none lost, none doubled, and a reader never sees a torn file", async () => {
    const { place, ledger, client } = created();
    const children = Array.from({ length: 8 }, (_, i) =>
      start(contend, place, `p${i}`, "200", "25"),
    );
    const reader = watch(place, client);
    const endings = await Promise.all(children.map(({ ended }) => ended));
    const seen = await reader.stop();
    expect(endings.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      children.map(() => ({ code: 0, stderr: "" })),
    );
    for (const { stdout } of endings) replay(stdout, ledger);
    expect(client.store.read(client.id).state.revision).toBe(1601);
    expect(seen).toBeGreaterThan(10);
    client.recover();
    expect(client.store.journal(client.id)).toHaveLength(1601);
  });
});

/** Reads all the time through a port that cannot write. @returns a stop that tells how often */
function watch(place: Place, client: Client): { stop: () => Promise<number> } {
  const store = new FileStore({
    files: readOnly(realFiles),
    host: thisHost(),
    stateHome: place.stateHome,
    pages: () => ({}),
  });
  const { id } = client;
  const { entry } = store.read(id);
  const copy = join(entry.root, entry.folder, "state.json");
  const stopped = new AbortController();
  const watching = (async () => {
    let last = 0;
    let reads = 0;
    while (!stopped.signal.aborted) {
      const { revision, last_event } = store.read(id).state;
      expect(revision).toBeGreaterThanOrEqual(last);
      expect(last_event?.revision).toBe(revision);
      expect(store.journal(id).length).toBeGreaterThanOrEqual(revision - 1);
      expect(JSON.parse(readFileSync(copy, "utf8"))).toMatchObject({ project_id: id });
      last = revision;
      reads++;
      await nextTurn();
    }
    return reads;
  })();
  return {
    stop: async () => {
      stopped.abort();
      return await watching;
    },
  };
}

/** Whoever reads changes nothing: it makes, locks and removes no file. */
function readOnly(files: Files): Files {
  return {
    ...files,
    open: (path, mode) => (mode === "r" ? files.open(path, mode) : refuse()),
    write: refuse,
    truncate: refuse,
    syncFolder: refuse,
    mkdir: refuse,
    link: refuse,
    rename: refuse,
    unlink: refuse,
  };
}

function refuse(): never {
  throw new Error("a reader tried to change a file");
}

function stateOf(pid: number | undefined): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[0];
}
