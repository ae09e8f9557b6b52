// `protect:`, `writable:`, `show:` and `network:` as a person writes them: how much of the machine sessions, checks,
// setup, acts and hooks may change, read and reach.
import { readable, type ReadValue, unreadable } from "./workspace-settings.ts";

/** `home`: everything outside the workspace is read-only, secrets are hidden. `strict`: caches are private as well. */
export const PROTECT_WORDS = ["home", "strict", "off"] as const;
export type Protect = (typeof PROTECT_WORDS)[number];

/** `loopback`: an own network with nothing but loopback. `none`: not even that. */
export const NETWORK_WORDS = ["all", "loopback", "none"] as const;
export type Network = (typeof NETWORK_WORDS)[number];

export interface ProtectSettings {
  readonly protect: Protect;
  /** Absolute, or below `~/`. */
  readonly writable: readonly string[];
  /** Of what is hidden, that which is shown: absolute, or below `~/`. */
  readonly show: readonly string[];
  /** Of checks, setup and sessions of the `command:` kind. */
  readonly network: Network;
}

/** What is written first wins, key by key. */
export function protectSettings(
  ...written: readonly Readonly<Record<string, unknown>>[]
): ProtectSettings {
  const first = (key: string): unknown =>
    written.map((each) => each[key]).find((value) => value !== undefined);
  return {
    protect: PROTECT_WORDS.find((word) => word === first("protect")) ?? "home",
    writable: valuesOf(readWritable(first("writable"))),
    show: valuesOf(readShow(first("show"))),
    network: NETWORK_WORDS.find((word) => word === first("network")) ?? "all",
  };
}

function valuesOf(read: ReadValue<readonly string[]>): readonly string[] {
  return read.ok ? read.value : [];
}

export function readWritable(value: unknown): ReadValue<readonly string[]> {
  const read = readPlaces(value);
  return read.ok && read.value.includes("/")
    ? unreadable('"/" is everything; write protect: off')
    : read;
}

export function readShow(value: unknown): ReadValue<readonly string[]> {
  return readPlaces(value);
}

const EXPECTED = "expected a path, or a list of them, each absolute or below ~/";

function readPlaces(value: unknown): ReadValue<readonly string[]> {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = listed.filter((each) => typeof each === "string");
  if (texts.length < listed.length || texts.length === 0) return unreadable(EXPECTED);
  const wrong = texts.map(placeProblem).find((each) => each !== undefined);
  return wrong === undefined ? readable(texts.map(plainPlace)) : unreadable(wrong);
}

function placeProblem(path: string): string | undefined {
  if (/\p{Cc}/u.test(path)) return "the path contains a control character";
  if (!/^(?:\/|~(?:\/|$))/.test(path)) return `"${path}" is neither absolute nor below ~/`;
  return path.split("/").includes("..") ? `"${path}" contains ".."` : undefined;
}

/** Without `.`, empty parts and a slash at its end. */
function plainPlace(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return path.startsWith("/") ? `/${parts.join("/")}` : parts.join("/");
}

/** As a path of this machine. */
export function placeBelow(home: string, path: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? `${home === "/" ? "" : home}${path.slice(1)}` : path;
}
