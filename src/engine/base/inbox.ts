// The inbox of a project: the one folder that a session or a worker may write to. What lies there is anybody's:
// only plain files of bounded size are read, no link is followed, and what is none is taken aside by its name.
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { renameSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { MESSAGE_MAX_BYTES, type MessageFile } from "../../core/returned-work.ts";
import { MOST_WORDS, sessionOfName } from "../../core/session-words.ts";
import { Disk } from "../../store/disk.ts";
import { errnoOf } from "../../core/words/system-error.ts";
import { realFiles } from "../../store/files.ts";
import type { Host } from "../../store/host.ts";
import { projectLayout } from "../../store/layout.ts";
import type { RegistryEntry } from "../../store/store.ts";
import { lookAt } from "../../process/look-at.ts";

type Place = Pick<RegistryEntry, "root" | "folder">;

export type Found =
  | (MessageFile & { readonly kind: "file"; readonly bytes: Buffer })
  | { readonly kind: "foreign"; readonly name: string; readonly why: string };

/** More than this is left for the next time. */
const MOST_AT_ONCE = 50;

export class Inbox {
  readonly #folder: string;

  constructor(place: Place) {
    this.#folder = join(projectLayout(place).folder, "inbox");
  }

  /** Whether anything lies there but words of sessions, which are heard at their end. */
  hasMail(): boolean {
    return this.#messages().length > 0;
  }

  waiting(): readonly Found[] {
    return this.#messages()
      .slice(0, MOST_AT_ONCE)
      .flatMap((name) => this.#read(name) ?? []);
  }

  /** What lies there in the name of a session, in the order in which it was said. */
  wordsOf(session: number): readonly Found[] {
    return this.#names()
      .filter((name) => sessionOfName(name) === session)
      .slice(0, MOST_WORDS)
      .flatMap((name) => this.#read(name) ?? []);
  }

  /** The sessions in whose names words lie there. */
  speakers(): readonly number[] {
    return [...new Set(this.#names().flatMap((name) => sessionOfName(name) ?? []))];
  }

  #messages(): string[] {
    return this.#names().filter((name) => sessionOfName(name) === null);
  }

  /** Safe to repeat. */
  remove(name: string): void {
    rmSync(join(this.#folder, name), { force: true });
  }

  /** Out of the way, where nobody reads it again, for a person to look at. @returns its new name */
  setAside(name: string, { randomBytes }: Pick<Host, "randomBytes">): string {
    const aside = `.aside-${Buffer.from(randomBytes(4)).toString("hex")}-${name}`.slice(0, 200);
    try {
      renameSync(join(this.#folder, name), join(this.#folder, aside));
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
    }
    return aside;
  }

  /** Durable when it returns. @returns false where a file of this name lies there already */
  drop(name: string, text: string, { randomBytes }: Pick<Host, "randomBytes">): boolean {
    const disk = new Disk(realFiles, Buffer.from(randomBytes(8)).toString("hex"));
    disk.ensureFolder(this.#folder);
    return disk.create(join(this.#folder, name), Buffer.from(text, "utf8"));
  }

  /** Calls back whenever something may have come. @returns how to end it */
  watch(onChange: () => void): () => void {
    try {
      const watcher = watch(this.#folder, { persistent: false }, onChange);
      // Whoever looks again now and then needs no word from a system that cannot give it.
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => {};
    }
  }

  /** Names that begin with a dot are nobody's message: half-written files, and what was taken aside. */
  #names(): string[] {
    if (lookAt(this.#folder)?.isDirectory() !== true) return [];
    return readdirSync(this.#folder)
      .filter((name) => !name.startsWith("."))
      .toSorted();
  }

  #read(name: string): Found | undefined {
    const foreign = (why: string): Found => ({ kind: "foreign", name, why });
    let fd: number;
    try {
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      // A pipe would wait for whoever writes into it.
      fd = openSync(join(this.#folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ENOENT") return undefined;
      return foreign(errno === "ELOOP" ? "it is a link" : `it cannot be read (${errno})`);
    }
    try {
      const facts = fstatSync(fd);
      if (!facts.isFile()) return foreign("it is not a file");
      const buffer = Buffer.alloc(MESSAGE_MAX_BYTES + 1);
      let length = 0;
      for (let read = 1; read > 0 && length < buffer.length; length += read) {
        read = readSync(fd, buffer, length, buffer.length - length, null);
      }
      if (length > MESSAGE_MAX_BYTES) return foreign("it is larger than 64 KiB");
      const bytes = buffer.subarray(0, length);
      return { kind: "file", name, ino: facts.ino, mtime_ms: facts.mtimeMs, bytes };
    } finally {
      closeSync(fd);
    }
  }
}
