// The standard streams of one child, as seen from both sides, which it can open again by name. Node connects
// children by sockets, with which `echo … > /dev/stderr` and `cat /dev/stdin` fail, and people write these in
// scripts and checks. So output goes through named pipes and input comes from a file; both are removed as soon
// as they are open. And the descriptors that nobody wants to pass on.
import { type ChildProcess, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export interface Output {
  readonly stream: "stdout" | "stderr";
  readonly pipe: Readable;
}

export interface ChildStreams {
  /** What the child gets as descriptors 0, 1 and 2. */
  readonly stdio: readonly (number | "pipe" | "ignore")[];
  /** To be called when the child has its ends, or never will. */
  handedOver(): void;
  outputs(child: ChildProcess): readonly Output[];
  /** Gives up our ends; the child was not started. */
  discard(): void;
}

export interface StreamWish {
  readonly stdin: string | undefined;
  /** Both streams through one pipe, in the order in which they were written. */
  readonly combined: boolean;
}

export function openStreams({ stdin, combined }: StreamWish): ChildStreams {
  const input = stdin === undefined ? undefined : openInput(stdin);
  const first = stdin === undefined ? "ignore" : (input ?? "pipe");
  const closeInput = (): void => {
    if (input !== undefined) closeSync(input);
  };
  const pipes = openPipes(combined ? 1 : 2);
  const [out, err = out] = pipes ?? [];
  if (pipes === undefined || out === undefined || err === undefined) {
    const outputs = (child: ChildProcess): Output[] => socketOutputs(child, combined);
    return { stdio: [first, "pipe", "pipe"], handedOver: closeInput, outputs, discard: () => {} };
  }
  const stdout: Output = { stream: "stdout", pipe: out.ours };
  const stderr: Output = { stream: "stderr", pipe: err.ours };
  return {
    stdio: [first, out.theirs, err.theirs],
    handedOver() {
      closeInput();
      for (const pipe of pipes) closeSync(pipe.theirs);
    },
    outputs: () => (combined ? [stdout] : [stdout, stderr]),
    discard: () => pipes.forEach((pipe) => pipe.ours.destroy()),
  };
}

/** Writes to a child that could not be given a file. It need not read what it is given. */
export function feed(input: Writable | null, text: string | undefined): void {
  input?.on("error", () => {
    // EPIPE: it closed its stdin or ended.
  });
  input?.end(text);
}

/** Where named pipes cannot be made: Node's own connection, each stream read as it comes. */
function socketOutputs({ stdout, stderr }: ChildProcess, combined: boolean): Output[] {
  if (stdout === null || stderr === null) throw new Error("a child without streams");
  return [
    { stream: "stdout", pipe: stdout },
    { stream: combined ? "stdout" : "stderr", pipe: stderr },
  ];
}

interface Pipe {
  /** The child's end; to be closed here once the child has it. */
  readonly theirs: number;
  readonly ours: Socket;
}

/** So many pipes from the child to us, or undefined where named pipes cannot be made, or Node does not take them. */
function openPipes(count: number): Pipe[] | undefined {
  const ends = process.platform === "linux" ? endsFromStock(count) : newEnds(count);
  if (ends === undefined) return undefined;
  const pipes: Pipe[] = [];
  try {
    for (const { ours, theirs } of ends) {
      pipes.push({ theirs, ours: new Socket({ fd: ours, readable: true, writable: false }) });
    }
    return pipes;
  } catch {
    // A system that does not say what kind of file it is.
    for (const { ours } of pipes) ours.destroy();
    for (const { ours } of ends.slice(pipes.length)) closeSync(ours);
    for (const { theirs } of ends) closeSync(theirs);
    return undefined;
  }
}

interface Ends {
  readonly ours: number;
  readonly theirs: number;
}

function openEnds(path: string, opened: number[]): Ends {
  // Only our end may be non-blocking: a program does not expect EAGAIN on its output.
  const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  opened.push(ours);
  const theirs = openSync(path, constants.O_WRONLY);
  opened.push(theirs);
  return { ours, theirs };
}

function newEnds(count: number): Ends[] | undefined {
  return inTemporaryFolder((folder, opened) =>
    makePipes(folder, count).map((path) => openEnds(path, opened)),
  );
}

/** Pipes that nobody uses yet, each held open; their names are gone already. */
const stock: number[] = [];
/** Many cost no more than one: what costs is starting the program that makes them. */
const STOCK = 16;

/** Linux opens a pipe anew by the name of its descriptor; other systems only copy the descriptor. */
function endsFromStock(count: number): Ends[] | undefined {
  if (stock.length < count) {
    const made = inTemporaryFolder((folder, opened) => {
      for (const path of makePipes(folder, STOCK)) opened.push(openSync(path, constants.O_RDWR));
      return opened;
    });
    stock.push(...(made ?? []));
  }
  const taken = stock.splice(0, count);
  const opened: number[] = [];
  try {
    if (taken.length < count) return undefined;
    return taken.map((fd) => openEnds(`/proc/self/fd/${fd}`, opened));
  } catch {
    for (const fd of opened) closeSync(fd);
    return undefined;
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}

function makePipes(folder: string, count: number): string[] {
  const paths = Array.from({ length: count }, (_, index) => join(folder, String(index)));
  const { status } = spawnSync("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
  if (status !== 0) throw new Error("mkfifo failed");
  return paths;
}

/** A descriptor to read this text from, or undefined where no file can be written. */
function openInput(text: string): number | undefined {
  // A named pipe would not do: opened again after everything was written, it waits for ever.
  return inTemporaryFolder((folder, opened) => {
    const path = join(folder, "input");
    writeFileSync(path, text, { mode: 0o600 });
    const fd = openSync(path, "r");
    opened.push(fd);
    return fd;
  });
}

function inTemporaryFolder<T>(make: (folder: string, opened: number[]) => T): T | undefined {
  const opened: number[] = [];
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), "stint-pipe-"));
    return make(folder, opened);
  } catch {
    // No place for temporary files, or no descriptor free: the caller has another way.
    for (const fd of opened) closeSync(fd);
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const CLOSE_ON_EXEC = 0o2000000;

/**
 * The descriptors that this process would pass on to a child without wanting to: opened by whoever
 * started it, without close-on-exec. Node marks the first ones itself and misses the rest.
 * Numbers above the standard streams. Empty where the system tells nothing (macOS passes none).
 */
export function inheritedDescriptors(): number[] {
  let names: string[];
  try {
    names = readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
  return names.map(Number).filter((fd) => fd > 2 && isPassedOn(fd));
}

function isPassedOn(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, "latin1");
    const flags = /^flags:\s*([0-7]+)/m.exec(info)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor with which the folder was read.
    return false;
  }
}
