// What a client may read of a project: its manifest as Stint knows it, and the files of the project folder, as they are
// kept there. In a session those of its own project, outside those of any project that is known here. Reads only, follows
// no link, and says where a text was cut.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { parseProjectId } from "../core/ids.ts";
import { StintError } from "../core/stint-error.ts";
import { projectOfSession } from "../operations/in-session.ts";
import { list } from "../operations/status.ts";
import type { System } from "../operations/system.ts";
import type { Place } from "./tools.ts";

/** More than this is of no use to a model. */
export const MOST_BYTES = 200_000;

/** By their names in a uri: what they hold, and their type. */
export const RESOURCES = {
  "manifest.md": ["The manifest, as Stint last adopted it", "text/markdown"],
  "state.json": ["How far the project is", "application/json"],
  "validation.md": ["Every check that was run, and its result", "text/markdown"],
  "handoff.md": ["What the next session must know", "text/markdown"],
} as const satisfies Readonly<Record<string, readonly [what: string, mimeType: string]>>;

type Name = keyof typeof RESOURCES;

export interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

export const TEMPLATE = "stint://project/{id}/{file}";

/** Those of the session's project, or of every project of this work tree. */
export function listResources(place: Place, system: System): readonly Listed[] {
  return idsHere(place, system).flatMap((id) =>
    (Object.keys(RESOURCES) as Name[]).map((file) => ({
      uri: `stint://project/${id}/${file}`,
      name: `${id}/${file}`,
      description: RESOURCES[file][0],
      mimeType: RESOURCES[file][1],
    })),
  );
}

function idsHere(place: Place, system: System): readonly string[] {
  if (place === "session") return [projectOfSession(system.env).state.project_id];
  const isHere = (root: string): boolean => `${system.cwd}/`.startsWith(`${root}/`);
  return list(system)
    .projects.filter(({ root }) => isHere(root))
    .map(({ id }) => id);
}

/** @throws StintError where there is no such text */
export function readResource(
  place: Place,
  system: System,
  { id, file }: { readonly id: string; readonly file: string },
): { readonly text: string; readonly mimeType: string } {
  const name = (Object.keys(RESOURCES) as Name[]).find((each) => each === file);
  if (name === undefined) {
    throw new StintError(
      "not-found",
      `there is no ${file.slice(0, 40)} to read`,
      `Use one of ${Object.keys(RESOURCES).join(", ")}`,
    );
  }
  const text = place === "session" ? ofSession(system, id, name) : ofProject(system, id, name);
  return { text, mimeType: RESOURCES[name][1] };
}

function ofSession({ env }: System, id: string, name: Name): string {
  const { folder, state, manifest } = projectOfSession(env);
  if (id !== state.project_id) throw noProject(id, `this is a session of ${state.project_id}`);
  // A session sees its own copy of the manifest, and edits of it are proposals.
  return readBounded(name === "manifest.md" ? (manifest ?? folder) : join(folder, name));
}

function ofProject({ store }: System, id: string, name: Name): string {
  const parsed = parseProjectId(id);
  const entry = parsed === undefined ? undefined : store.find(parsed);
  if (parsed === undefined || entry === undefined) {
    throw noProject(id, "it is not the id of a known project");
  }
  if (name !== "manifest.md") return readBounded(join(entry.root, entry.folder, name));
  const { state } = store.read(parsed);
  return bounded(Buffer.from(store.manifestText(parsed, state.manifest.digest)), entry.manifest);
}

function noProject(id: string, why: string): StintError {
  return new StintError(
    "not-found",
    `there is no project ${id.slice(0, 40)}: ${why}`,
    "See all of them: the list of resources, or stint list",
  );
}

function readBounded(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new StintError("not-found", `${path} cannot be read`, "Nothing was written there yet.", {
      cause,
    });
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw new StintError("not-found", `${path} is not a file`, "stint doctor");
    const bytes = Buffer.alloc(Math.min(facts.size, MOST_BYTES + 1));
    const length = readSync(fd, bytes, 0, bytes.length, 0);
    return bounded(bytes.subarray(0, length), path, facts.size);
  } finally {
    closeSync(fd);
  }
}

function bounded(bytes: Buffer, path: string, size = bytes.length): string {
  if (size <= MOST_BYTES) return bytes.toString("utf8");
  const kept = bytes.subarray(0, MOST_BYTES).toString("utf8");
  return `${kept}\n\n[cut: ${MOST_BYTES} of ${size} bytes; the whole is ${path}]\n`;
}
