// The usual commit, made without starting git: a verified tree with Stint's own files at its top set, in the
// name that the person's settings give. Whatever is out of the ordinary (signing, other names for author or
// committer, an object that is not a file of its own in Stint's folder) is git's to do: the answer is null.
// The objects go into the person's repository, and nowhere else.
import { join } from "node:path";
import { ABSENT, type EntryChange, isSameEntry, SUBMODULE } from "../../git/diff-trees.ts";
import { objectId } from "../../git/object-id.ts";
import { isOn } from "../base/git-config.ts";
import type { Place, WithGit } from "../base/place.ts";
import { foldersAbove, isBelow, type RawPath } from "../base/raw-path.ts";
import { notesBeside } from "./evidence-notes.ts";
import { identity } from "./identity.ts";
import { type Look, publish } from "./tip.ts";
import { FOLDER, type GitObject, parseTree, readLoose, withEntry } from "../tree/git-objects.ts";
import { isIndexWith, type OwnEntries, ownEntriesOf, ownPathsOf } from "../tree/own-index.ts";
import { rawChanges, rememberDiff } from "../tree/read-trees.ts";
import type { Committed, CommitRequest } from "../workspace.ts";

interface PlainTree {
  readonly tree: string;
  /** All that the person's repository lacks. */
  readonly objects: readonly GitObject[];
}

interface PlainWork {
  /** As it was verified. */
  readonly tree: string;
  readonly own: OwnEntries;
  readonly message: string;
  readonly evidence?: CommitRequest["evidence"];
}

/** Its objects go straight into the person's repository, and our index follows without git. */
export async function commitPlainly(
  place: WithGit,
  look: Look,
  { tree: verified, own, message, evidence }: PlainWork,
): Promise<Committed | null> {
  const { person, tip } = place;
  if (tip === null || place.indexTree !== verified || place.mayConvert) return null;
  const changes = await rawChanges(place, tip.tree, verified);
  const plain = plainTree(place, verified, own, changes);
  const object = plain && plainCommit(place, plain.tree, message);
  if (plain === null || object === null) return null;
  const { tree } = plain;
  if (tree === tip.tree) return { kind: "nothing", commit: tip.commit };
  const commit = objectId(object.kind, object.content, tree.length);
  const payload = evidence?.({ commit, tree });
  const notes = await notesBeside(place, payload === undefined ? undefined : { commit, payload });
  const objects = [...plain.objects, object, ...notes.objects];
  if (await publish(place, look, commit, { objects, beside: notes.moves })) notes.known();
  const parents = tip.commit === null ? [] : [tip.commit];
  person.commits.set(commit, { tree, parents, message });
  // What is known of the verified tree is known of the same with Stint's own files.
  const earlier = await ownEntriesOf(place, tip.tree);
  const set = [...own.entries].flatMap(([path, after]) => {
    const before = earlier.get(path) ?? after;
    return isSameEntry(before, after) ? [] : [{ path, status: "M", before, after }];
  });
  rememberDiff(place, tip.tree, tree, [...changes, ...set]);
  place.ownEntries = { tree, entries: new Map([...earlier, ...own.entries]) };
  if (isIndexWith(place, own.entries)) place.indexTree = tree;
  place.tip = { commit, tree };
  return { kind: "committed", commit, laid: tree };
}

/** As many as git itself leaves unpacked after a fetch, and as much as may be held in memory. */
const MOST_OBJECTS = 100;
const MOST_BYTES = 32 * 1024 * 1024;

/** `tree` with these entries, and what is new in it since the tip. */
function plainTree(
  place: Place,
  tree: string,
  own: OwnEntries,
  changes: readonly EntryChange[],
): PlainTree | null {
  // As they are at the tip, so that what the tip has there is known to be what this has.
  if (changes.some(({ path }) => isBelow(path, ownPathsOf(place)))) return null;
  const folder = join(place.git.gitDir, "objects");
  const came = changes
    .map(({ after }) => after)
    .filter(({ mode }) => mode !== ABSENT && mode !== SUBMODULE);
  const wanted = new Map<string, GitObject | null>();
  for (const { oid } of came) wanted.set(oid, readLoose([folder], oid));
  const paths = changes.map(({ path }) => path);
  if (!addFolders(folder, tree, paths, wanted)) return null;
  const found = [...wanted.values()].filter((object) => object !== null);
  if (found.length !== wanted.size) return null;
  let top = wanted.get(tree) ?? readLoose([folder, ...(place.person?.objects ?? [])], tree);
  for (const [name, { mode, oid }] of own.entries) {
    if (top === null || name.includes("/") || mode === ABSENT) return null;
    const content = withEntry(top.content, { mode: mode.replace(/^0+/, ""), name, oid });
    top = content === null ? null : { kind: "tree", content };
  }
  if (top === null) return null;
  // The tree without Stint's files is part of no commit.
  const objects = [top, ...own.objects, ...found.filter((each) => each !== wanted.get(tree))];
  const size = objects.reduce((sum, { content }) => sum + content.length, 0);
  if (objects.length >= MOST_OBJECTS || size > MOST_BYTES) return null;
  return { tree: objectId(top.kind, top.content, tree.length), objects };
}

/** The trees on the way to these paths. False where one of them is not a file of its own. */
function addFolders(
  folder: string,
  tree: string,
  paths: readonly RawPath[],
  wanted: Map<string, GitObject | null>,
): boolean {
  if (paths.length === 0) return true;
  const needed = new Set(paths.flatMap(foldersAbove));
  const add = (id: string, at: RawPath): boolean => {
    const object = readLoose([folder], id);
    if (object?.kind !== "tree") return false;
    wanted.set(id, object);
    return parseTree(object.content, id.length).every(({ mode, name, oid }) => {
      const inner = at === "" ? name : `${at}/${name}`;
      return mode !== FOLDER || !needed.has(inner) || add(oid, inner);
    });
  };
  return add(tree, "");
}

/** A commit on the tip; null where git has to say who makes it, or to sign it. */
function plainCommit(place: Place, tree: string, message: string): GitObject | null {
  const parent = place.tip?.commit ?? null;
  const who = identity(place.settings, new Date());
  if (who === null || isOn(place.settings, "commit.gpgsign") || message.includes("\0")) return null;
  const head = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    `author ${who}`,
    `committer ${who}`,
  ];
  return { kind: "commit", content: Buffer.from(`${head.join("\n")}\n\n${message}`, "utf8") };
}
