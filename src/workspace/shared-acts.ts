// What both kinds of workspace do alike: everything that asks Stint's own repository.
import { combineByContent } from "./tree/combine-by-content.ts";
import { keepWork, readKept } from "./commit/kept-work.ts";
import type { Place } from "./repository/place.ts";
import { findEntries, readChanges, readDiff, readEntries, readTexts } from "./tree/read-trees.ts";
import { viewOf } from "./tree/seen-objects.ts";
import type { Workspace } from "./workspace.ts";

type Shared = Pick<
  Workspace,
  | "kind"
  | "folder"
  | "at"
  | "view"
  | "keep"
  | "kept"
  | "changes"
  | "entries"
  | "find"
  | "texts"
  | "combine"
  | "diff"
>;

export function sharedActs(place: Place): Shared {
  const { options, folder, at, person } = place;
  return {
    kind: options.kind,
    folder,
    at,
    view: viewOf(options, folder, person),
    keep: async (name, tree, base) => keepWork(place, name, tree, base),
    kept: (name) => readKept(place, name),
    changes: (before, after) => readChanges(place, before, after),
    entries: (tree, paths) => readEntries(place, tree, paths),
    find: (tree, isWanted) => findEntries(place, tree, isWanted),
    texts: (tree, paths) => readTexts(place, tree, paths),
    combine: (base, ours, theirs) => combineByContent(place, base, ours, theirs),
    diff: (before, after, paths) => readDiff(place, before, after, paths),
  };
}
