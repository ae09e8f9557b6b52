// Where processes in a workspace see it and the objects they borrow.
import { existsSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type { Mount, View } from "../../process/namespace/view.ts";
import type { PersonRepository } from "../repository/person-repository.ts";
import type { Place } from "../repository/place.ts";
import type { WorkspaceOptions } from "../repository/workspace-options.ts";

/** For the alternates of a session's repository. Objects of unfinished work are Stint's own. */
export function seenObjects({ options, person, git }: Place): string[] {
  const [first, ...others] = person?.objects ?? [];
  const own = join(git.gitDir, "objects");
  if (first === undefined) return [own];
  if (options.shownAt === "own-path") return [first, ...others, own];
  const seen = seenFolder(options);
  return [join(seen, "objects"), ...others, join(seen, "own-objects")];
}

/** Where a process finds objects of a submodule of the person's; null: nowhere. */
export function seenModule({ options, person }: Place, path: string): string | null {
  const modules = person === null ? null : modulesFolder(person);
  if (options.shownAt === "own-path" || !path.startsWith(options.checkout + sep)) return path;
  if (modules === null || !path.startsWith(modules + sep)) return null;
  return join(seenFolder(options), "modules", path.slice(modules.length + 1));
}

/** Null where the person has no submodules, or never had one filled. */
function modulesFolder({ folder }: PersonRepository): string | null {
  const modules = join(folder.common, "modules");
  return existsSync(modules) ? realpathSync(modules) : null;
}

export function viewOf(
  options: WorkspaceOptions,
  folder: string,
  person: PersonRepository | null,
): View {
  const { hide, mounts, home, checkout, kind } = options;
  if (kind === "in-place") return { hide, mounts };
  const own = join(home, "git", "objects");
  const tree: Mount = { from: folder, at: atOf(options, folder), mode: "read-write" };
  const first = person?.objects[0];
  const seen = seenFolder(options);
  const isOwnPath = options.shownAt === "own-path";
  const common = person?.folder.common;
  const modules = person === null ? null : modulesFolder(person);
  const outside: Mount[] =
    isOwnPath || common === undefined || common.startsWith(checkout + sep)
      ? []
      : [{ from: common, at: common, mode: "read-only" }];
  const objects: Mount[] = isOwnPath
    ? [{ from: own, at: own, mode: "read-only" }]
    : [
        ...(first === undefined
          ? []
          : [{ from: first, at: join(seen, "objects"), mode: "read-only" } as const]),
        { from: own, at: join(seen, "own-objects"), mode: "read-only" },
        ...(modules === null || !modules.startsWith(checkout + sep)
          ? []
          : [{ from: modules, at: join(seen, "modules"), mode: "read-only" } as const]),
      ];
  return { hide, mounts: [tree, ...outside, ...objects, ...mounts] };
}

export function atOf(options: WorkspaceOptions, folder: string): string {
  return options.kind === "own-copy" && options.shownAt === "checkout" ? options.checkout : folder;
}

/** Below a hidden folder anything can be shown; where none is hidden, in one made for it. */
export function seenFolder({ hide, home }: WorkspaceOptions): string {
  return hide[0] ?? join(home, "seen");
}
