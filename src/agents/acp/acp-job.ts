// What Stint's own client of the Agent Client Protocol is told before it starts an agent: what to answer when the agent
// asks for permission, and how to set it up. It is a variable that the agent does not get; the brief comes on stdin.
import type { McpServer } from "../agent.ts";
import type { Permission } from "../../core/schema/run-records.ts";
import type { DestructiveCommand } from "../session-command.ts";

export const JOB_VARIABLE = "STINT_ACP_JOB";

export interface AcpJob {
  readonly permission: Permission;
  /** Commands that are refused, unless the permission is dangerous. */
  readonly refused: readonly DestructiveCommand[];
  /** Absolute; folders beside its own that the agent may use. */
  readonly folders: readonly string[];
  readonly mcp: readonly McpServer[];
  /** The mode to put the agent in, as it calls it. */
  readonly mode?: string;
  readonly model?: string;
  /** How long it may take to answer before it is asked to work. */
  readonly answerMs?: number;
}
