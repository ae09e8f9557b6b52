// Notes on commits in the person's repository, under one ref: what they were verified by, for whoever has a
// clone. Their objects are made without git, so that they can go the way of the commit that they are about. A
// note only ever grows by a line: what others wrote into it stays. Safe to repeat.
import { noteLine, signedBytes, withLine } from "../../core/evidence/note-lines.ts";
import { StintError } from "../../core/stint-error.ts";
import { objectId } from "../../git/object-id.ts";
import { allNotes, NOTES_REF } from "../../git/read-notes.ts";
import { signEvidence } from "../../git/sign-evidence.ts";
import { valueOf } from "../base/git-config.ts";
import { type PersonRepository, readRefs } from "../base/person-repository.ts";
import type { WithGit } from "../base/place.ts";
import { moveRefs, type RefMove } from "../base/refs.ts";
import {
  askForObject,
  FOLDER,
  type GitObject,
  parseTree,
  readLoose,
  setEntry,
} from "../tree/git-objects.ts";
import type { EvidenceLine } from "../workspace.ts";
import { identity } from "./identity.ts";
import { storeObjectsIn } from "./unpack.ts";

/** Notes that are made and not there yet: their objects, and the ref that then leads to them. */
export interface PreparedNotes {
  readonly objects: readonly GitObject[];
  readonly moves: readonly RefMove[];
  /** To be called once the ref has moved. */
  readonly known: () => void;
}

const NOTHING: PreparedNotes = { objects: [], moves: [], known: () => {} };

/** More are read by git itself. */
const MOST_BY_FILES = 4;

/** By the commit that they are on; those without one are not in the map. */
export async function readNotes(
  person: PersonRepository,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { git } = person;
  if (commits.length > MOST_BY_FILES) {
    const wanted = new Set(commits);
    return await allNotes(
      (args, options) => git.run(args, options),
      (each) => wanted.has(each),
    );
  }
  const notes = new NotesTree(person, (await notesTip(person))?.tree ?? null);
  const found = new Map<string, string>();
  for (const commit of commits) {
    // oxlint-disable-next-line no-await-in-loop
    const text = await notes.textOf(commit);
    if (text !== null) found.set(commit, text);
  }
  return found;
}

/** How often it begins anew because somebody else wrote notes meanwhile. */
const MOST_TRIES = 5;

/** Durable when it returns. @throws git-failed */
export async function writeNotes(place: WithGit, lines: readonly EvidenceLine[]): Promise<void> {
  if (lines.length === 0) return;
  const { person } = place;
  const signed = await signedLines(place, lines);
  for (let tries = 1; ; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const { objects, moves, known } = await prepare(place, signed);
    // oxlint-disable-next-line no-await-in-loop
    await storeObjectsIn(person, objects);
    try {
      // oxlint-disable-next-line no-await-in-loop
      await moveRefs(person, moves);
      known();
      return;
    } catch (error) {
      if (!(error instanceof StintError) || tries === MOST_TRIES) throw error;
    }
  }
}

/** For one commit that is not there yet. Whatever is wrong with it, the commit does not wait for it. */
export async function notesBeside(
  place: WithGit,
  line: EvidenceLine | undefined,
): Promise<PreparedNotes> {
  if (line === undefined) return NOTHING;
  try {
    return await prepare(place, await signedLines(place, [line]));
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    return NOTHING;
  }
}

interface NotedLine {
  readonly commit: string;
  readonly line: string;
}

/** A signer that fails is not asked again in this run; it is said once. */
async function signedLines(
  place: WithGit,
  lines: readonly EvidenceLine[],
): Promise<readonly NotedLine[]> {
  const made: NotedLine[] = [];
  for (const { commit, payload } of lines) {
    const message = signedBytes(Buffer.from(payload));
    // oxlint-disable-next-line no-await-in-loop
    const signed = place.isUnsigned ? null : await signEvidence(message, signingSettings(place));
    if (signed?.kind === "failed") {
      place.isUnsigned = true;
      place.notes.push(
        `evidence is not signed: ${signed.why}. To sign it, make signing work without a prompt (gpg-agent, ssh-agent)`,
      );
    }
    const signature = signed?.kind === "signed" ? signed.signature : null;
    made.push({ commit, line: noteLine(payload, signature) });
  }
  return made;
}

function signingSettings({ settings, person }: WithGit) {
  return { valueOf: (key: string) => valueOf(settings, key), root: person.checkout };
}

async function prepare(place: WithGit, lines: readonly NotedLine[]): Promise<PreparedNotes> {
  const { person, settings } = place;
  const tip = await notesTip(person);
  const notes = new NotesTree(person, tip?.tree ?? null);
  for (const { commit, line } of lines) {
    // oxlint-disable-next-line no-await-in-loop
    const before = (await notes.textOf(commit)) ?? "";
    // oxlint-disable-next-line no-await-in-loop
    await notes.set(commit, withLine(before, line));
  }
  const { tree, objects } = notes.made();
  const now = new Date();
  const who =
    identity(settings, now) ?? `Stint <stint@localhost> ${Math.floor(now.getTime() / 1000)} +0000`;
  const parents = tip === null ? [] : [tip.commit];
  const message = `Evidence of ${lines
    .map(({ commit }) => commit.slice(0, 10))
    .slice(0, 5)
    .join(", ")}\n`;
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
  ];
  const content = Buffer.from(`${head.join("\n")}\n\n${message}`);
  const commit = objectId("commit", content, tree.length);
  return {
    objects: [...objects, { kind: "commit", content }],
    moves: [{ ref: NOTES_REF, to: commit, from: tip?.commit ?? null }],
    known: () => void person.commits.set(commit, { tree, parents, message }),
  };
}

async function notesTip(person: PersonRepository) {
  return (await readRefs(person, [NOTES_REF])).get(NOTES_REF) ?? null;
}

const FILE = "100644";
/** Names of two digits are folders of what begins with them; git reads any mixture of depths. */
const DIGITS = 2;

interface Found {
  readonly path: readonly string[];
  readonly blob: string;
}

/** The tree of a notes commit, changed in memory; what is not read is not known. */
class NotesTree {
  readonly #person: PersonRepository;
  readonly #made = new Map<string, GitObject>();
  #top: string | null;

  constructor(person: PersonRepository, top: string | null) {
    this.#person = person;
    this.#top = top;
  }

  async textOf(commit: string): Promise<string | null> {
    const there = await this.#find(this.#top, commit);
    return there === null ? null : (await this.#read(there.blob, "blob")).content.toString("utf8");
  }

  async set(commit: string, text: string): Promise<void> {
    const oid = this.#keep({ kind: "blob", content: Buffer.from(text) });
    const there = await this.#find(this.#top, commit);
    const path = there?.path ?? [commit.slice(0, DIGITS), commit.slice(DIGITS)];
    this.#top = await this.#with(this.#top, path, oid);
  }

  made(): { readonly tree: string; readonly objects: readonly GitObject[] } {
    const tree = this.#top ?? this.#keep({ kind: "tree", content: Buffer.alloc(0) });
    return { tree, objects: [...this.#reachable(tree)] };
  }

  /** Where below a tree the note of a commit is, and what it is; null: nowhere. */
  async #find(tree: string | null, rest: string): Promise<Found | null> {
    if (tree === null || rest === "") return null;
    const entries = parseTree((await this.#read(tree, "tree")).content, tree.length);
    const here = entries.find(({ name, mode }) => name === rest && mode !== FOLDER);
    if (here !== undefined) return { path: [rest], blob: here.oid };
    const name = rest.slice(0, DIGITS);
    const folder = entries.find((entry) => entry.name === name && entry.mode === FOLDER);
    const below = folder && (await this.#find(folder.oid, rest.slice(DIGITS)));
    return below ? { ...below, path: [name, ...below.path] } : null;
  }

  /** A tree with a file at this path. @returns its id */
  async #with(
    tree: string | null,
    [name = "", ...more]: readonly string[],
    oid: string,
  ): Promise<string> {
    const content = tree === null ? Buffer.alloc(0) : (await this.#read(tree, "tree")).content;
    const inner = parseTree(content, oid.length).find((each) => each.name === name)?.oid ?? null;
    const entry =
      more.length === 0
        ? { mode: FILE, name, oid }
        : { mode: FOLDER, name, oid: await this.#with(inner, more, oid) };
    return this.#keep({ kind: "tree", content: setEntry(content, entry) });
  }

  #keep(object: GitObject): string {
    const id = objectId(object.kind, object.content, this.#person.idLength());
    this.#made.set(id, object);
    return id;
  }

  async #read(id: string, kind: "tree" | "blob"): Promise<GitObject> {
    const known = this.#made.get(id) ?? readLoose(this.#person.objects, id);
    if (known !== null) return known;
    return await askForObject(this.#person.git, kind, id);
  }

  /** Of what was made here: trees on the way to others are none of it. */
  *#reachable(id: string): Generator<GitObject> {
    const object = this.#made.get(id);
    if (object === undefined) return;
    this.#made.delete(id);
    yield object;
    if (object.kind !== "tree") return;
    for (const { oid } of parseTree(object.content, id.length)) yield* this.#reachable(oid);
  }
}
