// What a run in the background leaves for whoever looks: who it is, what it says, and how it ended.
//
//   detached/<id>/current.json          the process of the last one, and its name
//   detached/<id>/<name>.log            what it says, in lines; the output of its process
//   detached/<id>/<name>.news.jsonl     the same as news, for a live view
//   detached/<id>/<name>.ended.json     how it ended; absent where it was killed
//
// No lease is needed for any of it: nothing here says how a project stands.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ProjectId } from "../core/ids.ts";
import type { Instant } from "../core/instant.ts";
import { parseJsonLine } from "../core/json-line.ts";
import type { News } from "../core/news.ts";
import { Disk } from "./disk.ts";
import type { Files } from "./files.ts";
import type { Host } from "./host.ts";

export interface DetachedRun {
  readonly name: string;
  readonly pid: number;
  readonly process_start: string;
  readonly boot_id: string;
  readonly pid_namespace: string;
  readonly started_at: Instant;
}

/** How it ended, as the document that `run --json` would have printed. */
export interface DetachedEnd {
  readonly exit_code: number;
  readonly document: unknown;
}

/** News beyond it are those that nobody would miss: what agents say is left out. */
const LONGEST_NEWS = 32 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

export class DetachedFiles {
  readonly #disk: Disk;
  readonly #host: Host;
  readonly #home: string;

  constructor(files: Files, host: Host, stateHome: string) {
    this.#disk = new Disk(files, Buffer.from(host.randomBytes(8)).toString("hex"));
    this.#host = host;
    this.#home = join(stateHome, "detached");
  }

  newName(): string {
    return Buffer.from(this.#host.randomBytes(4)).toString("hex");
  }

  logPath(id: ProjectId, name: string): string {
    return join(this.#home, id, `${name}.log`);
  }

  newsPath(id: ProjectId, name: string): string {
    return join(this.#home, id, `${name}.news.jsonl`);
  }

  /** Open for writing at its end, for a process that is started. */
  openLog(id: ProjectId, name: string): number {
    this.#disk.ensureFolderLightly(join(this.#home, id));
    return openToAppend(this.logPath(id, name));
  }

  /** What this process tells from now on. */
  openNews(id: ProjectId, name: string): { tell(news: News): void; close(): void } {
    const file = openToAppend(this.newsPath(id, name));
    let written = 0;
    return {
      tell(news) {
        if (written > LONGEST_NEWS && news.kind === "session") return;
        written += writeSync(file, `${JSON.stringify(news)}\n`);
      },
      close: () => closeSync(file),
    };
  }

  /** This process is the run in the background; what earlier ones left goes. */
  takeOver(id: ProjectId, name: string, started_at: Instant): void {
    const { pid, process_start, boot_id, pid_namespace } = this.#host.self();
    const run: DetachedRun = { name, pid, process_start, boot_id, pid_namespace, started_at };
    this.#disk.replaceLightly(this.#current(id), encode(run));
    this.#disk.clean(
      join(this.#home, id),
      (file) => /^[0-9a-f]{8}\./.test(file) && !file.startsWith(`${name}.`),
    );
  }

  /** It never came to work; another one may be at it. */
  giveBack(id: ProjectId, name: string): void {
    if (this.current(id)?.name === name) this.#disk.remove(this.#current(id));
  }

  /** The last one, also where it has ended. */
  current(id: ProjectId): DetachedRun | undefined {
    const bytes = this.#disk.read(this.#current(id));
    const run = bytes && parseJsonLine(bytes.toString("utf8"));
    const isWhole = typeof run?.["pid"] === "number" && /^[0-9a-f]{8}$/.test(String(run["name"]));
    return isWhole ? (run as unknown as DetachedRun) : undefined;
  }

  isAlive({ pid, process_start, boot_id, pid_namespace }: Omit<DetachedRun, "name">): boolean {
    const self = this.#host.self();
    if (boot_id !== self.boot_id || pid_namespace !== self.pid_namespace) return false;
    return this.#host.processState(pid, process_start) !== "dead";
  }

  keepEnd(id: ProjectId, name: string, end: DetachedEnd): void {
    this.#disk.replaceLightly(this.#ended(id, name), encode(end));
  }

  /** Undefined while it is at work, and where it was killed. */
  end(id: ProjectId, name: string): DetachedEnd | undefined {
    const bytes = this.#disk.read(this.#ended(id, name));
    const end = bytes && parseJsonLine(bytes.toString("utf8"));
    return typeof end?.["exit_code"] === "number" ? (end as unknown as DetachedEnd) : undefined;
  }

  /** Whole lines from an offset on, and where the next ones begin. */
  news(
    id: ProjectId,
    name: string,
    from: number,
  ): { readonly news: News[]; readonly next: number } {
    let file: number;
    try {
      file = openSync(this.newsPath(id, name), "r");
    } catch {
      return { news: [], next: from };
    }
    try {
      const length = Math.min(READ_BYTES, Math.max(0, fstatSync(file).size - from));
      const bytes = Buffer.alloc(length);
      const text = bytes.subarray(0, readSync(file, bytes, 0, length, from));
      const end = text.lastIndexOf(0x0a) + 1;
      const lines = text.toString("utf8", 0, end).split("\n");
      const news = lines.flatMap((line) => (parseJsonLine(line) as News | undefined) ?? []);
      return { news, next: from + end };
    } finally {
      closeSync(file);
    }
  }

  #current(id: ProjectId): string {
    return join(this.#home, id, "current.json");
  }

  #ended(id: ProjectId, name: string): string {
    return join(this.#home, id, `${name}.ended.json`);
  }
}

function openToAppend(path: string): number {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  return openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
}

function encode(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
}
