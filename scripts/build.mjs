// Bundles the executable and the library into dist/, one chunk per verb over a few layers, and emits the
// declarations.
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
const executable = { format: "cjs", entryFileNames: "[name].cjs" };
await bundle({ main: "src/main.ts" }, { ...executable, codeSplitting: { groups: await layers() } });
// The scripted agent is a program of its own: sessions start it by its path.
await bundle(
  { "scripted-agent": "src/agents/scripted/scripted-program.ts" },
  { format: "cjs", entryFileNames: "[name].cjs" },
);
// So is what speaks with agents over the Agent Client Protocol.
await bundle(
  { "acp-client": "src/agents/acp/acp-client.ts" },
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

/**
 * What is loaded together, in one file each: the verbs of a session, every other start, then what the status of a project that was run, a
 * manifest and a run need beyond that. Node takes half a millisecond for a file, and a run had 68 of them.
 */
async function layers() {
  const built = await opened({ main: "src/main.ts" });
  const { output } = await built.generate({ format: "cjs" });
  await built.close();
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const modulesOf = (chunk, found) => {
    if (found.has(chunk)) return found;
    found.add(chunk);
    for (const name of chunk.imports) if (chunks.has(name)) modulesOf(chunks.get(name), found);
    return found;
  };
  const entries = [
    ["session", "src/cli/session-verbs.ts"],
    ["start", "src/start.ts"],
    ["space", "src/operations/space-status.ts"],
    ["manifest", "src/operations/lint.ts"],
    ["work", "src/cli/run-verb.ts"],
  ];
  const taken = new Set();
  return entries.map(([name, entry]) => {
    const holds = ({ moduleIds }) => moduleIds.find((id) => id.endsWith(entry));
    const first = output.find(holds);
    if (first === undefined) throw new Error(`${entry} is not part of the executable`);
    const modules = [...modulesOf(first, new Set())].flatMap(({ moduleIds }) => moduleIds);
    // An entry stays a file of its own: that is where it is found.
    taken.add(holds(first));
    const own = new Set(modules.filter((id) => !taken.has(id)));
    for (const id of own) taken.add(id);
    return { name, test: (id) => own.has(id) };
  });
}

async function opened(input) {
  return await rolldown({ input, platform: "node", plugins: [withoutSubprocesses, lateBuiltins] });
}

async function bundle(input, output) {
  const built = await opened(input);
  const extension = output.format === "cjs" ? "cjs" : "js";
  await built.write({
    dir: "dist",
    chunkFileNames: `chunks/[name]-[hash].${extension}`,
    ...output,
  });
  await built.close();
}
