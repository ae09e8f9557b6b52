// Walls around a child: what of the person's machine it may change, and what it does not see. Made anew for every child
// from the places that are there now; only a namespace can hold them.
//
// A place that lies below another writable one is never looked up: a session could have put a link there, and it would
// lead the next one out.
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { isWithin } from "../../core/files.ts";
import { refusedWrite } from "../../core/words/refused-write.ts";
import { placeBelow, type ProtectSettings } from "../../core/written/protect.ts";
import {
  cachePlaces,
  secretPlaces,
  type StatePlace,
  TOKEN_FILES,
  withoutTokens,
} from "../../core/written/wall-places.ts";
import { whichProgram } from "../find-program.ts";
import type { Mount, View } from "./view.ts";

export interface WallsInput extends Pick<ProtectSettings, "writable" | "show"> {
  readonly protect: "home" | "strict";
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders that stay writable whatever is in them; absent: those of the system. */
  readonly temporary?: readonly string[];
  /** Never shown, whatever a person wants shown. */
  readonly never: readonly string[];
  /** A folder for copies of files that are shown without their tokens. */
  readonly copies: string;
}

/** Beside what every child of a run may change. */
export interface Own {
  readonly folders?: readonly string[];
  readonly state?: readonly StatePlace[];
}

export interface Walls {
  /** What one child sees. */
  readonly around: (view: View, own?: Own) => View;
  /** What a failure was that it printed: a write which was refused, and what allows it. Null where it was none. */
  readonly refusal: (output: string, workTree: string) => string | null;
  /** What cannot be written behind them, in words; null where there are none. */
  readonly cannotWrite: string | null;
}

export const NO_WALLS: Walls = {
  around: (view) => view,
  refusal: () => null,
  cannotWrite: null,
};

export function wallsOf(input: WallsInput): Walls {
  const { protect, env } = input;
  return {
    around(view, own = {}) {
      const places = placesNow(input, own);
      return {
        ...view,
        hide: [...view.hide, ...places.hide],
        cover: places.cover,
        mounts: [...places.mounts, ...view.mounts],
        writable: places.writable,
      };
    },
    refusal: (output, workTree) => refusedWrite(output, { protect, home: homeOf(env), workTree }),
    cannotWrite: CANNOT_WRITE,
  };
}

const CANNOT_WRITE =
  "everything outside the repository but temporary folders and caches of package managers";

export interface WallPlaces {
  readonly writable: readonly string[];
  readonly hide: readonly string[];
  readonly cover: readonly string[];
  readonly mounts: readonly Mount[];
}

/** The real places on this machine, now. Folders that a tool or the agent needs are made. */
export function placesNow(input: WallsInput, { folders = [], state = [] }: Own = {}): WallPlaces {
  const { env, protect, never } = input;
  const home = homeOf(env);
  const isStrict = protect === "strict";
  const caches = cachePlaces(home, env).filter(({ isInstalled }) => !isStrict || !isInstalled);
  const wanted: { readonly path: string; readonly make?: (path: string) => void }[] = [
    ...(input.temporary ?? temporaryFolders(env, home)).map((path) => ({ path })),
    ...folders.map((path) => ({ path })),
    ...input.writable.map((path) => ({ path: placeBelow(home, path), make: makeWanted })),
    ...(isStrict ? [] : caches).map(({ path, program }) => ({ path, make: makeFor(program, env) })),
    ...state.map((each) => ({
      path: statePath(each, home, env),
      make: (path: string) => makeState(each, path),
    })),
  ];
  const outermost = wanted.filter(
    ({ path }) => !wanted.some((each) => each.path !== path && isWithin(path, each.path)),
  );
  for (const { path, make } of outermost) make?.(path);
  const writable = reallyThere(outermost.map(({ path }) => path));
  const open = [home, ...writable, ...folders];
  const shown = reallyThere(input.show.map((path) => placeBelow(home, path))).filter(
    (path) => !never.some((folder) => isWithin(path, realOf(folder) ?? folder)),
  );
  const secrets = secretPlaces(homesOf(env), env, process.getuid?.() ?? 0);
  const hidden = reallyThere(secrets)
    .filter((path) => !shown.some((each) => isWithin(path, each)))
    // A variable may name a folder that everything is in.
    .filter((path) => !open.some((folder) => isWithin(folder, path)));
  const isFolder = (path: string): boolean => lstatSync(path).isDirectory();
  const empty = isStrict ? reallyThere(caches.map(({ path }) => path)).filter(isFolder) : [];
  const hide = [...hidden.filter(isFolder), ...empty];
  const inHidden = (path: string): boolean => hide.some((folder) => isWithin(path, folder));
  const installed = cachePlaces(home, env).filter(({ isInstalled }) => isInstalled);
  const seen = [...shown, ...(isStrict ? reallyThere(installed.map(({ path }) => path)) : [])];
  return {
    writable: writable.filter((path) => !hide.includes(path)),
    hide,
    cover: hidden.filter((path) => !isFolder(path)),
    mounts: [
      ...seen.filter(inHidden).map(shownAsItIs),
      ...withoutTheirTokens(input, home, shown).filter(({ at }) => !inHidden(at)),
    ],
  };
}

function shownAsItIs(path: string): Mount {
  return { from: path, at: path, mode: "read-only", isOptional: true };
}

/** Where a person's own files are: by the variable, else by the user. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  const set = env["HOME"];
  return set?.startsWith("/") === true ? set : homeOfUser();
}

/** A session may be started with another home; what is secret in the user's own is secret still. */
function homesOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return [...new Set([homeOf(env), homeOfUser()])];
}

function homeOfUser(): string {
  try {
    return userInfo().homedir || "/";
  } catch {
    return "/";
  }
}

function temporaryFolders(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string[] {
  const named = [env["TMPDIR"] ?? "", tmpdir()].filter(
    (path) => path.startsWith("/") && path !== "/" && realOf(path) !== realOf(home),
  );
  return ["/tmp", "/var/tmp", ...named];
}

function makeFor(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): (path: string) => void {
  return (path) => {
    if (isThere(path) || whichProgram(program, env["PATH"]) === undefined) return;
    makeFolder(path);
  };
}

/** Who wants it writable wants it to be there. */
function makeWanted(path: string): void {
  if (!isThere(path)) makeFolder(path);
}

function statePath(
  { path, variable, below = "" }: StatePlace,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const set = variable === undefined ? undefined : env[variable];
  return set?.startsWith("/") === true ? join(set, below) : placeBelow(home, path);
}

function makeState({ text, isOptional }: StatePlace, path: string): void {
  if (isThere(path) || isOptional === true) return;
  if (text === undefined) {
    makeFolder(path);
    return;
  }
  makeFolder(dirname(path));
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  } catch {
    // Somebody else made it, or nobody may; then the agent says so.
  }
}

/** Where it cannot be made, whoever needs it says so. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // A read-only home, or a file in its place.
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function reallyThere(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => realOf(path) ?? []))];
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Copies of files that hold settings and tokens, without the tokens. */
function withoutTheirTokens(
  { env, copies }: WallsInput,
  home: string,
  shown: readonly string[],
): Mount[] {
  return TOKEN_FILES.flatMap(({ path, token }): Mount[] => {
    const at = realOf(path === "~/.npmrc" ? npmSettings(env, home) : placeBelow(home, path));
    if (at === undefined || shown.some((each) => isWithin(at, each))) return [];
    const text = textOf(at);
    const left = text === undefined ? null : withoutTokens(text, token);
    if (left === null) return [];
    const from = join(copies, basename(at));
    keepCopy(from, left);
    return [{ from, at, mode: "read-only", isOptional: true }];
  });
}

/** Whole at any time: another child may be started with it now. */
function keepCopy(path: string, text: string): void {
  if (textOf(path) === text) return;
  makeFolder(dirname(path));
  const next = `${path}.${process.pid}`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, path);
}

function npmSettings(env: Readonly<Record<string, string | undefined>>, home: string): string {
  return env["npm_config_userconfig"] ?? join(home, ".npmrc");
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
