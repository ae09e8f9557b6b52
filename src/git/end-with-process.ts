// A git of a verb that only looks ends with the verb: it has its own process group, which no Ctrl-C reaches. Whoever
// listens to signals itself, as a run does, ends its gits itself.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Those at work; undefined until a process is there. */
const watched = new Set<{ group: number | undefined }>();

export interface Watched {
  readonly begin: (group: number | undefined) => void;
  readonly end: () => void;
}

/** To be called before the process is started: a signal may come while it is. */
export function endWithProcess(): Watched {
  if (watched.size === 0) SIGNALS.forEach((name) => process.on(name, onSignal));
  const own: { group: number | undefined } = { group: undefined };
  watched.add(own);
  return {
    begin: (group) => void (own.group = group),
    end() {
      if (watched.delete(own) && watched.size === 0) stopListening();
    },
  };
}

function onSignal(name: NodeJS.Signals): void {
  if (process.listenerCount(name) > 1) return;
  for (const { group } of watched) {
    try {
      if (group !== undefined) process.kill(-group, "SIGTERM");
    } catch {
      // It is gone: that is what was wanted.
    }
  }
  watched.clear();
  stopListening();
  // As if nobody had listened.
  process.kill(process.pid, name);
}

function stopListening(): void {
  SIGNALS.forEach((name) => process.off(name, onSignal));
}
