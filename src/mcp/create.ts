// The tool that creates a project: from a manifest below the current folder, or from a text that becomes that file. It
// refuses all that `stint lint` refuses, and then leaves no file behind; it consents to nothing.
import { lstatSync, realpathSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { NewView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { ManifestRefused } from "../operations/faults.ts";
import { lint } from "../operations/lint.ts";
import { newProject } from "../operations/new-project.ts";
import type { System } from "../operations/system.ts";

interface CreateInput {
  readonly manifest: string;
  readonly text?: string | undefined;
}

export async function createFromTool(
  system: System,
  { manifest, text }: CreateInput,
): Promise<NewView> {
  const path = placeBelow(system.cwd, manifest);
  if (text === undefined) return await createChecked(system, path);
  writeNew(path, manifest, text);
  try {
    return await createChecked(system, path);
  } catch (error) {
    unlinkSync(path);
    throw error;
  }
}

async function createChecked(system: System, path: string): Promise<NewView> {
  const named = relative(realpathSync(system.cwd), path);
  const { files } = await lint(system, { manifests: [named] });
  const problems = files.flatMap((file) => file.problems);
  const isWrong = files.some(({ errors }) => errors > 0);
  if (isWrong) throw new ManifestRefused(named, problems);
  return await newProject(system, { manifest: named });
}

/** @throws for a path that leads out of the folder, also by a link */
function placeBelow(cwd: string, named: string): string {
  const base = realpathSync(cwd);
  const path = resolve(base, named);
  let folder: string;
  try {
    folder = realpathSync(dirname(path));
  } catch {
    throw new StintError(
      "bad-input",
      `there is no folder ${dirname(named)} below ${base}`,
      "Name a Markdown file in a folder that exists: prompt.md",
    );
  }
  const place = join(folder, basename(path));
  const below = relative(base, place);
  const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (below !== "" && !below.startsWith("..") && !isAbsolute(below) && !isLink) return place;
  throw new StintError(
    "refused",
    `${named.slice(0, 200)} ${isLink ? "is a link" : "is not below"}${isLink ? "" : ` ${base}`}`,
    "Name a Markdown file below the current folder: prompt.md",
  );
}

function writeNew(path: string, named: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StintError(
      "bad-input",
      code === "EEXIST"
        ? `${named} exists already and was left as it is`
        : `${named} cannot be written (${code})`,
      code === "EEXIST"
        ? "Leave out text to create the project from the file as it is, or name another file."
        : "Name a Markdown file below the current folder: prompt.md",
      { cause },
    );
  }
}
