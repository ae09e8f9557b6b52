// Opens a workspace of either kind behind the one port.
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { isWithin } from "../core/files.ts";
import { findPersonRepository } from "./base/person-repository.ts";
import { newPlace, type WorkspaceOptions } from "./base/place.ts";
import { inPlace } from "./in-place.ts";
import { ownCopy } from "./own-copy.ts";
import type { Workspace } from "./workspace.ts";
import { ownerOf } from "./workspace-folders.ts";
import { isThere } from "../process/look-at.ts";

export type { WorkspaceOptions } from "./base/place.ts";

/** Nothing is made or asked before `open`. */
export function openWorkspace(options: WorkspaceOptions): Workspace {
  const { kind, home, checkout } = options;
  const folder = kind === "own-copy" ? join(home, "tree") : checkout;
  const ownPaths = [...options.ownPaths, ...stateBelow(options)];
  const place = newPlace({ ...options, ownPaths }, folder, findPersonRepository(checkout));
  return kind === "own-copy" ? ownCopy(place) : inPlace(place);
}

/** Stint's state may be inside the folder that a person works in: it changes with every act, and is no work. */
function stateBelow({ kind, checkout, home, owner }: WorkspaceOptions): readonly string[] {
  if (kind === "own-copy") return [];
  const folders = [home, owner ?? ownerOf(home) ?? home].map((folder) =>
    isThere(folder) ? realpathSync(folder) : folder,
  );
  const inside = folders.filter((folder) => folder !== checkout && isWithin(folder, checkout));
  return [...new Set(inside)].map((folder) => relative(checkout, folder));
}

export interface Remembered {
  readonly space: Workspace;
  /** The tree that was laid or captured last. */
  readonly laidTree: () => string;
  /** Something is about to run that may change files. */
  readonly touched: () => void;
}

/** Only so many answers are remembered. */
const MOST = 64;

/**
 * A workspace that asks git nothing twice: trees never change, and files that nothing has touched since they were
 * laid or captured are as they were.
 */
export function remembered(space: Workspace): Remembered {
  let tree = "unknown";
  let isClean = false;
  const settled = (now: string): void => {
    tree = now;
    isClean = true;
  };
  return {
    laidTree: () => tree,
    touched() {
      isClean = false;
    },
    space: {
      ...space,
      changes: remember((before: string, after: string) => space.changes(before, after)),
      entries: remember((at: string, paths: readonly string[]) => space.entries(at, paths)),
      texts: remember((at: string, paths: readonly string[]) => space.texts(at, paths)),
      async lay(wanted) {
        if (isClean && wanted === tree) return [];
        isClean = false;
        const touched = await space.lay(wanted);
        settled(wanted);
        return touched;
      },
      async capture() {
        const captured = await space.capture();
        if (captured.kind === "captured") settled(captured.tree);
        return captured;
      },
      async beforePush(push) {
        isClean = false;
        return await space.beforePush(push);
      },
      async commit(request) {
        const isAsVerified = isClean && tree === request.tree;
        // Hooks lay and change files.
        isClean = false;
        const committed = await space.commit(request);
        const laid = committed.kind === "committed" ? committed.laid : undefined;
        if (isAsVerified && laid !== undefined) settled(laid);
        return committed;
      },
    },
  };
}

function remember<A extends readonly unknown[], T>(
  ask: (...question: A) => Promise<T>,
): (...question: A) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return async (...question) => {
    const key = JSON.stringify(question);
    let answer = known.get(key);
    if (answer === undefined) {
      if (known.size >= MOST) known.clear();
      answer = ask(...question);
      known.set(key, answer);
      answer.catch(() => known.delete(key));
    }
    return await answer;
  };
}
