// The refs of Stint's own repository in a workspace, read from their files. No git is started there:
// it would follow settings of a place that nobody vouches for any more.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface RefOnDisk {
  readonly name: string;
  readonly commit: string;
}

/** @returns null where they cannot be read; none where there is no repository */
export function ownRefsOnDisk(gitFolder: string): readonly RefOnDisk[] | null {
  try {
    if (lstatSync(gitFolder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    const refs = new Map(packedRefs(gitFolder).map((ref) => [ref.name, ref]));
    for (const ref of looseRefs(gitFolder, "refs")) refs.set(ref.name, ref);
    return [...refs.values()];
  } catch {
    return null;
  }
}

/** Of refs/stint/<project>/<task>/<attempt>. */
export function keptTasksOf(refs: readonly RefOnDisk[]): readonly string[] {
  const tasks = refs.flatMap(
    ({ name }) => /^refs\/stint\/[^/]+\/([^/]+)\/\d+$/.exec(name)?.[1] ?? [],
  );
  return [...new Set(tasks)].filter((task) => task !== "_start").toSorted();
}

function packedRefs(gitFolder: string): RefOnDisk[] {
  const path = join(gitFolder, "packed-refs");
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, commit, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? [];
      return commit === undefined || name === undefined ? [] : { name, commit };
    });
}

function looseRefs(gitFolder: string, folder: string): RefOnDisk[] {
  return readdirSync(join(gitFolder, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return looseRefs(gitFolder, name);
    if (!entry.isFile() || name.endsWith(".lock")) return [];
    return { name, commit: readFileSync(join(gitFolder, name), "utf8").trim() };
  });
}
