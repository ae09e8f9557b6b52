// The work tree without git: the files alone. That something changed is seen, nothing is committed.
import { hashFolder, UNNAMED_FILES } from "./hash-folder.ts";
import { excludedPaths, treeFiles, type TreePlace } from "./tree-files.ts";
import type { WorkDone, WorkTree } from "./work-tree.ts";

export function plainWorkTree(place: TreePlace): WorkTree {
  const treeHash = async (): Promise<string> => hashFolder(place.root, excludedPaths(place));

  return {
    hasGit: false,
    touched: () => {},
    ...treeFiles(place),
    clearTheWay: async () => ({ kind: "clear" }),
    begin: async () => ({ tree: await treeHash(), head: null, branch: null, ref: null }),
    restore: async () => [],

    async workSince(start): Promise<WorkDone> {
      const tree = await treeHash();
      const paths = tree === start.tree ? [] : [UNNAMED_FILES];
      const counts = { files: 0, newFiles: 0, moves: 0 };
      return { tree, paths, substantial: paths, docs: [], counts };
    },

    treeHash,
    textsAtStart: async () => new Map(),
    commit: async () => ({ kind: "nothing", commit: null }),
    unwelcome: async () => [],
    commitManifest: async () => null,
    park: async () => null,
    startNames: async () => [],
    dropStart: async () => {},
    commitsSince: async () => [],
    announcePush: async () => null,
    push: async () => ({ kind: "not-needed" }),
  };
}
