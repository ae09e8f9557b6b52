// Turns a fixture program in TypeScript into one that plain Node runs.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const PROGRAMS = fileURLToPath(new URL("../fixtures/programs/", import.meta.url));

/** @returns the path of the bundled program inside `folder` */
export async function bundleProgram(name: string, folder: string): Promise<string> {
  const bundle = await rolldown({ input: join(PROGRAMS, `${name}.ts`), platform: "node" });
  const file = join(folder, `${name}.mjs`);
  await bundle.write({ file, format: "esm" });
  await bundle.close();
  return file;
}
