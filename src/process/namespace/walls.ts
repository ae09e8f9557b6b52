// Walls around a child: what of the person's machine it may change, and what it does not see. Made anew for every child
// from the places that are there now; only a namespace can hold them.
//
// A place that lies below another writable one is never looked up: a session could have put a link there, and it would
// lead the next one out.
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { isWithin } from "../../core/files.ts";
import { refusedSocket, refusedWrite } from "../../core/words/refused-write.ts";
import { placeBelow, type ProtectSettings } from "../../core/written/protect.ts";
import {
  cachePlaces,
  secretPlaces,
  type StatePlace,
  tokenFiles,
  withoutTokens,
} from "../../core/written/wall-places.ts";
import { whichProgram } from "../find-program.ts";
import { listeningBelow } from "./listening-sockets.ts";
import { openPlaces, pins, type Wanted } from "./open-places.ts";
import { realPlace } from "./real-place.ts";
import { type Mount, PLAIN_VIEW, type View } from "./view.ts";
import { lookAt } from "../look-at.ts";

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
      const { hide, mounts, ...rest } = placesNow(input, own, view);
      return {
        ...view,
        ...rest,
        hide: [...view.hide, ...hide],
        mounts: [...mounts, ...view.mounts],
      };
    },
    refusal(output, workTree) {
      const refusing = { protect, home: homeOf(env), workTree, isThere };
      const sockets = (): string[] => hiddenSockets(input);
      return refusedWrite(output, refusing) ?? refusedSocket(output, sockets, refusing);
    },
    cannotWrite: CANNOT_WRITE,
  };
}

const CANNOT_WRITE =
  "outside the repository you can write only to temporary folders and caches of package managers";

export interface WallPlaces {
  readonly writable: readonly string[];
  readonly pinned: readonly string[];
  readonly locked: readonly string[];
  readonly hide: readonly string[];
  readonly cover: readonly string[];
  readonly mounts: readonly Mount[];
}

/** The real places on this machine, now. Folders that a tool or the agent needs are made. */
export function placesNow(
  input: WallsInput,
  { folders = [], state = [] }: Own = {},
  view: View = PLAIN_VIEW,
): WallPlaces {
  const { env, protect, never } = input;
  const home = homeOf(env);
  const isStrict = protect === "strict";
  const homes = homesOf(env);
  const isOwn = (path: string): boolean =>
    never.some((folder) => isWithin(path, realPlace(folder) ?? folder));
  const caches = cachePlaces(home, env).filter(({ isInstalled }) => !isStrict || !isInstalled);
  const cacheNow = caches.map(({ path, program }) => tool(path, makeFor(program, env)));
  const wanted: readonly Wanted[] = [
    ...temporaryOf(input).map((path) => as("temporary", path)),
    ...folders.map((path) => as("named", path)),
    ...input.writable.map((path) => as("named", placeBelow(home, path), makeWanted)),
    ...cacheNow.map((each) => ({ ...each, isShut: isStrict })),
    ...state.map((each) => tool(statePath(each, home, env), (path) => makeState(each, path))),
  ];
  const open = openPlaces(wanted, homes);
  const shown = shownOf(input).filter((path) => !isOwn(path));
  const isShown = (path: string): boolean => shown.some((each) => isWithin(path, each));
  const hidden = reallyThere(secretPlaces(homes, env, process.getuid?.() ?? 0))
    .filter((path) => !isShown(path))
    // A variable may name a folder that everything is in.
    .filter((path) => !homes.some((each) => isWithin(each, path)));
  const empty = isStrict
    ? openPlaces(
        cacheNow.map(({ path }) => tool(path)),
        homes,
      ).writable
    : [];
  const hide = [...hidden, ...empty]
    .filter(isFolder)
    // Who wants it writable wants it to be seen.
    .filter((path) => !open.named.includes(path));
  const inHidden = (path: string): boolean => hide.some((folder) => isWithin(path, folder));
  const writable = open.writable.filter((path) => !hide.includes(path) && !isOwn(path));
  const installed = cachePlaces(home, env).filter(({ isInstalled }) => isInstalled);
  const seen = [...shown, ...(isStrict ? reallyThere(installed.map(({ path }) => path)) : [])];
  const locked = [...open.locked, ...seen.filter(inHidden)];
  const others = hiddenSockets(input).filter(
    (path) => !folders.some((folder) => isWithin(path, folder)),
  );
  const cover = [...hidden.filter((path) => !isFolder(path)), ...others].filter(
    (path) => !open.named.includes(path),
  );
  const allHidden = [...hide, ...reallyThere(view.hide)];
  const mounted = outermost([...folders, ...view.mounts.map(({ at }) => at)]);
  const held = [...allHidden, ...cover, ...locked, ...mounted];
  return {
    writable,
    pinned: pins({ writable, locked, hide: allHidden }, held),
    locked,
    hide,
    cover,
    mounts: withoutTheirTokens(input, home, shown).filter(({ at }) => !inHidden(at)),
  };
}

function outermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((each) => each !== path && isWithin(path, each)));
}

function as(by: Wanted["by"], path: string, make?: (path: string) => void): Wanted {
  return { by, path, ...(make !== undefined && { make }) };
}

function tool(path: string, make?: (path: string) => void): Wanted {
  return as("tool", path, make);
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true;
}

/** Where a person's own files are: by the variable, else by the user. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  const set = env["HOME"];
  return set?.startsWith("/") === true ? set : homeOfUser();
}

/**
 * A session may be started with another home; what is secret in the user's own is secret still. As they are written, and
 * as they really are.
 */
function homesOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const written = [homeOf(env), homeOfUser()];
  return [...new Set([...written, ...reallyThere(written)])];
}

function homeOfUser(): string {
  try {
    return userInfo().homedir || "/";
  } catch {
    return "/";
  }
}

/** Of other programs: in temporary folders and in homes, unless a person shows them. */
function hiddenSockets(input: WallsInput): string[] {
  const homes = homesOf(input.env).filter((home) => home !== "/");
  const shown = shownOf(input);
  return listeningBelow(reallyThere([...temporaryOf(input), ...homes])).filter(
    (path) => !shown.some((each) => isWithin(path, each)),
  );
}

function shownOf({ show, env }: WallsInput): string[] {
  return reallyThere(show.map((path) => placeBelow(homeOf(env), path)));
}

function temporaryOf({ temporary, env }: WallsInput): readonly string[] {
  if (temporary !== undefined) return temporary;
  const home = homeOf(env);
  const named = [env["TMPDIR"] ?? "", tmpdir()].filter(
    (path) => path.startsWith("/") && path !== "/" && realPlace(path) !== realPlace(home),
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
  return lookAt(path) !== undefined;
}

function reallyThere(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => realPlace(path) ?? []))];
}

/** Copies of files that hold settings and tokens, without the tokens. */
function withoutTheirTokens(
  { env, copies }: WallsInput,
  home: string,
  shown: readonly string[],
): Mount[] {
  const files = new Map(
    tokenFiles(home, env).flatMap(({ path, token }) => {
      const at = realPlace(path);
      return at === undefined ? [] : [[at, token] as const];
    }),
  );
  return [...files].flatMap(([at, token], index): Mount[] => {
    if (shown.some((each) => isWithin(at, each))) return [];
    const text = textOf(at);
    const left = text === undefined ? null : withoutTokens(text, token);
    if (left === null) return [];
    makeFolder(copies);
    // A mount is not led by a link.
    const from = join(realpathSync(copies), `${index}-${basename(at)}`);
    keepCopy(from, left);
    return [{ from, at, mode: "read-only", isOptional: true }];
  });
}

/** Whole at any time: another child may be started with it now. */
function keepCopy(path: string, text: string): void {
  if (textOf(path) === text) return;
  const next = `${path}.${process.pid}`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, path);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
