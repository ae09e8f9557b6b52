// The scripted agent as sessions start it: its program, bundled once per test file.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { temporaryFolder } from "./temporary-folder.ts";

export interface BundledProgram {
  readonly path: string;
  remove(): void;
}

export async function bundleScriptedAgent(): Promise<BundledProgram> {
  const folder = temporaryFolder();
  const input = fileURLToPath(
    new URL("../../src/agents/scripted/scripted-program.ts", import.meta.url),
  );
  const path = join(folder.path, "scripted-agent.cjs");
  const built = await rolldown({ input, platform: "node" });
  await built.write({ file: path, format: "cjs" });
  await built.close();
  return { path, remove: () => folder.remove() };
}
