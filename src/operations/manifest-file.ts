// A manifest as the operations need it: found on disk, read, checked, with its place in the work tree; and that of a
// project, the person's file and what was read of it last.
import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { shellWord } from "../core/written/commands.ts";
import { StintError } from "../core/stint-error.ts";
import { type ManifestReader, readManifest } from "../manifest/read-manifest.ts";
import { findRepository, type Repository } from "../store/repository.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { treeFiles } from "../engine/base/tree-files.ts";
import { normaliseManifest } from "../manifest/normalise-manifest.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import type { Plan } from "../manifest/plan.ts";
import type { RegistryEntry, Store } from "../store/store.ts";

export interface ManifestFile {
  readonly repository: Repository;
  /** Relative to the work tree, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Finds and reads a manifest. A link is followed: the project belongs to the real file. */
export function openManifest(cwd: string, named: string): ManifestFile {
  const absolute = realPath(resolve(cwd, named), named);
  const repository = findRepository(dirname(absolute));
  const text = readManifest(named, readerOf(absolute));
  const root = realpathSync(repository.root);
  const path = relative(root, absolute).split(sep).join("/");
  return { repository: { ...repository, root }, path, text };
}

function readerOf(absolute: string): ManifestReader {
  return {
    stat() {
      const facts = statSync(absolute);
      return { isFile: facts.isFile(), isDirectory: facts.isDirectory(), size: facts.size };
    },
    read(_path, maxBytes) {
      const fd = openSync(absolute, "r");
      try {
        const bytes = Buffer.alloc(Math.min(maxBytes, statSync(absolute).size + 1));
        let filled = 0;
        for (;;) {
          const got = readSync(fd, bytes, filled, bytes.length - filled, filled);
          filled += got;
          if (got === 0 || filled === bytes.length) return bytes.subarray(0, filled);
        }
      } finally {
        closeSync(fd);
      }
    },
  };
}

function realPath(absolute: string, named: string): string {
  try {
    return realpathSync(absolute);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new StintError(
        "bad-input",
        `there is no file ${named} (looked at ${absolute})`,
        `See what is there: ls ${shellWord(dirname(named))}; a manifest to start from: stint new --help`,
        { cause },
      );
    }
    throw new StintError(
      "bad-input",
      `${named} cannot be read (${code})`,
      `ls -l ${shellWord(named)}`,
      {
        cause,
      },
    );
  }
}

export function stemOf(path: string): string {
  return basename(path).replace(/\.[^.]+$/, "");
}

export function checkoutOf({ root, manifest, folder: projectFolder }: RegistryEntry) {
  return treeFiles({ root, manifest, projectFolder });
}

/** As the text says it that the state holds by. */
export function writtenPlan(store: Store, { project_id, manifest }: ProjectState): Plan {
  return planIn(store.manifestText(project_id, manifest.digest));
}

export function planIn(text: string): Plan {
  return normaliseManifest(parseManifest(text)).plan;
}
