// What `doctor` finds out about the machine before it looks at a project: whether the temporary folder and the state
// folder can be written, and what killed processes of ours left in them more than a month ago.
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FindingView } from "../../core/schema/views.ts";
import { errnoOf, noTemporaryFolder, ofFile } from "../../core/words/system-error.ts";
import { isTemp } from "../../store/disk.ts";
import { inTheWayOf, meaningAt, nearest, orHardStop, unwritable } from "../../store/files.ts";
import { faultOf } from "../faults.ts";
import type { System } from "../system.ts";

export function problemOf(error: unknown, where: string): FindingView {
  const { message, hint } = faultOf(error);
  // It has one line; whoever looks again does so anyway.
  const lines = hint.split("\n").filter((line) => !line.startsWith("Then run the same command"));
  return { severity: "problem", what: message, where, fix: lines.join("; ") };
}

/** A run tries its isolation out there, and gives its sessions what they read. */
export function temporaryFolderFinding(): FindingView {
  const where = tmpdir();
  try {
    tryToWrite(realpathSync(where));
    return { severity: "fine", what: "temporary files can be written", where, fix: null };
  } catch (error) {
    return problemOf(noTemporaryFolder(where, error, meaningAt), "TMPDIR");
  }
}

/** One that is not there yet has to be made in the nearest folder that is. */
export function stateHomeFinding({ stateHome: where }: System): FindingView {
  try {
    const at = nearest(where) ?? where;
    if (inTheWayOf(where) !== null) throw unwritable("make the folder", where, "EEXIST");
    orHardStop("write in", at, () => tryToWrite(at));
    const what =
      at === where
        ? "the state folder can be written"
        : `no state folder yet; it can be made in ${at}`;
    return { severity: "fine", what, where, fix: null };
  } catch (error) {
    return problemOf(error, where);
  }
}

/** A file system that is full may still take a few bytes. */
const TRIED_BYTES = 16 * 1024;

/** Nothing that a kill could leave is made: the file has no name. @throws what the system says */
export function tryToWrite(folder: string): void {
  const fd = openNameless(folder);
  if (fd === null) {
    ofFile(folder, () => accessSync(folder, constants.W_OK | constants.X_OK));
    return;
  }
  try {
    ofFile(folder, () => writeSync(fd, Buffer.alloc(TRIED_BYTES, 1)));
  } finally {
    closeSync(fd);
  }
}

/** Linux alone has it, as O_TMPFILE. */
const NAMELESS = 0o20_000_000 | constants.O_DIRECTORY | constants.O_RDWR;
/** How a system, or a file system, says that it has no such files. */
const UNKNOWN = new Set(["EOPNOTSUPP", "EISDIR", "EINVAL"]);

/** Null where there are no files without a name. */
function openNameless(folder: string): number | null {
  if (process.platform !== "linux") return null;
  try {
    return ofFile(folder, () => openSync(folder, NAMELESS, 0o600));
  } catch (error) {
    if (UNKNOWN.has(errnoOf(error) ?? "")) return null;
    throw error;
  }
}

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
const IN_TEMPORARY = /^stint-(?:agents|demo|page|pipe|try)-/;

/** Temporary files of Stint's own that nobody has touched for a month: whoever made them is long gone. */
export function oldTemporaryFiles(
  { stateHome, host }: Pick<System, "stateHome" | "host">,
  projectFolders: readonly string[],
): string[] {
  const isOld = (path: string): boolean => {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    return facts !== undefined && host.nowMs() - facts.mtimeMs > MONTH_MS;
  };
  // What lies in a workspace is a session's, whatever its name.
  const inState = namesIn(stateHome)
    .filter((name) => name !== "workspaces")
    .flatMap((name) =>
      isTemp(name) ? [join(stateHome, name)] : tempsBelow(join(stateHome, name)),
    );
  const inTemporary = namesIn(tmpdir())
    .filter((name) => IN_TEMPORARY.test(name))
    .map((name) => join(tmpdir(), name))
    .filter((path) => isOwn(path));
  return [...inState, ...projectFolders.flatMap(tempsBelow), ...inTemporary].filter(isOld);
}

export function oldTemporaryFinding(
  system: Pick<System, "stateHome" | "host">,
  projectFolders: readonly string[],
  repair: boolean,
): FindingView[] {
  const paths = oldTemporaryFiles(system, projectFolders);
  const [where] = paths;
  if (where === undefined) return [];
  const files = paths.length === 1 ? "1 temporary file" : `${paths.length} temporary files`;
  const what = `${files} of Stint's own, older than a month`;
  if (!repair) return [{ severity: "notice", what, where, fix: "stint doctor --repair" }];
  try {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    return [{ severity: "fine", what: `${what}: removed`, where, fix: null }];
  } catch (error) {
    return [problemOf(error, where)];
  }
}

function tempsBelow(folder: string): string[] {
  return readdirIfPossible(folder).flatMap((each) => {
    const path = join(folder, each.name);
    if (isTemp(each.name)) return [path];
    return each.isDirectory() ? tempsBelow(path) : [];
  });
}

function namesIn(folder: string): string[] {
  return readdirIfPossible(folder).map(({ name }) => name);
}

/** What may not be read holds nothing that could be removed. */
function readdirIfPossible(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** The temporary folder is everybody's. */
function isOwn(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts !== undefined && facts.uid === process.getuid?.();
}
