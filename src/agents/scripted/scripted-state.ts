// Where the scripted agent finds the state files it deletes or forges: every project folder below the
// work tree, as an agent without respect would.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export function stateFiles(root: string): readonly string[] {
  return foldersIn(join(root, "agents"))
    .flatMap((owner) => foldersIn(join(owner, "projects")))
    .map((project) => join(project, "state.json"))
    .filter((file) => existsSync(file));
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}
