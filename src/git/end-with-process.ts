// A git of a verb that only looks ends with the verb: it has its own process group, which no Ctrl-C reaches. Whoever
// listens to signals itself, as a run does, ends its gits itself.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const groups = new Set<number>();

/** @returns how to end the watch over this process group */
export function endWithProcess(group: number): () => void {
  if (groups.size === 0) SIGNALS.forEach((name) => process.on(name, onSignal));
  groups.add(group);
  return () => {
    if (groups.delete(group) && groups.size === 0) stopListening();
  };
}

function onSignal(name: NodeJS.Signals): void {
  if (process.listenerCount(name) > 1) return;
  for (const group of groups) {
    try {
      process.kill(-group, "SIGTERM");
    } catch {
      // It is gone: that is what was wanted.
    }
  }
  groups.clear();
  stopListening();
  // As if nobody had listened.
  process.kill(process.pid, name);
}

function stopListening(): void {
  SIGNALS.forEach((name) => process.off(name, onSignal));
}
