// Stint's own git folder: an index and objects of its own that borrow the person's. Sessions do not see
// it. Its configuration is written anew at each opening, from what the person's git says.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { readIfThere, writeDurably } from "./durable-file.ts";
import { renderSettings, type ScopedSetting, type Setting } from "./git-config.ts";
import type { PersonRepository } from "./person-repository.ts";
import { locksBelow } from "./refs.ts";
import { factsOf } from "./raw-path.ts";

/** What decides how a file becomes a blob, who commits, and where missing objects come from. */
const TAKEN = [
  /^core\.(?:autocrlf|eol|attributesfile|excludesfile|bigfilethreshold|checkroundtripencoding)$/,
  /^core\.(?:protecthfs|protectntfs|longpaths|sshcommand)$/,
  /^(?:filter|lfs|user|author|committer|gpg|i18n|credential|http|url)\./,
  /^commit\.gpgsign$/,
  /^extensions\.(?:objectformat|partialclone)$/,
  /^remote\..*\.(?:url|promisor|partialclonefilter|lfsurl)$/,
];

interface OwnRepository {
  readonly gitDir: string;
  /** A folder of ours on the file system of the files; null asks the person's settings instead. */
  readonly probeIn: string | null;
  readonly person: PersonRepository | null;
  readonly settings: readonly ScopedSetting[];
  /** No file of the person's `.git` says how files are converted: none of them is in another clone. */
  readonly isFresh?: boolean;
}

export function writeOwnRepository(own: OwnRepository): void {
  const { gitDir, person, isFresh } = own;
  for (const name of ["objects/info", "objects/pack", "refs/heads", "info"]) {
    mkdirSync(join(gitDir, name), { recursive: true, mode: 0o700 });
  }
  writeIfOther(join(gitDir, "config"), renderSettings(settingsOf(own)));
  writeIfOther(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  writeIfOther(join(gitDir, "info", "exclude"), ofPerson(person, "info/exclude"));
  const attributes = isFresh === true ? null : person;
  writeIfOther(join(gitDir, "info", "attributes"), ofPerson(attributes, "info/attributes"));
  const shallow = ofPerson(person, "shallow");
  if (shallow.length > 0) writeIfOther(join(gitDir, "shallow"), shallow);
  else rmSync(join(gitDir, "shallow"), { force: true });
  writeIfOther(join(gitDir, "objects", "info", "alternates"), alternates(person?.objects ?? []));
}

/**
 * The person's settings as another clone on their machine would have them. A filter that was set up in the repository
 * stays: `.gitattributes` names it, and whoever clones sets it up again.
 */
export function settingsOfFreshClone(settings: readonly ScopedSetting[]): ScopedSetting[] {
  const isOfRepository = ({ scope }: ScopedSetting): boolean =>
    scope === "local" || scope === "worktree";
  return settings.filter(
    (setting) =>
      !(isOfRepository(setting) && /^core\.(?:attributesfile|autocrlf|eol)$/.test(setting.key)),
  );
}

/** Nobody but us works in this folder: what a killed git left is nobody's. */
export function clearOwnLocks(gitDir: string): void {
  for (const name of existsSync(gitDir) ? readdirSync(gitDir) : []) {
    if (name.endsWith(".lock") || name.startsWith("index-")) {
      rmSync(join(gitDir, name), { force: true });
    }
  }
  for (const lock of locksBelow(join(gitDir, "refs"))) rmSync(lock, { force: true });
}

/** What `info/alternates` says of these folders. */
export function alternates(folders: readonly string[]): string {
  const lines = folders.map((path) => (/^"|[\n#]/.test(path) ? JSON.stringify(path) : path));
  return lines.map((line) => `${line}\n`).join("");
}

function settingsOf({ probeIn, person, settings }: OwnRepository): Setting[] {
  const taken = settings.filter(({ key }) => TAKEN.some((pattern) => pattern.test(key)));
  const isExtended = taken.some(({ key }) => key.startsWith("extensions."));
  return [
    { key: "core.repositoryformatversion", value: isExtended ? "1" : "0" },
    ...taken.map((setting) => asInCheckout(setting, person?.checkout)),
    ...(person === null ? [] : [{ key: "lfs.storage", value: join(person.folder.common, "lfs") }]),
    { key: "core.bare", value: "false" },
    // A person's choice may hide an edit whose time was set back.
    { key: "core.trustctime", value: "true" },
    { key: "core.checkstat", value: "default" },
    // What it warns about is looked at byte for byte.
    { key: "core.safecrlf", value: "false" },
    { key: "core.hookspath", value: devNull },
    { key: "core.logallrefupdates", value: "false" },
    { key: "advice.addembeddedrepo", value: "false" },
    { key: "gc.auto", value: "0" },
    ...fileSystem(probeIn, settings),
  ];
}

/** A filter that is named by a path in the repository is the person's file, never a session's. */
export function asInCheckout(setting: Setting, checkout: string | undefined): Setting {
  const { key, value } = setting;
  if (
    checkout === undefined ||
    value === null ||
    !/^filter\..*\.(?:clean|smudge|process)$/.test(key)
  ) {
    return setting;
  }
  const relative = /(^|[\s"'=])((?:\.\/)?[\w.@+-]+(?:\/[\w.@+-]+)+)/g;
  const words = value.replace(relative, (all, before: string, word: string) => {
    const path = join(checkout, word);
    if (!existsSync(path)) return all;
    return /["']/.test(before) ? `${before}${path}` : `${before}'${path.replaceAll("'", `'\\''`)}'`;
  });
  return { key, value: words };
}

function fileSystem(probeIn: string | null, settings: readonly Setting[]): Setting[] {
  const kept = ["core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode"];
  const asked = settings.filter(({ key }) => kept.includes(key));
  if (probeIn === null) return asked;
  const probe = join(probeIn, ".stint-probe");
  try {
    return [...asked.filter(({ key }) => key === "core.precomposeunicode"), ...probed(probe)];
  } catch {
    return asked;
  } finally {
    rmSync(probe, { force: true });
    rmSync(`${probe}-link`, { force: true });
  }
}

function probed(probe: string): Setting[] {
  writeFileSync(probe, "", { mode: 0o600 });
  chmodSync(probe, 0o700);
  const hasModes = ((factsOf(probe)?.mode ?? 0n) & 0o100n) !== 0n;
  let hasLinks = true;
  try {
    symlinkSync("x", `${probe}-link`);
  } catch {
    hasLinks = false;
  }
  return [
    { key: "core.filemode", value: String(hasModes) },
    { key: "core.symlinks", value: String(hasLinks) },
    { key: "core.ignorecase", value: String(existsSync(probe.replace(/probe$/, "PROBE"))) },
  ];
}

function ofPerson(person: PersonRepository | null, name: string): Buffer {
  if (person === null) return Buffer.alloc(0);
  return readIfThere(join(person.folder.common, name)) ?? Buffer.alloc(0);
}

function writeIfOther(path: string, content: string | Buffer): void {
  const bytes = Buffer.from(content as string);
  if (readIfThere(path)?.equals(bytes) !== true) writeDurably(path, bytes);
}
