// Parts of Stint that are measured and that the library does not promise, bundled from the source.
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));
// Below node_modules, where what is not bundled is found.
const FILE = fileURLToPath(
  new URL("../node_modules/.cache/stint-bench/internals.js", import.meta.url),
);

const PARTS = `
export { createProject } from "${SOURCE}core/step/manifest.ts";
export { lintManifest } from "${SOURCE}manifest/lint/lint-manifest.ts";
export { parseManifest } from "${SOURCE}manifest/parse-manifest.ts";
export { isAvailable, KINDS, namespaceOf } from "${SOURCE}process/namespace/isolation.ts";
export { wallsOf } from "${SOURCE}process/namespace/walls.ts";
export { projectPages } from "${SOURCE}report/pages/pages.ts";
export { sha256Of } from "${SOURCE}store/digest.ts";
export { FileStore } from "${SOURCE}store/file-store.ts";
export { realFiles } from "${SOURCE}store/files.ts";
export { thisHost } from "${SOURCE}store/host.ts";
`;

const built = await rolldown({
  input: "\0parts",
  platform: "node",
  plugins: [
    {
      name: "parts",
      resolveId: (id) => (id === "\0parts" ? id : null),
      load: (id) => (id === "\0parts" ? PARTS : null),
    },
  ],
});
await built.write({ file: FILE, format: "esm", codeSplitting: false });
await built.close();

export const {
  createProject,
  isAvailable,
  KINDS,
  namespaceOf,
  wallsOf,
  lintManifest,
  parseManifest,
  projectPages,
  sha256Of,
  FileStore,
  realFiles,
  thisHost,
} = await import(pathToFileURL(FILE).href);
