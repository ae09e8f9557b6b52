// The machine as the store sees it: a clock, randomness, and who is alive. Everything that assumes
// one host's pid or clock goes through here.

export interface ProcessIdentity {
  readonly host: string;
  /** Changes at every boot. */
  readonly boot_id: string;
  /** Pids compare only within one namespace. */
  readonly pid_namespace: string;
  readonly pid: number;
  /** Start time as the system tells it; a reused pid has another. */
  readonly process_start: string;
}

export type ProcessState = "alive" | "dead" | "unknown";

export interface Host {
  nowMs(): number;
  randomBytes(count: number): Uint8Array;
  /** Does nothing for so long, or until the signal is given. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Does this every so many ms, until the returned function is called. Keeps no process alive. */
  every(ms: number, act: () => void): () => void;
  self(): ProcessIdentity;
  /** Whether the process with this pid and start time still runs; a zombie is dead. */
  processState(pid: number, processStart: string): ProcessState;
}
