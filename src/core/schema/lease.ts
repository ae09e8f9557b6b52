// lease.json: who may act for the project, from where, and until when.
import * as z from "zod/mini";
import { instant, ordinal, runId, text } from "./scalar.ts";

export const lease = z.object({
  fence: ordinal,
  run_id: runId,
  owner: text,
  host: text,
  boot_id: text,
  pid_namespace: text,
  pid: ordinal,
  /** Start time of the process as the system tells it; a reused pid has another. */
  process_start: text,
  acquired_at: instant,
  heartbeat_at: instant,
  released_at: z.nullable(instant),
});

export type Lease = z.infer<typeof lease>;
