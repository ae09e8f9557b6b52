// `npm run test:agents [-- claude codex …] [--strict]`: runs the built Stint with the real agent CLIs.
// Node 20 reads no TypeScript, so its parts are bundled first: main.ts runs with the network of the
// machine and installs, in-namespace.ts and record.ts run where nothing but loopback exists.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "stint-agents-program-"));
try {
  for (const name of ["main", "in-namespace", "record"]) {
    const bundle = await rolldown({ input: join(here, `${name}.ts`), platform: "node" });
    await bundle.write({ file: join(folder, `${name}.mjs`), format: "esm" });
    await bundle.close();
  }
  const words = [join(folder, "main.mjs"), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, words, { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
