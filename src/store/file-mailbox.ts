// The mailbox as files: `shadows/<id>/answers/<answer id>.json`, each made whole under a name of its own.
import { watch } from "node:fs";
import { join } from "node:path";
import type { Letter } from "../core/answers.ts";
import { type AnswerId, parseAnswerId, type ProjectId } from "../core/ids.ts";
import { ApproverKey, isSealed, sealOf } from "./approver-key.ts";
import {
  createDurably,
  ensureFolder,
  isTemp,
  listIfPresent,
  readIfPresent,
  removeIfPresent,
} from "./durable.ts";
import type { Files } from "./files.ts";
import type { Host } from "./host.ts";
import { shadowLayout } from "./layout.ts";
import type { Mail, Mailbox } from "./mailbox.ts";
import { orHardStop } from "./unwritable.ts";

/** An edited manifest may be in it; anything larger is nobody's answer. */
const MOST_BYTES = 24 * 1024 * 1024;

export class FileMailbox implements Mailbox {
  readonly #files: Files;
  readonly #stateHome: string;
  readonly #key: ApproverKey;
  readonly #tag: string;

  constructor(files: Files, host: Host, stateHome: string) {
    this.#files = files;
    this.#stateHome = stateHome;
    this.#key = new ApproverKey(files, host, stateHome);
    this.#tag = Buffer.from(host.randomBytes(8)).toString("hex");
  }

  drop(id: ProjectId, letter: Letter): void {
    const folder = this.#folder(id);
    ensureFolder(this.#files, folder);
    const text = JSON.stringify(letter);
    const seal = sealOf(this.#key.obtain(), id, text);
    const bytes = Buffer.from(`${JSON.stringify({ letter: text, seal })}\n`, "utf8");
    createDurably(this.#files, join(folder, nameOf(letter.id)), bytes, this.#tag);
  }

  waiting(id: ProjectId): readonly Mail[] {
    const folder = this.#folder(id);
    const names = orHardStop("list", folder, () => listIfPresent(this.#files, folder));
    const mail = names
      .filter((name) => !isTemp(name))
      .flatMap((name) => this.#read(id, name) ?? []);
    return mail.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  isWaiting(id: ProjectId, answer: AnswerId): boolean {
    const path = join(this.#folder(id), nameOf(answer));
    return orHardStop("look at", path, () => this.#files.stat(path)) !== undefined;
  }

  remove(id: ProjectId, name: string): void {
    const path = join(this.#folder(id), name);
    orHardStop("remove", path, () => removeIfPresent(this.#files, path));
  }

  setAside(id: ProjectId, name: string): string {
    const { foreign } = shadowLayout(this.#stateHome, id);
    ensureFolder(this.#files, foreign);
    const path = join(this.#folder(id), name);
    const aside = join(foreign, `answer-${this.#tag}-${name.replaceAll(/[^\w.-]/g, "_")}`);
    orHardStop("move", path, () => this.#files.rename(path, aside));
    return aside;
  }

  watch(id: ProjectId, onChange: () => void): () => void {
    const folder = this.#folder(id);
    ensureFolder(this.#files, folder);
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
    const facts = orHardStop("look at", path, () => this.#files.stat(path));
    if (facts === undefined) return undefined;
    const foreign = (why: string): Mail => ({ kind: "foreign", name, why });
    if (facts.kind !== "file" || facts.size > MOST_BYTES) return foreign("it is no letter");
    const bytes = orHardStop("read", path, () => readIfPresent(this.#files, path));
    if (bytes === undefined) return undefined;
    const found = parsed(bytes.toString("utf8")) as { letter?: unknown; seal?: unknown } | null;
    const { letter: text, seal } = found ?? {};
    if (typeof text !== "string" || typeof seal !== "string") return foreign("it is no letter");
    const key = this.#key.read();
    if (key === undefined || !isSealed(key, id, text, seal)) {
      return foreign("it is not sealed with the approver's key for this project");
    }
    const letter = parsed(text) as Letter | null;
    const isOwn = letter !== null && parseAnswerId(letter.id) !== undefined;
    return isOwn && nameOf(letter.id) === name
      ? { kind: "letter", name, letter }
      : foreign("its name is not that of its answer");
  }

  #folder(id: ProjectId): string {
    return shadowLayout(this.#stateHome, id).answers;
  }
}

function nameOf(answer: AnswerId): string {
  return `${answer}.json`;
}

function orderOf(mail: Mail): string {
  return mail.kind === "letter" ? `${mail.letter.at} ${mail.name}` : `~ ${mail.name}`;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
