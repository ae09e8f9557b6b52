// Everything that a person has in and around a repository, as facts that two records are compared by:
// every file of the checkout, index, refs, reflogs, stash, settings, hooks, objects, and the same of every
// repository inside it. Times are no part of it. Paths are kept byte for byte, one character each.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { isAbsolute, join } from "node:path";

/** By what it is of, such as `file a.txt`, `index a.txt`, `ref refs/heads/main`, `sub: ref refs/stash`. */
export type PersonState = ReadonlyMap<string, string>;

type Fact = readonly [what: string, value: string];

/** @param outside files elsewhere that are the person's too: global settings, a marker in HOME */
export function recordPerson(root: string, outside: readonly string[] = []): PersonState {
  return new Map([
    ...treeFacts(root, ""),
    ...outside.flatMap((file) => entryFacts(Buffer.from(file), `outside ${file}`)),
  ]);
}

/** A folder with all that is in it, and the state of each repository that is met. */
function treeFacts(root: string, below: string): Fact[] {
  const folder = at(root, below);
  return namesIn(folder).flatMap((name) => {
    const path = below === "" ? name : `${below}/${name}`;
    const found = lstatSync(at(root, path));
    const own = entryFacts(at(root, path), path);
    if (name === ".git") return [...own, ...repositoryFacts(root, below, found)];
    return found.isDirectory() ? [...own, ...treeFacts(root, path)] : own;
  });
}

function entryFacts(file: Buffer, path: string): Fact[] {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const mode = (found.mode & 0o7777).toString(8);
  if (found.isSymbolicLink()) {
    return [[`link ${path}`, readlinkSync(file, { encoding: "buffer" }).toString("latin1")]];
  }
  if (found.isDirectory()) return [[`folder ${path}`, mode]];
  return found.isFile()
    ? [[`file ${path}`, `${mode} ${contentOf(file)}`]]
    : [[`special file ${path}`, mode]];
}

function contentOf(file: Buffer): string {
  try {
    const content = readFileSync(file);
    return `${content.length} bytes ${createHash("sha256").update(content).digest("hex").slice(0, 16)}`;
  } catch (error) {
    return `unreadable: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** @param dotGit what lies at `.git`: the repository itself, or a file that says where it is */
function repositoryFacts(root: string, below: string, dotGit: Stats): Fact[] {
  const workTree = join(root, below);
  const gitFolder = dotGit.isDirectory() ? join(workTree, ".git") : gitFolderOf(workTree);
  const git = (...words: string[]): string => ask(workTree, gitFolder, words);
  const facts: Fact[] = [
    ...indexFacts(git("ls-files", "-z", "--stage", "-v", "--debug")),
    ...lines(git("for-each-ref", "--format=%(refname) %(objectname) %(symref)")).map(refFact),
    ...lines(git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")).map(
      (object): Fact => [`object ${object}`, "there"],
    ),
    ["broken objects", git("fsck", "--connectivity-only", "--no-dangling", "--no-progress")],
    ...gitFileFacts(gitFolder, ""),
  ];
  return below === "" ? facts : facts.map(([what, value]) => [`${below}: ${what}`, value]);
}

function gitFolderOf(workTree: string): string {
  const said = /^gitdir: (.*)$/m.exec(contentOrNothing(join(workTree, ".git")))?.[1] ?? "nowhere";
  return isAbsolute(said) ? said : join(workTree, said);
}

function contentOrNothing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** With the flags that hide a file from git: skip-worktree, assume-unchanged, intent-to-add. */
function indexFacts(listed: string): Fact[] {
  if (!listed.includes("\0")) return listed === "" ? [] : [["index", listed]];
  const entry =
    /(?<tag>.) (?<id>\d{6} [0-9a-f]+) (?<stage>\d)\t(?<path>[^\0]*)\0(?: {2}.*\n){4} {2}.*flags: (?<flags>.*)\n/g;
  return [...listed.matchAll(entry)].map(({ groups = {} }): Fact => {
    const { tag, id, stage, path, flags } = groups;
    const what = stage === "0" ? `index ${path}` : `index ${path} at stage ${stage}`;
    return [what, `${tag} ${id} flags ${flags}`];
  });
}

function refFact(line: string): Fact {
  const end = line.indexOf(" ");
  return [`ref ${line.slice(0, end)}`, line.slice(end + 1).trim()];
}

/** Objects, refs and the index are asked of git; of refs, only locks that were left are files here. */
function gitFileFacts(gitFolder: string, below: string): Fact[] {
  return namesIn(at(gitFolder, below)).flatMap((name): Fact[] => {
    const path = below === "" ? name : `${below}/${name}`;
    const file = at(gitFolder, path);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || ASKED_OF_GIT.has(path)) return [];
    if (found.isDirectory() && !found.isSymbolicLink()) return gitFileFacts(gitFolder, path);
    if (path === "HEAD") return [["HEAD", readFileSync(file, "utf8").trim()]];
    if (path.startsWith("refs/") && !path.endsWith(".lock")) return [];
    return path.startsWith("logs/")
      ? [[`reflog ${path.slice("logs/".length)}`, readFileSync(file, "latin1")]]
      : entryFacts(file, `.git/${path}`);
  });
}

/** Below `modules` are the submodules, each recorded where its files are. */
const ASKED_OF_GIT: ReadonlySet<string> = new Set(["objects", "index", "packed-refs", "modules"]);

/** Whatever the repository's own settings say: nothing is started by them, nothing is written. */
function ask(workTree: string, gitFolder: string, words: readonly string[]): string {
  const before = [
    `--git-dir=${gitFolder}`,
    `--work-tree=${workTree}`,
    "-c",
    "core.fsmonitor=false",
  ];
  try {
    return execFileSync("git", [...before, ...words], {
      cwd: workTree,
      encoding: "latin1",
      env: { PATH: process.env["PATH"], LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", ...NO_SETTINGS },
      maxBuffer: 1 << 30,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return `git ${words[0]} failed: ${stdout}${stderr}`.trim();
  }
}

const NO_SETTINGS = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

function namesIn(folder: Buffer): string[] {
  try {
    const names = readdirSync(folder, { encoding: "buffer" });
    return names.map((name) => name.toString("latin1")).toSorted();
  } catch {
    return [];
  }
}

function at(root: string, path: string): Buffer {
  const bytes = Buffer.from(path, "latin1");
  return path === "" ? Buffer.from(root) : Buffer.concat([Buffer.from(`${root}/`), bytes]);
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** What a run may have changed, because it is its own or was delivered. */
export interface Allowed {
  /** The project's, whose branch `stint/<slug>` is the run's. */
  readonly slug?: string;
  /** Delivered files. */
  readonly paths?: readonly string[];
  /** The branch that they were delivered to, and the commit that it is at since. */
  readonly branch?: { readonly ref: string; readonly commit: string };
}

/** One line for each difference that is not allowed; none where nothing of the person's is another. */
export function describeDifferences(
  before: PersonState,
  after: PersonState,
  allowed: Allowed = {},
): string[] {
  const all = [...new Set([...before.keys(), ...after.keys()])].map((what): Difference => {
    return { what, was: before.get(what), is: after.get(what) };
  });
  const differences = all
    .filter(({ was, is }) => was !== is)
    .filter((difference) => !isOwn(difference, allowed) && !isDelivered(difference, allowed));
  const isObject = ({ what }: Difference): boolean => /(?:^|: )object /.test(what);
  return [
    ...differences.filter((difference) => !isObject(difference)).map(describe),
    ...describeLost(differences.filter(isObject)),
  ];
}

interface Difference {
  readonly what: string;
  readonly was: string | undefined;
  readonly is: string | undefined;
}

/** What Stint keeps for itself in a repository. */
function isOwn({ what, was }: Difference, { slug }: Allowed): boolean {
  const isNew = was === undefined;
  return (
    /^\w+ agents\/stint\/projects(?:\/|$)/.test(what) ||
    (isNew && /^folder agents(?:\/stint)?$/.test(what)) ||
    what === "file .git/info/exclude" ||
    /^(?:ref|reflog) refs\/(?:stint\/|notes\/stint$)/.test(what) ||
    (slug !== undefined &&
      /^(?:ref|reflog) /.test(what) &&
      what.endsWith(` refs/heads/stint/${slug}`)) ||
    (isNew && /(?:^|: )object /.test(what))
  );
}

function isDelivered(difference: Difference, { paths = [], branch }: Allowed): boolean {
  const { what, was, is } = difference;
  const [, kind = "", path = ""] = /^(\w+) (.*)$/s.exec(what) ?? [];
  const isPath = ["file", "link", "index"].includes(kind) && paths.includes(path);
  if (isPath || (kind === "folder" && paths.some((other) => other.startsWith(`${path}/`)))) {
    return was === undefined || is === undefined || kind !== "folder";
  }
  if (branch === undefined) return false;
  if (what === "file .git/ORIG_HEAD") return true;
  if (what === `ref ${branch.ref}`) return is === branch.commit;
  return (
    (what === "reflog HEAD" || what === `reflog ${branch.ref}`) &&
    isContinued(was ?? "", is ?? "", branch.commit)
  );
}

/** Lines were added only, and the last of them came to this commit. */
function isContinued(was: string, is: string, commit: string): boolean {
  return is.startsWith(was) && lines(is).at(-1)?.split(" ")[1] === commit;
}

function describe({ what, was, is }: Difference): string {
  if (was === undefined) return `${shown(what)} is new: ${shown(is ?? "")}`;
  if (is === undefined) return `${shown(what)} is gone`;
  return `${shown(what)} was ${shown(was)}, is ${shown(is)}`;
}

/** Many at once: a few say enough. */
function describeLost(lost: readonly Difference[]): string[] {
  if (lost.length === 0) return [];
  const few = lost.slice(0, 3).map(({ what }) => what);
  return [`${lost.length} objects are gone: ${few.join(", ")}`];
}

function shown(text: string): string {
  const short = text.length > 300 ? `…${text.slice(-300)}` : text;
  return short.replaceAll(
    /[^\x20-\x7e]/g,
    (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
