import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { VirtualWorld } from "../../test/support/virtual-host.ts";
import { FileStore } from "./file-store.ts";
import { realFiles } from "./files.ts";
import { MemoryShelf, MemoryStore } from "../../test/support/memory-store.ts";
import { type Bench, storeSuite } from "../../test/suites/store.testsuite.ts";

storeSuite("the file store", () => {
  const folder = temporaryFolder();
  const root = join(folder.path, "repo");
  const stateHome = join(folder.path, "state");
  mkdirSync(root);
  return bench(
    root,
    (host) => new FileStore({ files: realFiles, host, stateHome, pages: () => ({}) }),
    () => folder.remove(),
  );
});

storeSuite("the memory store", () => {
  const shelf = new MemoryShelf();
  return bench(
    "/repo",
    (host) => new MemoryStore(shelf, host),
    () => {},
  );
});

function bench(
  root: string,
  openStore: (
    host: ReturnType<ReturnType<VirtualWorld["machine"]>["start"]>,
  ) => FileStore | MemoryStore,
  close: () => void,
): Bench {
  const world = new VirtualWorld(1);
  const machine = world.machine("here");
  return {
    root,
    process() {
      const host = machine.start();
      return { store: openStore(host), host, die: () => host.kill() };
    },
    advance: (ms) => world.advance(ms),
    close,
  };
}
