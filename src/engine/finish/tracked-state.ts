// What of the project folder goes into commits, where somebody wants that: not what only this machine needs.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RegistryEntry } from "../../store/store.ts";
import type { OwnFile } from "../../workspace/workspace.ts";

export function trackedState({ root, folder }: RegistryEntry): readonly OwnFile[] {
  const names = readdirSync(join(root, folder)).filter(
    (name) => name !== "logs" && name !== "lease.json" && !name.startsWith("."),
  );
  return names.flatMap((name) => filesAt(root, `${folder}/${name}`));
}

function filesAt(root: string, path: string): readonly OwnFile[] {
  const at = join(root, path);
  const facts = lstatSync(at);
  if (facts.isDirectory())
    return readdirSync(at).flatMap((name) => filesAt(root, `${path}/${name}`));
  return facts.isFile() ? [{ path, content: readFileSync(at) }] : [];
}
