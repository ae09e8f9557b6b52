// The key that a person's answers are sealed with: outside every repository, readable by its owner
// alone, and hidden from sessions where isolation can hide it. Made when it is first needed.
import { createHmac, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { StintError } from "../core/stint-error.ts";
import { createDurably, ensureFolder, readIfPresent } from "./durable.ts";
import type { Files } from "./files.ts";
import type { Host } from "./host.ts";
import { orHardStop } from "./unwritable.ts";

const KEY = /^[0-9a-f]{64}$/;

export class ApproverKey {
  readonly #files: Files;
  readonly #host: Host;
  readonly #folder: string;

  constructor(files: Files, host: Host, stateHome: string) {
    this.#files = files;
    this.#host = host;
    this.#folder = stateHome;
  }

  get path(): string {
    return join(this.#folder, "approver.key");
  }

  /** The key, made if there is none. Of several who make it at once, one key counts for all. */
  obtain(): string {
    const known = this.read();
    if (known !== undefined) return known;
    ensureFolder(this.#files, this.#folder);
    const tag = Buffer.from(this.#host.randomBytes(8)).toString("hex");
    const made = Buffer.from(this.#host.randomBytes(32)).toString("hex");
    createDurably(this.#files, this.path, Buffer.from(`${made}\n`, "utf8"), tag);
    return this.read() ?? made;
  }

  /** Undefined where there is none. @throws bad-input when there is something else */
  read(): string | undefined {
    const bytes = orHardStop("read", this.path, () => readIfPresent(this.#files, this.path));
    if (bytes === undefined) return undefined;
    const key = bytes.toString("utf8").trim();
    if (KEY.test(key)) return key;
    throw new StintError(
      "bad-input",
      `${this.path} is no approver key`,
      `Remove it; a new one is made with the next answer: rm ${this.path}`,
    );
  }
}

/** Binds a text to a project and to the key. */
export function sealOf(key: string, project: string, text: string): string {
  return createHmac("sha256", key).update(`stint-answer-1\n${project}\n${text}`).digest("hex");
}

export function isSealed(key: string, project: string, text: string, seal: string): boolean {
  const right = Buffer.from(sealOf(key, project, text), "utf8");
  const given = Buffer.from(seal, "utf8");
  return right.length === given.length && timingSafeEqual(right, given);
}
