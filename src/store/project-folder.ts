// The copy of state and journal in the project folder. It is never the authority: it is brought
// forward from the shadow, and what somebody else wrote there is kept aside, not believed.
//
// Its next revision does not wait for the disk, for the shadow has it: a loss of power may cut what is here
// or take it away, and the next owner makes it whole again from the shadow.
import { basename, dirname, join, relative } from "node:path";
import { isWithin } from "../core/files.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { StintError } from "../core/stint-error.ts";
import { type Disk, isTemp, readIfPresent } from "./disk.ts";
import { filesBelow, isMisplacedKept, kindOf } from "./doctor/kept-tree.ts";
import { freeName, type ProjectLayout, type ShadowLayout } from "./layout.ts";
import {
  isEarlierValidation,
  isSealedPage,
  journalRows,
  sealPage,
  VALIDATION_PAGE,
  validationPage,
} from "./pages.ts";
import { decodeState } from "./state-codec.ts";
import { whyNotOurs, writeStatePage } from "./state-page.ts";
import { linkOnTheWay, realPlace } from "./repository.ts";
import type { FolderCondition } from "./store.ts";
import { errnoOf } from "../core/words/system-error.ts";
import { inTheWayOf, orHardStop } from "./files.ts";

export interface DurableContent {
  readonly revision: number;
  readonly state: Buffer;
  readonly journal: Buffer;
  /** What the pages say of it. */
  readonly pages: Pages;
}

type Pages = Readonly<Record<string, string>>;

/** Those below the project folder that a run writes in. */
const FOLDERS = ["", "artifacts/evidence", "artifacts/tasks", "inbox", "logs/sessions"];

type PageState = Pick<ProjectState, "revision" | "page">;

/** The page of which a copy may lie among the person's files. */
const STATE_PAGE = "state.md";

export class ProjectFolder {
  readonly #disk: Disk;
  readonly #layout: ProjectLayout;
  readonly #shadow: Pick<ShadowLayout, "foreign" | "kept">;
  readonly #pointer: Buffer;
  /** Fingerprints of the copies that are written in place, as this owner left them. */
  #seen: readonly (string | undefined)[] = [];
  /** Of every check that the journal tells, and the whole page as it was written last. */
  #rows = "";
  #validation = "";

  constructor(
    disk: Disk,
    layout: ProjectLayout,
    shadow: Pick<ShadowLayout, "foreign" | "kept">,
    pointer: Buffer,
  ) {
    this.#disk = disk;
    this.#layout = layout;
    this.#shadow = shadow;
    this.#pointer = pointer;
  }

  /** Makes the folder equal to the durable content. @returns one line per thing that was not */
  heal(durable: DurableContent): string[] {
    const moved = this.clearTheWay(Object.keys(durable.pages));
    makeProjectFolder(this.#disk, this.#layout);
    this.#disk.removeTemps(this.#layout.folder);
    this.#disk.removeTemps(this.#layout.logs);
    const healed = [
      ...moved,
      ...this.#healState(durable),
      ...this.#healJournal(durable),
      ...this.#healValidation(durable),
      ...this.#healPointer(),
      ...this.#healKept(),
    ];
    this.#seen = this.#fingerprints();
    return healed;
  }

  /**
   * What is not a folder where one has to be, and not a file where one has to be. What is above the work tree is not
   * looked at; a link to a folder is refused elsewhere.
   */
  inTheWay(pages: readonly string[]): string[] {
    const { root, folder, state, journal, lease, validation } = this.#layout;
    const kept = filesBelow(this.#disk, this.#shadow.kept).map((path) =>
      join(folder, relative(this.#shadow.kept, path)),
    );
    const folders = [
      ...FOLDERS.map((name) => join(folder, name)),
      ...kept.map((path) => dirname(path)),
    ];
    const wrong = folders
      .map((path) => inTheWayOf(path))
      .filter((at) => at !== null && isWithin(at, root) && at !== root);
    const own = ["manifest.md", ...pages].map((name) => join(folder, name));
    const files = [state, journal, lease, validation, ...own, ...kept].filter(
      (path) => (kindOf(this.#disk, path) ?? "file") !== "file",
    );
    return [...new Set([...wrong.filter((at) => at !== null), ...files])];
  }

  /** Beside its place and never removed: it is somebody's. */
  clearTheWay(pages: readonly string[]): string[] {
    return this.inTheWay(pages).map((path) => {
      const aside = freeName(this.#disk, dirname(path), `${basename(path)}.aside`);
      this.#disk.move(path, aside);
      return `${path} was in the way; it was moved aside to ${aside}`;
    });
  }

  /** Whether somebody else touched the copies since this owner wrote them. */
  wasTouched(): boolean {
    return this.#fingerprints().some((each, at) => each !== this.#seen[at]);
  }

  /** Writes the next revision after it became durable in the shadow. */
  write(state: Buffer, line: Buffer, linePosition: number): void {
    this.#disk.replaceLightly(this.#layout.state, state);
    this.#disk.writeAtLightly(this.#layout.journal, linePosition, line);
    this.#seen = this.#fingerprints();
  }

  /** Of checks that were run now; the next pages have them. */
  addRows(rows: string): void {
    this.#rows += rows;
  }

  /** The copy of a kept file, for people; the shadow has it already. */
  keep(path: string, bytes: Buffer): void {
    const target = join(this.#layout.folder, path);
    checkProjectFolder(this.#disk, this.#layout, dirname(target));
    this.#disk.ensureFolderLightly(dirname(target));
    this.#disk.replaceLightly(target, bytes);
  }

  /** What a killed owner left beside the copies of kept files. */
  removeTempsIn(folders: readonly string[]): void {
    for (const folder of folders) this.#disk.removeTemps(join(this.#layout.folder, folder));
  }

  /** Generated pages; made again at every revision, so the disk is not waited for. */
  writePages({ revision, page }: PageState, pages: Pages): void {
    this.#writeValidation(revision, pages);
    for (const [name, content] of Object.entries(pages)) {
      if (name === VALIDATION_PAGE) continue;
      const bytes = sealPage(content, revision);
      this.#disk.replaceLightly(join(this.#layout.folder, name), bytes);
      const isShown = name === STATE_PAGE && page !== undefined;
      if (isShown) writeStatePage(this.#disk, this.#layout.root, page, bytes);
    }
  }

  /** Pages that somebody edited: ignored, kept aside, told; one among their own files stays as they left it. */
  keepEditedPages({ page }: PageState, names: readonly string[]): string[] {
    const theirs = page === undefined ? null : whyNotOurs(this.#disk, this.#layout.root, page);
    const left =
      theirs === null ? [] : [`${theirs}, so it is not written again; remove it if it should be`];
    const sealed = names.filter((name) => name !== VALIDATION_PAGE);
    const edited = sealed.flatMap((name) => {
      const path = join(this.#layout.folder, name);
      const bytes = readCopy(this.#disk, path);
      if (bytes === undefined || isSealedPage(bytes)) return [];
      const aside = this.#keepAside(name, bytes);
      return [
        `${path} is not what Stint made (edited, or cut by a crash); it is written again from the state${aside}`,
      ];
    });
    return [...edited, ...left];
  }

  #healState(durable: DurableContent): string[] {
    const path = this.#layout.state;
    const bytes = readCopy(this.#disk, path);
    const condition = compareState(bytes, durable);
    if (condition === "same") return [];
    const aside = condition === "foreign" ? this.#keepAside("state.json", bytes) : "";
    this.#disk.replace(path, durable.state);
    return [`${path} was ${WORDS[condition]}; restored to revision ${durable.revision}${aside}`];
  }

  #healJournal(durable: DurableContent): string[] {
    const path = this.#layout.journal;
    const bytes = readCopy(this.#disk, path);
    if (this.#isLink(path)) {
      const aside = this.#keepAside("journal.jsonl", bytes);
      this.#disk.replace(path, durable.journal);
      return [`${path} was a link; restored${aside}`];
    }
    if (bytes?.equals(durable.journal)) return [];
    const whole = bytes === undefined ? undefined : withoutNulEnd(bytes);
    if (whole !== undefined && isPrefix(whole, durable.journal)) {
      this.#disk.writeAt(path, whole.length, durable.journal.subarray(whole.length));
      if (bytes !== undefined && bytes.length > durable.journal.length) {
        this.#disk.truncate(path, durable.journal.length);
      }
      return [`${path} was old; updated to revision ${durable.revision}`];
    }
    if (bytes !== undefined && isTornLine(bytes, durable.journal)) {
      this.#disk.truncate(path, durable.journal.length);
      return [`${path} ended in an unfinished line; it was removed`];
    }
    const aside = bytes === undefined ? "" : this.#keepAside("journal.jsonl", bytes);
    this.#disk.replace(path, durable.journal);
    return [`${path} was ${WORDS[bytes ? "foreign" : "missing"]}; restored${aside}`];
  }

  #healPointer(): string[] {
    const path = join(this.#layout.folder, "manifest.md");
    const bytes = readCopy(this.#disk, path);
    if (bytes?.equals(this.#pointer)) return [];
    const aside = this.#keepAside("manifest.md", bytes);
    this.#disk.replace(path, this.#pointer);
    return [`${path} was ${WORDS[bytes ? "foreign" : "missing"]}; restored${aside}`];
  }

  /** It may grow long, so it is written only where it says something new. */
  #writeValidation(revision: number, pages: Pages): void {
    const content = validationPage(pages[VALIDATION_PAGE] ?? "", this.#rows);
    if (content === this.#validation) return;
    this.#disk.replaceLightly(this.#layout.validation, sealPage(content, revision));
    this.#validation = content;
    this.#seen = this.#fingerprints();
  }

  /** The journal is written in place, and a validation.md that was read may not lead elsewhere. */
  #isLink(path: string): boolean {
    if (this.#disk.stat(path) === undefined) return false;
    return this.#disk.realPath(path) !== realPlace(this.#disk, this.#layout.root, path);
  }

  #healValidation({ revision, journal, pages }: DurableContent): string[] {
    const path = this.#layout.validation;
    this.#rows = journalRows(journal);
    this.#validation = validationPage(pages[VALIDATION_PAGE] ?? "", this.#rows);
    const wanted = sealPage(this.#validation, revision);
    const bytes = readCopy(this.#disk, path);
    const isLink = this.#isLink(path);
    if (bytes?.equals(wanted) && !isLink) return [];
    // One that is behind, or of an earlier Stint, holds nothing of anybody.
    const isOurs =
      bytes !== undefined && (isSealedPage(bytes) || isEarlierValidation(bytes, this.#rows));
    const aside = isOurs ? "" : this.#keepAside(VALIDATION_PAGE, bytes);
    this.#disk.replace(path, wanted);
    return isOurs && !isLink ? [] : [`${path} differed from the journal; written again${aside}`];
  }

  /** Evidence and records of sessions, for people: what the shadow keeps and is not here. */
  #healKept(): string[] {
    const restored = this.#restoreBelow("");
    const { folder } = this.#layout;
    if (restored === 0) return [];
    return [`${restored} kept ${restored === 1 ? "file" : "files"} restored in ${folder}`];
  }

  #restoreBelow(path: string): number {
    const from = join(this.#shadow.kept, path);
    let restored = 0;
    for (const name of this.#disk.list(from)) {
      const own = join(from, name);
      const copy = join(path, name);
      const facts = this.#disk.stat(own);
      if (!isTemp(name) && isMisplacedKept(copy, facts?.kind)) throw notKept(own);
      if (facts?.kind === "folder") restored += this.#restoreBelow(copy);
      if (facts?.kind !== "file" || isTemp(name)) continue;
      const target = join(this.#layout.folder, copy);
      const there = this.#disk.stat(target);
      if (there?.kind === "file" && there.size === facts.size) continue;
      const bytes = this.#disk.read(own);
      if (bytes === undefined) continue;
      this.#keepAside(name, there === undefined ? undefined : readCopy(this.#disk, target));
      this.keep(copy, bytes);
      restored += 1;
    }
    return restored;
  }

  #keepAside(name: string, bytes: Buffer | undefined): string {
    // What a loss of power cut off holds nothing of anybody.
    if (bytes === undefined || withoutNulEnd(bytes).length === 0) return "";
    this.#disk.ensureFolder(this.#shadow.foreign);
    for (let n = 1; ; n += 1) {
      const path = join(this.#shadow.foreign, `${n}-${name}`);
      if (this.#disk.create(path, bytes) || this.#disk.read(path)?.equals(bytes)) {
        return `; what was there is kept at ${path}`;
      }
    }
  }

  #fingerprints(): (string | undefined)[] {
    const { state, journal, validation } = this.#layout;
    return [state, journal, validation].map((path) => this.#disk.stat(path)?.fingerprint);
  }
}

/**
 * Makes the project folder, but nowhere else than in its work tree: a link in place of a folder
 * would let whoever made it choose where Stint writes, and a work tree that is gone was moved.
 */
export function makeProjectFolder(disk: Disk, layout: ProjectLayout): void {
  checkProjectFolder(disk, layout, layout.logs);
  disk.ensureFolder(layout.logs);
}

function notKept(path: string): StintError {
  return new StintError(
    "state-corrupt",
    `${path} is not what Stint keeps there: a file is in the place of a folder, or a folder in that of a file`,
    "Set it aside, and take back what was there: stint doctor --repair",
  );
}

/** Null while it is there. */
export function workTreeGone(disk: Disk, root: string): StintError | null {
  if (disk.stat(root)?.kind === "folder") return null;
  return new StintError(
    "state-unwritable",
    `the work tree ${root} is gone. Nothing more was started.`,
    "If it was moved, go to its new place and run: stint doctor --adopt",
  );
}

function checkProjectFolder(disk: Disk, { root }: ProjectLayout, folder: string): void {
  const gone = workTreeGone(disk, root);
  if (gone !== null) throw gone;
  const link = linkOnTheWay(disk, root, folder);
  if (link === undefined) return;
  throw new StintError(
    "state-unwritable",
    `${link} leads to ${disk.realPath(link)} by a link; Stint does not write through links`,
    `Remove the link, then run: stint doctor`,
  );
}

const WORDS: Record<Exclude<FolderCondition, "same">, string> = {
  missing: "missing",
  behind: "behind",
  foreign: "not what Stint wrote",
  unreadable: "unreadable",
};

/** Whether it holds the pointer to the manifest and nothing else: the first thing that a creation writes. */
export function isFolderOnlyClaimed({ files }: Disk, { folder, logs }: ProjectLayout): boolean {
  const namesIn = (path: string): string[] =>
    files.stat(path)?.kind === "folder" ? files.list(path).filter((name) => !isTemp(name)) : [];
  const names = namesIn(folder).filter((name) => name !== "logs");
  return names.length === 1 && names[0] === "manifest.md" && namesIn(logs).length === 0;
}

/** How the copy of the state in the project folder is doing. Never stops a reader. */
export function folderCondition(
  disk: Disk,
  layout: ProjectLayout,
  durable: Pick<DurableContent, "revision" | "state">,
): FolderCondition {
  try {
    return compareState(readIfPresent(disk.files, layout.state), durable);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return "unreadable";
  }
}

/** Judges the copy of the state in the project folder against the durable one. */
function compareState(
  copy: Buffer | undefined,
  durable: Pick<DurableContent, "revision" | "state">,
): FolderCondition {
  if (copy === undefined) return "missing";
  if (copy.equals(durable.state)) return "same";
  const decoded = decodeState(copy);
  return decoded.ok && decoded.state.revision < durable.revision ? "behind" : "foreign";
}

/** A copy that is a folder, or that may not be read, counts as one that is not ours to read. */
export function readCopy(disk: Disk, path: string): Buffer | undefined {
  return orHardStop("read", path, () => {
    try {
      return readIfPresent(disk.files, path);
    } catch (error) {
      if (errnoOf(error) === "EISDIR" || errnoOf(error) === "ELOOP") return undefined;
      throw error;
    }
  });
}

/** File systems may lengthen a file before its bytes are there. */
function withoutNulEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

function isPrefix(shorter: Buffer, longer: Buffer): boolean {
  return shorter.length < longer.length && longer.subarray(0, shorter.length).equals(shorter);
}

/** Ours in full, followed by bytes of a line that was cut before its end. */
function isTornLine(copy: Buffer, durable: Buffer): boolean {
  return isPrefix(durable, copy) && !copy.subarray(durable.length).includes(0x0a);
}
