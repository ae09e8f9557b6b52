// What is written down about a child before it may act, so that a later run can find what is left.
import type { RunId } from "../core/ids.ts";

export interface ProcessRecord {
  readonly run_id: RunId;
  readonly pid: number;
  /** Start time as the system tells it; a reused pid has another. */
  readonly process_start: string;
  /** Changes at every boot. */
  readonly boot_id: string;
  /** The namespace in which `pid` means something: the run's own. */
  readonly pid_namespace: string;
  readonly isolation: "bwrap" | "unshare" | "group";
}
