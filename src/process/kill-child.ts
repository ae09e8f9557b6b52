// Ends a child, if it ever began. One that could not be started because no descriptor is free has no process id, and Node
// would send the signal to whatever number is in its memory: to another process, or to this one and its whole group.
import type { ChildProcess } from "node:child_process";

export function killChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) child.kill(signal);
}
