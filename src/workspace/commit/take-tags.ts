// Tags that an act made in its throwaway repository become tags of the person's. A tag of theirs is never
// moved or deleted, an annotated or signed one keeps its object, and only what a ref of theirs holds can be
// tagged: nothing unverified comes in by a tag. What is not taken over is said.
//
// Its refs are read as files and its objects through Stint's own git, so that nothing it configured counts.
// Order that matters on a crash: the tags that were there before are durable before the act starts and go
// when all new ones are taken; until then everything here may be repeated.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { StintError } from "../../core/stint-error.ts";
import { OBJECT_ID } from "../base/own-git.ts";
import type { PersonRepository } from "../base/person-repository.ts";
import type { Place, WithGit } from "../base/place.ts";
import { factsIfPossible } from "../base/raw-path.ts";
import { moveRefs } from "../base/refs.ts";
import { plainText, withSessionObjects } from "./commit-hooks.ts";
import { forgetTags, notedTags } from "../tree/session-git.ts";
import type { TagsOfAct } from "../workspace.ts";

/** Name → the object that it names: a commit, or a tag object. */
type Tags = Map<string, string>;

const TAGS = "refs/tags/";
/** No more than a ref may be, and nothing that means something to git's own reader of instructions. */
const NAME = /^[^\p{Cc}\s"'\\~^:?*[\uFFFD]+$/u;
const MOST_TAGS = 100;
const LARGEST_TAG_BYTES = 1024 * 1024;
/** A tag may name a tag. */
const DEEPEST = 5;

const NONE: TagsOfAct = { taken: [], left: [] };

export async function takeTags(place: WithGit): Promise<TagsOfAct> {
  const { person } = place;
  const { home } = place.options;
  const noted = notedTags(home);
  if (noted === null) return NONE;
  const before = tagsInLines(noted);
  const after = tagsIn(join(place.folder, ".git"));
  const made = [...after].filter(([name, object]) => before.get(name) !== object);
  const taken: string[] = [];
  const left = [...before.keys()]
    .filter((tag) => !after.has(tag))
    .map((tag) => ({ tag, why: "it was deleted there; yours stays" }));
  const theirs = made.length === 0 ? new Map() : await tagsOfPerson(person);
  for (const [tag, object] of made.slice(0, MOST_TAGS)) {
    if (theirs.get(tag) === object) continue;
    // oxlint-disable-next-line no-await-in-loop
    const why = theirs.has(tag) ? EXISTS : await takeOne(place, tag, object);
    if (why === null) taken.push(tag);
    else left.push({ tag, why });
  }
  for (const [tag] of made.slice(MOST_TAGS)) {
    left.push({ tag, why: `no more than ${MOST_TAGS} are copied from one act` });
  }
  // What runs next is to see them.
  delete place.refs;
  forgetTags(home);
  return { taken, left };
}

const EXISTS = "your repository has another tag of that name, and it is never moved";
const OWN_COMMIT =
  "it is on a commit that no branch or tag of yours contains; tag the commit of the work instead";

/** @returns why not */
async function takeOne(place: WithGit, tag: string, object: string): Promise<string | null> {
  const { person } = place;
  if (!NAME.test(tag)) return "its name is not one that a tag may have";
  try {
    const chain = await tagObjects(place, object);
    if (typeof chain === "string") return chain;
    if (!(await isHeld(person, chain.commit))) return OWN_COMMIT;
    for (const { id, content } of chain.objects.toReversed()) {
      // oxlint-disable-next-line no-await-in-loop
      const written = await person.git.id(["hash-object", "-t", "tag", "-w", "--stdin"], {
        input: content,
      });
      if (written !== id) return "its object is damaged";
    }
    await moveRefs(person, [{ ref: `${TAGS}${tag}`, to: object, from: null }]);
    return null;
  } catch (error) {
    // Of one tag, whatever an act left in there; the others are taken all the same.
    if (error instanceof StintError && error.code === "git-failed")
      return `git refused it: ${error.message}`;
    throw error;
  }
}

interface Chain {
  /** Tag objects, the outermost first; none for a tag that names a commit itself. */
  readonly objects: readonly { readonly id: string; readonly content: Uint8Array }[];
  readonly commit: string;
}

async function tagObjects(place: Place, object: string): Promise<Chain | string> {
  const reading = withSessionObjects(place);
  const objects: { id: string; content: Uint8Array }[] = [];
  let id = object;
  while (objects.length <= DEEPEST) {
    // oxlint-disable-next-line no-await-in-loop
    const { stdout } = await place.git.run(["cat-file", "--batch-check"], {
      input: `${id}\n`,
      ...reading,
    });
    const [, kind, size] = stdout.trim().split(" ");
    if (kind === "commit") return { objects, commit: id };
    if (kind !== "tag") return `it does not name a commit (${kind ?? "nothing"})`;
    if (Number(size) > LARGEST_TAG_BYTES) return "its message is larger than 1 MiB";
    // oxlint-disable-next-line no-await-in-loop
    const { bytes } = await place.git.run(["cat-file", "tag", id], reading);
    objects.push({ id, content: bytes });
    const next = /^object ([0-9a-f]+)\n/.exec(bytes.toString("latin1"))?.[1] ?? "";
    if (!OBJECT_ID.test(next)) return "its object is damaged";
    id = next;
  }
  return "it is a tag of a tag of a tag, and so on";
}

/** Held by one of the person's refs: verified, or theirs. */
async function isHeld({ git }: PersonRepository, commit: string): Promise<boolean> {
  const args = ["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${commit}`];
  const { code, stdout } = await git.run(args, { accept: [0, 129] });
  return code === 0 && stdout.trim() !== "";
}

async function tagsOfPerson({ git }: PersonRepository): Promise<Tags> {
  const { stdout } = await git.run(["for-each-ref", "--format=%(objectname) %(refname)", TAGS]);
  return tagsInLines(stdout);
}

function tagsInLines(text: string): Tags {
  const tags: Tags = new Map();
  for (const line of text.split("\n")) {
    const at = line.indexOf(` ${TAGS}`);
    if (at > 0 && OBJECT_ID.test(line.slice(0, at))) {
      tags.set(line.slice(at + 1 + TAGS.length), line.slice(0, at));
    }
  }
  return tags;
}

/** As git itself reads them: a file of its own wins over the packed ones. No link is followed. */
function tagsIn(git: string): Tags {
  if (!isFolder(git)) return new Map();
  const tags = tagsInLines(plainText(join(git, "packed-refs")));
  if (!isFolder(join(git, "refs"))) return tags;
  const open = [""];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    const folder = join(git, TAGS, below);
    if (!isFolder(folder)) continue;
    for (const name of readdirSync(folder)) {
      const tag = `${below}${name}`;
      if (isFolder(join(folder, name))) open.push(`${tag}/`);
      else {
        const object = plainText(join(folder, name));
        if (OBJECT_ID.test(object)) tags.set(tag, object);
      }
    }
  }
  return tags;
}

function isFolder(path: string): boolean {
  return factsIfPossible(path)?.isDirectory() === true;
}
