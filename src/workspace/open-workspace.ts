// Opens a workspace of either kind behind the one port.
import { join } from "node:path";
import { inPlace } from "./in-place.ts";
import { ownCopy } from "./own-copy.ts";
import { gitAt } from "./repository/own-git.ts";
import { findPersonRepository } from "./repository/person-repository.ts";
import type { Place } from "./repository/place.ts";
import { NEW_RECORD } from "./repository/record.ts";
import { atOf } from "./tree/seen-objects.ts";
import type { Workspace } from "./workspace.ts";
import type { WorkspaceOptions } from "./repository/workspace-options.ts";

export type { WorkspaceOptions } from "./repository/workspace-options.ts";

/** Nothing is made or asked before `open`. */
export function openWorkspace(options: WorkspaceOptions): Workspace {
  const { kind, home, checkout, signal } = options;
  const folder = kind === "own-copy" ? join(home, "tree") : checkout;
  const place: Place = {
    options,
    folder,
    at: atOf(options, folder),
    git: gitAt({ gitDir: join(home, "git"), workTree: folder, config: "own", signal }),
    person: findPersonRepository(checkout, signal),
    settings: [],
    record: NEW_RECORD,
    indexTree: null,
    suspects: new Set(),
    tip: null,
    mayConvert: true,
    notes: [],
    ownEntries: null,
  };
  return kind === "own-copy" ? ownCopy(place) : inPlace(place);
}
