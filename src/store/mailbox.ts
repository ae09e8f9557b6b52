// Where answers lie while a run is live: only the holder of the lease writes, so whoever answers leaves
// a letter, and the run takes it up. Each is a file `shadows/<id>/answers/<answer id>.json`, made whole under a
// name of its own, and sealed with the approver's key; what is not is nobody's. The key lies outside every
// repository, readable by its owner alone, and hidden from sessions where isolation can hide it. It is made
// when it is first needed.
import { createHmac, timingSafeEqual } from "node:crypto";
import { watch } from "node:fs";
import { join } from "node:path";
import type { Letter } from "../core/answers.ts";
import { type AnswerId, parseAnswerId, type ProjectId } from "../core/ids.ts";
import { parseJsonLine } from "../core/json-line.ts";
import { StintError } from "../core/stint-error.ts";
import { Disk, isTemp, readIfPresent } from "./disk.ts";
import { errnoOf } from "../core/words/system-error.ts";
import { type Files, orHardStop } from "./files.ts";
import type { Host } from "./host.ts";
import { shadowLayout } from "./layout.ts";

const KEY = /^[0-9a-f]{64}$/;

/** A letter as it was found. */
export type Mail =
  | { readonly kind: "letter"; readonly name: string; readonly letter: Letter }
  /** Not sealed with the key, cut, or not for this project. */
  | { readonly kind: "foreign"; readonly name: string; readonly why: string };

/** An edited manifest may be in it; anything larger is nobody's answer. */
const MOST_BYTES = 24 * 1024 * 1024;

export class Mailbox {
  readonly #disk: Disk;
  readonly #stateHome: string;
  readonly #host: Host;
  readonly #tag: string;

  constructor(files: Files, host: Host, stateHome: string) {
    this.#stateHome = stateHome;
    this.#host = host;
    this.#tag = Buffer.from(host.randomBytes(8)).toString("hex");
    this.#disk = new Disk(files, this.#tag);
  }

  /** Makes sure that whoever asks has the approver's key. @throws refused */
  proveKey(): void {
    this.#obtainKey();
  }

  /** Leaves a letter, durably. Leaving it again changes nothing. */
  drop(id: ProjectId, letter: Letter): void {
    const folder = this.#folder(id);
    this.#disk.ensureFolder(folder);
    const text = JSON.stringify(letter);
    const seal = sealOf(this.#obtainKey(), id, text);
    const bytes = Buffer.from(`${JSON.stringify({ letter: text, seal })}\n`, "utf8");
    this.#disk.create(join(folder, nameOf(letter.id)), bytes);
  }

  /** What lies there, oldest answer first. */
  waiting(id: ProjectId): readonly Mail[] {
    const folder = this.#folder(id);
    const mail = this.#disk
      .list(folder)
      .filter((name) => !isTemp(name))
      .flatMap((name) => this.#read(id, name) ?? []);
    return mail.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  /** Whether a letter still lies there. */
  isWaiting(id: ProjectId, answer: AnswerId): boolean {
    return this.#disk.stat(join(this.#folder(id), nameOf(answer))) !== undefined;
  }

  /** A letter whose answer is in the journal. Safe to repeat. */
  remove(id: ProjectId, name: string): void {
    this.#disk.remove(join(this.#folder(id), name));
  }

  /** Out of the way, kept for people to look at. @returns where */
  setAside(id: ProjectId, name: string): string {
    const { foreign } = shadowLayout(this.#stateHome, id);
    this.#disk.ensureFolder(foreign);
    const aside = join(foreign, `answer-${this.#tag}-${name.replaceAll(/[^\w.-]/g, "_")}`);
    this.#disk.move(join(this.#folder(id), name), aside);
    return aside;
  }

  /** Calls back whenever something may have come or gone. @returns how to end it */
  watch(id: ProjectId, onChange: () => void): () => void {
    const folder = this.#folder(id);
    this.#disk.ensureFolder(folder);
    try {
      const watcher = watch(folder, { persistent: false }, onChange);
      // Whoever looks again now and then needs no word from a system that cannot give it.
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => {};
    }
  }

  #read(id: ProjectId, name: string): Mail | undefined {
    const path = join(this.#folder(id), name);
    const facts = this.#disk.stat(path);
    if (facts === undefined) return undefined;
    const foreign = (why: string): Mail => ({ kind: "foreign", name, why });
    if (facts.kind !== "file" || facts.size > MOST_BYTES)
      return foreign("it is not an answer file");
    const bytes = this.#disk.read(path);
    if (bytes === undefined) return undefined;
    const { letter: text, seal } = parseJsonLine(bytes.toString("utf8")) ?? {};
    if (typeof text !== "string" || typeof seal !== "string")
      return foreign("it is not an answer file");
    const key = this.#readKey();
    if (key === undefined || !isSealed(key, id, text, seal)) {
      return foreign("it is not sealed with the approver's key for this project");
    }
    const letter = parseJsonLine(text) as Letter | undefined;
    const isOwn = letter !== undefined && parseAnswerId(letter.id) !== undefined;
    return isOwn && nameOf(letter.id) === name
      ? { kind: "letter", name, letter }
      : foreign("its name is not that of its answer");
  }

  #folder(id: ProjectId): string {
    return shadowLayout(this.#stateHome, id).answers;
  }

  /** The key, made if there is none. Of several who make it at once, one key counts for all. */
  #obtainKey(): string {
    const known = this.#readKey();
    if (known !== undefined) return known;
    this.#disk.ensureFolder(this.#stateHome);
    const made = Buffer.from(this.#host.randomBytes(32)).toString("hex");
    this.#disk.create(this.#keyPath, Buffer.from(`${made}\n`, "utf8"));
    return this.#readKey() ?? made;
  }

  /** Undefined where there is none. @throws bad-input when there is something else */
  #readKey(): string | undefined {
    const path = this.#keyPath;
    const key = orHardStop("read", path, () => this.#keyBytes())
      ?.toString("utf8")
      .trim();
    if (key === undefined || KEY.test(key)) return key;
    throw new StintError(
      "bad-input",
      `${path} is not an approver key`,
      `Remove it; a new one is made with the next answer: rm ${path}`,
    );
  }

  #keyBytes(): Buffer | undefined {
    try {
      return readIfPresent(this.#disk.files, this.#keyPath);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno !== "EACCES" && errno !== "EPERM") throw error;
      throw new StintError(
        "refused",
        `${this.#keyPath} cannot be read (${errno}): only a person who can read the approver's key can answer`,
        "Answer from the account that owns it.",
      );
    }
  }

  get #keyPath(): string {
    return join(this.#stateHome, "approver.key");
  }
}

function nameOf(answer: AnswerId): string {
  return `${answer}.json`;
}

function orderOf(mail: Mail): string {
  return mail.kind === "letter" ? `${mail.letter.at} ${mail.name}` : `~ ${mail.name}`;
}

/** Binds a text to a project and to the key. */
function sealOf(key: string, project: string, text: string): string {
  return createHmac("sha256", key).update(`stint-answer-1\n${project}\n${text}`).digest("hex");
}

function isSealed(key: string, project: string, text: string, seal: string): boolean {
  const right = Buffer.from(sealOf(key, project, text), "utf8");
  const given = Buffer.from(seal, "utf8");
  return right.length === given.length && timingSafeEqual(right, given);
}
