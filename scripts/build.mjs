// Bundles the executable and the library into dist/, one chunk per verb, and emits the declarations.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Commander can start programs as verbs; Stint has none, and loading what it takes costs a start. */
const withoutSubprocesses = {
  name: "without-subprocesses",
  resolveId: (id, importer) =>
    id === "node:child_process" && importer?.includes("commander") ? "\0no-subprocesses" : null,
  load: (id) => (id === "\0no-subprocesses" ? "export default {};" : null),
};

/** Parts of Node that cost a start and that most commands never use: loaded at their first use. */
const lateBuiltins = {
  name: "late-builtins",
  renderChunk: (code) =>
    code.replace(
      /^let (\w+) = require\("node:(child_process|module|net|timers\/promises|v8|worker_threads|zlib)"\);$/gm,
      'const $1 = new Proxy({}, { get: (_, name) => require("node:$2")[name] });',
    ),
};

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
rmSync("dist", { recursive: true, force: true });

// The library is ESM. The executable is CommonJS, which Node starts some milliseconds faster.
await bundle({ index: "src/index.ts" }, { format: "esm", entryFileNames: "[name].js" });
await bundle({ main: "src/main.ts" }, { format: "cjs", entryFileNames: "[name].cjs" });
// The scripted agent is a program of its own: sessions start it by its path.
await bundle(
  { "scripted-agent": "src/agents/scripted/scripted-program.ts" },
  { format: "cjs", entryFileNames: "[name].cjs" },
);
// So is what drives a browser; checks start it as a child.
await bundle(
  { "browser-check": "src/checks/browser-program.ts" },
  { format: "cjs", entryFileNames: "[name].cjs" },
);
chmodSync("dist/main.cjs", 0o755);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});

async function bundle(input, output) {
  const built = await rolldown({
    input,
    platform: "node",
    plugins: [withoutSubprocesses, lateBuiltins],
  });
  const extension = output.format === "cjs" ? "cjs" : "js";
  await built.write({
    dir: "dist",
    chunkFileNames: `chunks/[name]-[hash].${extension}`,
    ...output,
  });
  await built.close();
}
