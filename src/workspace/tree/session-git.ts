// The repository that a session, a check or an act finds in its folder: written as files, anew each time,
// with the person's history borrowed. Whatever is done to it harms nobody.
import { copyFileSync, mkdirSync, statSync, utimesSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { NOTES_REF } from "../../git/read-notes.ts";
import { readIfThere, removeDurably, writeDurably, writePlainly } from "../base/durable-file.ts";
import { renderSettings, type Setting, valueOf } from "../base/git-config.ts";
import { OBJECT_ID } from "../base/own-git.ts";
import { alternates } from "../base/own-repository.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import { type Refs, seenObjects, type WithGit } from "../base/place.ts";
import { ownRefsOnDisk } from "../base/refs.ts";
import { removeTree } from "../base/remove-tree.ts";
import type { GitForSession } from "../workspace.ts";

const DEAD_ADDRESS = "stint://sessions-do-not-push";

/** Settings of the repository itself that a session works with; the person's own files it reads anyway. */
const SHARED = [
  /^(?:user|author|committer|filter|lfs|diff|merge|alias|pull|push|rebase|i18n|branch|log|status)\./,
  /^core\.(?:autocrlf|eol|safecrlf|attributesfile|excludesfile|filemode|symlinks|ignorecase)$/,
  /^core\.(?:precomposeunicode|bigfilethreshold|longpaths)$/,
  /^extensions\.(?:objectformat|partialclone)$/,
  /^submodule\..*\.(?:active|ignore)$/,
];

export async function writeSessionGit(place: WithGit, git: GitForSession): Promise<string> {
  const folder = join(place.folder, ".git");
  // What an act sees is what the person has now, and its tags are told from theirs.
  if (git.canPush) delete place.refs;
  const { lines, symbolic } = await knownRefs(place, git.branch);
  if (git.canPush) noteTags(place.options.home, lines);
  else forgetTags(place.options.home);
  const { gitDir } = place.git;
  const commit = place.tip?.commit ?? null;
  writeRepository(folder, join(gitDir, "index"), {
    config: renderSettings(settingsFor(place, git)),
    "packed-refs": `# pack-refs with: sorted \n${lines.join("")}`,
    ...Object.fromEntries(symbolic.map(([name, target]) => [name, `ref: ${target}\n`])),
    [`refs/heads/${git.branch}`]: commit === null ? null : `${commit}\n`,
    HEAD: `ref: refs/heads/${git.branch}\n`,
    "info/exclude": excludes(place),
    "objects/info/alternates": alternates(seenObjects(place)),
    shallow: readIfThere(join(place.person.folder.common, "shallow")),
  });
  return folder;
}

const FOLDERS = ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"];

/** As files, in place of whatever is there; those that are null are not written. */
export function writeRepository(
  folder: string,
  index: string,
  files: Readonly<Record<string, string | Buffer | null>>,
): void {
  removeTree(folder);
  for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    if (content === null) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writePlainly(join(folder, name), content);
  }
  copyIndex(index, join(folder, "index"));
}

/** A check that follows a session sees the same refs as the session did. */
async function knownRefs(place: WithGit, branch: string): Promise<Refs> {
  const key = `${place.tip?.commit} ${branch}`;
  if (place.refs?.key !== key) place.refs = { key, refs: await readableRefs(place, branch) };
  return place.refs.refs;
}

/** All of the person's refs but Stint's, and but those that the session's branch leaves no room for. */
async function readableRefs({ settings, person }: WithGit, branch: string): Promise<Refs> {
  const own = `refs/heads/${branch}`;
  const refs = (refsOnDisk(person, settings) ?? (await refsOfGit(person)))
    .filter(({ name }) => !name.startsWith("refs/stint/") && name !== NOTES_REF)
    .filter(
      ({ name }) => name !== own && !name.startsWith(`${own}/`) && !own.startsWith(`${name}/`),
    );
  return {
    lines: refs.filter(({ target }) => target === "").map(({ text }) => `${text}\n`),
    symbolic: refs.filter(({ target }) => target !== "").map(({ name, target }) => [name, target]),
  };
}

interface NamedRef {
  readonly name: string;
  /** As packed-refs has it. */
  readonly text: string;
  /** Empty unless it names another. */
  readonly target: string;
}

async function refsOfGit(person: PersonRepository): Promise<NamedRef[]> {
  const format = "%(objectname) %(refname)%00%(symref)";
  const { stdout } = await person.git.run(["for-each-ref", `--format=${format}`]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [text = "", target = ""] = line.split("\0");
      return { text, target, name: text.slice(text.indexOf(" ") + 1) };
    });
}

/** The same, read from their files; null where they are kept otherwise, or one is not as git writes it. */
function refsOnDisk({ folder }: PersonRepository, settings: readonly Setting[]): NamedRef[] | null {
  if (folder.own !== folder.common || valueOf(settings, "extensions.refstorage") !== null) {
    return null;
  }
  const found = ownRefsOnDisk(folder.common);
  // A repository without a single ref is rare enough to be asked about.
  if (found === null || found.length === 0) return null;
  const refs = found.map(({ name, commit }): NamedRef | null => {
    const target = /^ref: (refs\/\S+)$/.exec(commit)?.[1] ?? "";
    if (target === "" && !OBJECT_ID.test(commit)) return null;
    return { name, target, text: `${commit} ${name}` };
  });
  const readable = refs.filter((ref) => ref !== null);
  if (readable.length !== refs.length) return null;
  return readable.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function settingsFor(place: WithGit, git: GitForSession): Setting[] {
  const { person } = place;
  const local = place.settings.filter(({ scope }) => scope === "local" || scope === "worktree");
  const shared = local.filter(({ key }) => SHARED.some((pattern) => pattern.test(key)));
  const isExtended = shared.some(({ key }) => key.startsWith("extensions."));
  const remotes = local.filter(({ key }) => key.startsWith("remote."));
  return [
    { key: "core.repositoryformatversion", value: isExtended ? "1" : "0" },
    { key: "core.bare", value: "false" },
    { key: "core.logallrefupdates", value: "true" },
    ...shared,
    ...(git.canPush ? remotes.map((each) => fromHere(each, person)) : harmless(remotes, person)),
    { key: "gc.auto", value: "0" },
    // Its commits are thrown away: nobody should be asked for a passphrase for them.
    ...(git.canPush
      ? []
      : [
          { key: "commit.gpgsign", value: "false" },
          { key: "tag.gpgsign", value: "false" },
        ]),
  ];
}

/** Addresses without credentials, and none to push to. */
function harmless(remotes: readonly Setting[], person: PersonRepository): Setting[] {
  const names = new Set(
    remotes
      .filter(({ key }) => key.endsWith(".url"))
      .map(({ key }) => key.slice(0, -".url".length)),
  );
  return [
    ...remotes
      .filter(({ key }) => !/\.(?:pushurl|push|mirror|proxy|receivepack|uploadpack)$/.test(key))
      .map((setting) => fromHere(withoutCredentials(setting), person)),
    ...[...names].map((name) => ({ key: `${name}.pushurl`, value: DEAD_ADDRESS })),
  ];
}

function withoutCredentials({ key, value }: Setting): Setting {
  if (!key.endsWith(".url") || value === null) return { key, value };
  return { key, value: value.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, keepUser) };
}

/** The name before ssh's host says where to go; a password or token never stays. */
function keepUser(match: string, scheme: string): string {
  const user = match.slice(scheme.length).replace(/:.*|@$/g, "");
  return /^(?:ssh|git\+ssh):/i.test(scheme) ? `${scheme}${user}@` : scheme;
}

function fromHere({ key, value }: Setting, person: PersonRepository): Setting {
  const isRelative =
    /\.(?:url|pushurl)$/.test(key) && value !== null && /^\.\.?(?:\/|$)/.test(value);
  return { key, value: isRelative ? resolve(person.checkout, value) : value };
}

function excludes({ options, record, person }: WithGit): string {
  const own = [...options.ownPaths, ...record.aside].map((path) => `/${path}\n`);
  const theirs = readIfThere(join(person.folder.common, "info", "exclude"))?.toString("utf8") ?? "";
  return `${theirs}\n${own.join("")}`;
}

/**
 * The copy must not look younger than the original: git trusts an entry only if the file is older than
 * the index.
 */
export function copyIndex(from: string, to: string): void {
  if (readIfThere(from) === null) return;
  const seconds = Math.floor(statSync(from).mtimeMs / 1000);
  copyFileSync(from, to);
  utimesSync(to, seconds, seconds);
}

/** Kept until those that the act made are taken over; `lines` are the refs that it finds, as "<object> <ref>". */
function noteTags(home: string, lines: readonly string[]): void {
  writeDurably(noteFile(home), lines.filter((line) => line.includes(" refs/tags/")).join(""));
}

/** Null where no act has started, or all of its tags were taken over. */
export function notedTags(home: string): string | null {
  return readIfThere(noteFile(home))?.toString("utf8") ?? null;
}

/** Before anything else starts: its tags are its own. */
export function forgetTags(home: string): void {
  if (notedTags(home) !== null) removeDurably(noteFile(home));
}

function noteFile(home: string): string {
  return join(home, "tags-before-act");
}
