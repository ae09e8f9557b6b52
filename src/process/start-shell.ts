// The shell between Stint and the program, and what is said with it over descriptor 3.
//
//   waiting   waits for one line, then becomes the program; at the end of the channel it leaves
//   watching  tells its pid, waits as well, runs the program, tells how it ended, and stays
//             until the channel is closed
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { innerPid, type ProcessEntry } from "./process-table.ts";

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export const CHANNEL = 3;

export const WAITING_SHELL = `read -r go <&3 || exit 125; exec 3<&-; exec "$@"`;

// The shell's own words about how a program died are not the program's output, so it keeps quiet;
// in a subshell, because some shells redirect themselves while they wait. With descriptor 4 it
// closes what was handed over there to enter its namespace.
export const WATCHING_SHELL = `echo "$$" >&3; read -r go <&3 || exit 125; exec 4>&2 2>/dev/null
(exec "$@" 2>&4 3>&- 4>&-)
echo "$?" >&3; read -r end <&3`;

export class StartShell {
  readonly #root: number;
  #lines: string[] = [];
  #tell: (exit: Exit) => void = () => {};
  /** How the program ended, as the shell saw it. Stays open when the shell dies first. */
  readonly told = new Promise<Exit>((resolve) => (this.#tell = resolve));

  constructor(root: number, channel: Readable) {
    this.#root = root;
    let text = "";
    channel.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      this.#lines = text.split("\n").slice(0, -1);
      const status = this.#lines[1];
      if (status !== undefined) this.#tell(exitOf(Number(status)));
    });
  }

  /** Whether it came to start the program at all. */
  get isThere(): boolean {
    return this.#lines.length > 0;
  }

  /**
   * The members that are not there to keep the namespace: its maker, its first process, the shell.
   * None while the shell has not been heard: it would be taken for the program.
   */
  without(members: readonly ProcessEntry[]): ProcessEntry[] {
    if (!this.isThere) return [];
    const own = Number(this.#lines[0]);
    return members.filter(({ pid }) => {
      const inner = innerPid(pid);
      return pid !== this.#root && inner !== 1 && inner !== own;
    });
  }
}

/** A shell tells an end by a signal as 128 and its number. */
export function exitOf(status: number): Exit {
  const signals = Object.entries(constants.signals);
  const signal = signals.find(([, number]) => status === 128 + number)?.[0];
  return signal === undefined ? { exitCode: status, signal: null } : { exitCode: null, signal };
}
