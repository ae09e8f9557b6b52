// Finds what a browser check needs without starting or loading any of it: the driver (playwright-core)
// and a Chromium. Neither comes with Stint; most projects never need them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { whichProgram } from "../process/find-program.ts";
import type { BrowserSource } from "./page-check.ts";

export interface BrowserSought {
  /** `browser:` of the settings. */
  readonly configured: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The work tree. */
  readonly root: string;
  /** A file of Stint itself: what is installed beside it counts before what the project installed. */
  readonly own: string;
}

export type BrowserFound =
  | { readonly found: true; readonly driver: string; readonly browser: BrowserSource }
  | { readonly found: false; readonly why: string; readonly hint: string };

const DRIVERS = ["playwright-core", "playwright"];
const PACKED = "@sparticuz/chromium";
const PROGRAMS = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

export function findBrowser(sought: BrowserSought): BrowserFound {
  const driver = first(DRIVERS, (name) => resolvePackage(name, sought));
  if (driver === undefined) {
    return {
      found: false,
      why: "playwright-core is not installed, neither next to Stint nor in the project",
      hint: "npm install --save-dev playwright-core",
    };
  }
  const browser = findChromium(sought);
  return "found" in browser ? browser : { found: true, driver, browser };
}

function findChromium(
  sought: BrowserSought,
): BrowserSource | Extract<BrowserFound, { found: false }> {
  const { configured, env, root } = sought;
  for (const [from, named] of [
    ["browser: of the settings", configured],
    ["CHROME_PATH", env["CHROME_PATH"]],
  ] as const) {
    if (named === undefined || named === "") continue;
    const path = programAt(named.includes("/") ? resolve(root, named) : named, env["PATH"]);
    if (path !== undefined) return { kind: "program", path };
    return {
      found: false,
      why: `${from} names ${named}, which is not a program`,
      hint: `name an existing Chromium, or leave ${from.split(" ")[0]} out`,
    };
  }
  const program = first(PROGRAMS, (name) => programAt(name, env["PATH"]));
  if (program !== undefined) return { kind: "program", path: program };
  if (hasDownloaded(env)) return { kind: "playwright" };
  const packed = resolvePackage(PACKED, sought);
  const cache = cacheFolder(env);
  if (packed !== undefined && cache !== undefined) {
    const unpackTo = join(cache, "stint", `chromium-${versionOf(packed)}`);
    return { kind: "package", path: packed, unpackTo };
  }
  return {
    found: false,
    why: "there is no Chromium on this machine",
    hint:
      "install one (apt install chromium, dnf install chromium, brew install --cask chromium), " +
      `or npm install --save-dev ${PACKED}, or set browser: in stint.config.yaml`,
  };
}

function programAt(name: string, path: string | undefined): string | undefined {
  // A name with a folder in it is looked for nowhere else.
  return isAbsolute(name) ? whichProgram(name.slice(1), "/") : whichProgram(name, path);
}

function resolvePackage(name: string, { own, root }: BrowserSought): string | undefined {
  for (const from of [own, join(root, "package.json")]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // Not there; the next place may have it.
    }
  }
  return undefined;
}

/** What `npx playwright install chromium` leaves; which of them is right the driver knows. */
function hasDownloaded(env: BrowserSought["env"]): boolean {
  const cache = cacheFolder(env);
  const home = env["HOME"];
  const folders = [
    env["PLAYWRIGHT_BROWSERS_PATH"],
    ...(cache === undefined ? [] : [join(cache, "ms-playwright")]),
    ...(home === undefined ? [] : [join(home, "Library", "Caches", "ms-playwright")]),
  ];
  return folders.some(
    (folder) =>
      folder !== undefined &&
      existsSync(folder) &&
      readdirSync(folder).some((name) => name.startsWith("chromium")),
  );
}

function cacheFolder(env: BrowserSought["env"]): string | undefined {
  const { XDG_CACHE_HOME: cache, HOME: home } = env;
  if (cache !== undefined && isAbsolute(cache)) return cache;
  return home !== undefined && isAbsolute(home) ? join(home, ".cache") : undefined;
}

function versionOf(main: string): string {
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    if (name === PACKED && typeof version === "string") return version.replace(/[^\w.-]/g, "_");
  }
  return "unknown";
}

function first<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
