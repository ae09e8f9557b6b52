// The standard streams of one child, as seen from both sides.
import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { openInput, openPipes } from "./pipes.ts";

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
