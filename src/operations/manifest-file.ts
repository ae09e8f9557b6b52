// A manifest as the operations need it: found on disk, read, checked, with its place in the work tree; and that of a
// project, the person's file and what was read of it last.
import {
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { shellWord } from "../core/written/commands.ts";
import { StintError } from "../core/stint-error.ts";
import { errnoOf, ofFile } from "../core/words/system-error.ts";
import { type ManifestReader, readManifest } from "../manifest/read-manifest.ts";
import { findRepository, gitFolderAround, type Repository } from "../store/repository.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { ReadText } from "../core/written/scripts-called.ts";
import { textsIn, treeFiles } from "../engine/base/tree-files.ts";
import { normaliseManifest } from "../manifest/normalise-manifest.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import { frontMatterOf } from "../manifest/settings.ts";
import type { Plan } from "../manifest/plan.ts";
import type { RegistryEntry, Store } from "../store/store.ts";

/** The name that `init` gives, and that is looked for where none is named. */
export const USUAL_MANIFEST = "prompt.md";

export interface ManifestFile {
  readonly repository: Repository;
  /** Relative to the work tree, with forward slashes; one that lies outside of it leads up. */
  readonly path: string;
  readonly text: string;
  /** What the project is called by it: the name of the workflow or iteration, or that of the file. */
  readonly name: string;
}

/**
 * Finds and reads a manifest. A link is followed: the project belongs to the real file. It belongs to the work tree
 * that it names, to the one that is named for it, or to the one that it lies in.
 * @param dir a folder of the work tree, as it was typed
 */
export function openManifest(cwd: string, named: string, dir?: string): ManifestFile {
  assertFileName(named);
  const absolute = realPath(resolve(cwd, named), named);
  const text = readManifest(named, readerOf(absolute));
  const { parent, repository: about, workflow, iteration } = frontMatterOf(text);
  if (typeof parent === "string") throw belongsTo(named, parent);
  const typed = dir === undefined ? undefined : typedWorkTree(cwd, dir);
  if (typeof about !== "string" && typed === undefined) {
    assertNotInGitFolder(named, dirname(absolute));
  }
  const repository =
    typeof about === "string"
      ? namedRepository(named, about)
      : (typed ?? findRepository(dirname(absolute)));
  const root = realpathSync(repository.root);
  if (typed !== undefined && typed.root !== root) throw twoWorkTrees(named, root, String(dir));
  const path = relative(root, absolute).split(sep).join("/");
  const name = [workflow, iteration, stemOf(path)].find((each) => typeof each === "string");
  return { repository: { ...repository, root }, path, text, name: String(name) };
}

/** What names no file at all, before it is taken for the current folder or a project. */
export function assertFileName(named: string): void {
  if (named !== "" && named !== "-") return;
  throw new StintError(
    "bad-input",
    named === "" ? "the name of the manifest is empty" : "stdin is not read as a manifest",
    "Name a Markdown file, such as prompt.md",
  );
}

function namedRepository(named: string, about: string): Repository {
  const real = realPathIfThere(about);
  const found = real === undefined ? undefined : findRepository(real);
  if (found !== undefined && found.gitFolder !== null && found.root === real) return found;
  const what =
    real === undefined
      ? "there is no such folder"
      : found?.gitFolder === null
        ? "that is not a git repository"
        : "that is not the root of its work tree";
  const root = found?.gitFolder === null ? undefined : found?.root;
  throw new StintError(
    "bad-input",
    `${named} says that it is about the repository ${about}, and ${what}`,
    `Write the root of a work tree, as git rev-parse --show-toplevel prints it there: repository: ${root ?? "/home/ada/shop"}`,
  );
}

/** A folder without git is a work tree too, where somebody says so: then nothing is committed. */
function typedWorkTree(cwd: string, dir: string): Repository {
  const real = realPathIfThere(resolve(cwd, dir));
  if (real !== undefined && statSync(real).isDirectory()) {
    assertNotInGitFolder(`--dir ${dir}`, real);
    const found = findRepository(real);
    return { ...found, root: realpathSync(found.root) };
  }
  throw new StintError(
    "bad-input",
    `--dir ${dir}: ${real === undefined ? "there is no such folder" : "that is not a folder"}`,
    "Name the work tree to work in: --dir /home/ada/shop",
  );
}

/** Git keeps a repository there: sessions would work in git's own files. @throws bad-input */
export function assertNotInGitFolder(named: string, folder: string): void {
  const git = gitFolderAround(folder);
  if (git === null) return;
  const isBare = basename(git) !== ".git";
  throw new StintError(
    "bad-input",
    isBare
      ? `${named} is in a bare repository, which has no work tree: ${git}`
      : `${named} is in the folder where git keeps a repository, which is not part of its work tree: ${git}`,
    isBare
      ? `Make a work tree and put the manifest there: git clone ${shellWord(git)} ../work; or: git -C ${shellWord(git)} worktree add ../work`
      : `Put the manifest into the work tree: ${shellWord(dirname(git))}`,
  );
}

function twoWorkTrees(named: string, root: string, dir: string): StintError {
  return new StintError(
    "bad-input",
    `${named} says repository: ${root}, and --dir names ${dir}`,
    "Leave out --dir, or change repository: in the manifest",
  );
}

/** What lies in no repository says nothing about where its work belongs: a folder of notes is no work tree. */
export function inNoRepository(
  cwd: string,
  named: string,
  { folder, verb }: { readonly folder: string; readonly verb: string },
): StintError {
  const here = findRepository(cwd);
  const isHere = here.gitFolder !== null;
  const again = `stint ${verb} ${shellWord(named)} --dir`;
  return new StintError(
    "bad-input",
    `${named} is in no git repository and does not name one`,
    isHere
      ? `Work in the repository you are in: ${again} ${shellWord(here.root)}\nOr write it into the front matter: repository: ${here.root}`
      : `Name the repository: ${again} /home/ada/shop\nOr write it into the front matter: repository: /home/ada/shop\nTo work in this folder without git, where nothing is committed: ${again} ${shellWord(relative(cwd, folder) || ".")}`,
  );
}

/** A page of a child: Stint writes it, and what it tells of is done by the workflow above it. */
function belongsTo(named: string, parent: string): StintError {
  return new StintError(
    "bad-input",
    `${named} is the page of a child workflow: it belongs to ${parent} and cannot be run alone`,
    `Run the workflow that it belongs to: stint run ${shellWord(parent)}`,
  );
}

function realPathIfThere(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function readerOf(absolute: string): ManifestReader {
  return {
    stat() {
      const facts = statSync(absolute);
      return { isFile: facts.isFile(), isDirectory: facts.isDirectory(), size: facts.size };
    },
    markdownIn() {
      const found = readdirSync(absolute, { withFileTypes: true });
      const files = found.filter((each) => each.isFile() && /\.(?:md|markdown)$/iu.test(each.name));
      return files.map(({ name }) => name).toSorted();
    },
    read(_path, maxBytes) {
      const fd = openSync(absolute, "r");
      try {
        const bytes = Buffer.alloc(Math.min(maxBytes, statSync(absolute).size + 1));
        let filled = 0;
        for (;;) {
          const got = ofFile(absolute, () =>
            readSync(fd, bytes, filled, bytes.length - filled, filled),
          );
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
    const facts = statSync(absolute);
    // A pipe has no real path, and is refused for what it is.
    return facts.isFile() || facts.isDirectory() ? realpathSync(absolute) : absolute;
  } catch (cause) {
    throw notReached(absolute, named, cause);
  }
}

/** Why a path leads to no file. @throws what is the system's to tell */
function notReached(absolute: string, named: string, cause: unknown): StintError {
  const errno = errnoOf(cause);
  const look = `See where it leads: ls -l ${shellWord(named)}`;
  const refused = (message: string, hint: string): StintError =>
    new StintError("bad-input", message, hint, { cause });
  if (errno === "ELOOP") {
    return refused(`${named} is a link that leads in a circle, and to no file`, look);
  }
  if (errno !== "ENOENT" && errno !== "ENOTDIR") throw cause;
  const target = linkTarget(absolute);
  if (target !== undefined) {
    return refused(`${named} is a link to ${target}, and there is no such file`, look);
  }
  return refused(
    `there is no file ${named} (looked at ${absolute})`,
    `See what is there: ls ${shellWord(folderThere(absolute, dirname(named)))}; a manifest to start from: stint init`,
  );
}

/** The folder of a file that is not there, or the nearest above it that is. */
function folderThere(absolute: string, named: string): string {
  const folder = dirname(absolute);
  if (named === "." || realPathIfThere(folder) !== undefined) return named;
  return folderThere(folder, dirname(named));
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function stemOf(path: string): string {
  return basename(path).replace(/\.[^.]+$/, "");
}

export function checkoutOf({ root, manifest, folder: projectFolder }: RegistryEntry) {
  return treeFiles({ root, manifest, projectFolder });
}

/** What a script of the checkout does counts like what the manifest says. */
export function scriptsBelow(root: string): ReadText {
  return textsIn(treeFiles({ root, manifest: null, projectFolder: "" }));
}

/** As the text says it that the state holds by. */
export function writtenPlan(store: Store, { project_id, manifest }: ProjectState): Plan {
  return planIn(store.manifestText(project_id, manifest.digest));
}

export function planIn(text: string): Plan {
  return normaliseManifest(parseManifest(text)).plan;
}
