// Runs one agent session as a child process: bounded in time, its output drained always, redacted
// and kept in bounded logs, and nothing of it left when `ended` resolves.
import { BoundedLog, LineSplitter } from "./text/bounded-output.ts";
import type { ChildCommand } from "./find-program.ts";
import type { ProcessRecord } from "./process-table.ts";
import {
  type ChildEnd,
  type ChildRun,
  type Limits,
  runChild,
  type RunningChild,
} from "./run-child.ts";

type StreamName = "stdout" | "stderr";

export interface Supervision
  extends
    Limits,
    Pick<
      ChildRun,
      | "runId"
      | "isolation"
      | "view"
      | "killMs"
      | "askFirst"
      | "keepMs"
      | "idleUntilProgress"
      | "ownFolder"
    > {
  /** Files that get what the child prints, each at most `maxBytes` long. */
  readonly logs: {
    readonly stdout: string;
    readonly stderr: string;
    readonly maxBytes: number;
  };
  readonly redact: (line: string) => string;
  /** Complete lines, redacted and of bounded length. Notes of Stint's own come as stderr. */
  readonly onLine?: (stream: StreamName, line: string) => void;
  /** Called while the program still waits to be started. If it throws, the program never runs. */
  readonly onStarted: (record: ProcessRecord) => void;
}

export interface Ended extends ChildEnd {
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** The last lines of stderr, redacted. */
  readonly stderrTail: string;
}

export interface SupervisedChild extends Omit<RunningChild, "ended"> {
  /** Never rejects: once a child was started, its outcome is known. */
  readonly ended: Promise<Ended>;
}

const TAIL_CHARACTERS = 4096;

/** Throws a StintError when the program, its folder or a free process is missing. */
export function supervise(command: ChildCommand, supervision: Supervision): SupervisedChild {
  const { logs, redact, onLine } = supervision;
  let stderrTail = "";
  const bytes = { stdout: 0, stderr: 0 };
  const hear = (stream: StreamName, line: string): void => {
    if (stream === "stderr") {
      stderrTail = `${stderrTail}${line.slice(-TAIL_CHARACTERS)}\n`.slice(-TAIL_CHARACTERS);
    }
    onLine?.(stream, line);
  };
  const open = (stream: StreamName) => {
    const log = new BoundedLog(logs[stream], logs.maxBytes, (note) => hear("stderr", note));
    const lines = new LineSplitter(redact, (line) => {
      log.line(line);
      hear(stream, line);
    });
    return { log, lines };
  };
  const sinks = { stdout: open("stdout"), stderr: open("stderr") };
  const close = (): void => {
    for (const { log, lines } of Object.values(sinks)) {
      lines.end();
      log.close();
    }
  };

  try {
    const child = runChild({
      ...supervision,
      command,
      combined: false,
      limits: supervision,
      onOutput(stream, chunk) {
        const { log, lines } = sinks[stream];
        bytes[stream] += chunk.length;
        // Nobody reads the lines any more: then a gigabyte costs only its counting.
        if (stream === "stdout" && onLine === undefined && !log.isOpen) log.cut(chunk.length);
        else lines.push(chunk);
      },
    });
    return {
      ...child,
      ended: child.ended.then((end) => {
        close();
        return { ...end, stdoutBytes: bytes.stdout, stderrBytes: bytes.stderr, stderrTail };
      }),
    };
  } catch (error) {
    close();
    throw error;
  }
}
