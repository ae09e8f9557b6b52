// What a session changed, as the difference of two trees: the measure of limits, of progress and of
// what may be committed; and what the name of a changed file says of it.
import { isDocs, isWithin } from "../core/files.ts";
import type { TreeEntry } from "./diff-trees.ts";
// What a session changed, as the difference of two trees; the measure of limits, of what
// may be committed and of progress.

const MARKER = ".agent_iteration_done";

export interface Change extends TreeEntry {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "moved";
  /** Where a moved file was. */
  readonly from?: string;
  /** It was a program before and is none now, or the other way round. */
  readonly switched?: true;
  /** Size as stored; 0 for a deleted file or a submodule. */
  readonly bytes: number;
}

/** Every path a list of changes touches: a moved file counts at both ends. */
export function touchedPaths(changes: readonly Change[]): string[] {
  return changes.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
}

export interface OwnPaths {
  readonly manifest: string;
  readonly projectFolder: string;
}

/** Changes that are neither docs, nor the manifest, nor Stint's files: what a task must leave. */
export function substantialPaths(changes: readonly Change[], own: OwnPaths): string[] {
  return sessionChanges(changes, own)
    .map(({ path }) => path)
    .filter((path) => !isDocs(path));
}

export interface MeasuredLimits {
  readonly files: number;
  readonly newFiles: number;
  readonly moves: number;
}

/** Limits are measured on the real difference; Stint's own files are exempt. */
export function measureLimits(changes: readonly Change[], own: OwnPaths): MeasuredLimits {
  const counted = sessionChanges(changes, own);
  return {
    files: counted.length,
    newFiles: counted.filter(({ change }) => change === "added").length,
    moves: counted.filter(({ change }) => change === "moved").length,
  };
}

function sessionChanges(changes: readonly Change[], own: OwnPaths): Change[] {
  return changes.filter(
    ({ path }) => path !== own.manifest && path !== MARKER && !isWithin(path, own.projectFolder),
  );
}

const LARGE_FILE_BYTES = 5 * 1024 * 1024;

/** A new file that needs a person's word before it enters history, whoever would commit it. */
interface UnwelcomeFile {
  readonly path: string;
  readonly why: string;
}

/** @param holding paths that hold a secret which they did not hold before */
export function unwelcomeFiles(
  changes: readonly Change[],
  approved: readonly string[] = [],
  holding: ReadonlySet<string> = new Set(),
): UnwelcomeFile[] {
  return changes
    .filter(({ path }) => !approved.includes(path))
    .flatMap(({ path, change, bytes }) => {
      if (holding.has(path)) {
        return [{ path, why: "it contains a secret from your local settings (.env)" }];
      }
      if (!isNewName(change)) return [];
      if (looksSecret(path)) return [{ path, why: "its name looks like that of a secret" }];
      if (change === "added" && bytes > LARGE_FILE_BYTES) {
        const megabytes = (bytes / 1024 / 1024).toFixed(1);
        return [{ path, why: `it is new and ${megabytes} MB large` }];
      }
      return [];
    });
}

function isNewName(change: Change["change"]): boolean {
  return change === "added" || change === "moved";
}

const SECRET_NAMES = [
  /^\.env(?:\..+)?$/,
  /^.+\.env$/,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc|gpg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /^credentials?(?:\..+)?$/,
  /^(?:client_)?secrets?(?:\.(?:json|ya?ml|toml|ini|txt|env|tfvars))?$/,
  /^service[-_]?account.*\.json$/,
  /^\.(?:npmrc|pypirc|netrc|git-credentials|htpasswd|pgpass|dockercfg)$/,
  /^_netrc$/,
  /^kubeconfig(?:\..+)?$/,
  /\.tfstate(?:\.backup)?$/,
  /\.tfvars$/,
];

/** Folders whose files are secrets whatever their names. */
const SECRET_FOLDERS = /(?:^|\/)\.(?:ssh|aws|gnupg|kube|azure)\//;

/** Templates that hold names without values, and the public half of a key. */
const HARMLESS = /(?:\.(?:example|sample|template|dist|defaults?)|\.pub)$/;

export function looksSecret(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (HARMLESS.test(name)) return false;
  return SECRET_FOLDERS.test(lower) || SECRET_NAMES.some((pattern) => pattern.test(name));
}
