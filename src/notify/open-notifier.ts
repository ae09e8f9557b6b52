// From the settings to a notifier: which channels there are, and how their programs are run.
import { parseQuietHours } from "../core/written/times.ts";
import type { Config } from "../core/schema/config.ts";
import type { NoticeKind } from "../core/schema/notice.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Channel, RunWords } from "./channel.ts";
import { commandChannel } from "./command.ts";
import { desktopChannel } from "./desktop.ts";
import { Notifier, type NotifierPorts } from "./notifier.ts";
import { webhookChannel } from "./webhook.ts";

export interface NotifySurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly find: (program: string) => string | undefined;
  readonly run: RunWords;
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

type NotifySettings = NonNullable<Config["notify"]>;

const ALL: readonly NoticeKind[] = ["person-needed", "blocked", "done", "paused"];

export interface Channels {
  readonly channels: readonly Channel[];
  /** What is wanted and cannot be had, and why; a run goes on without it. */
  readonly missing: readonly string[];
}

export function openChannels(settings: NotifySettings, around: NotifySurroundings): Channels {
  const channels: Channel[] = [];
  const missing: string[] = [];
  if (settings.desktop === true) {
    const desktop = desktopChannel(around);
    if (desktop === undefined) {
      missing.push("notify: desktop is off: neither notify-send nor osascript is installed");
    } else channels.push(desktop);
  }
  if (settings.command !== undefined) channels.push(commandChannel(settings.command, around.run));
  if (settings.webhook !== undefined) {
    const { url, secret_env } = settings.webhook;
    const secret = around.env[secret_env];
    if (secret === undefined || secret === "") {
      missing.push(
        `notify: webhook is off: ${secret_env} is not set, and nothing is sent unsigned`,
      );
    } else channels.push(webhookChannel({ ...around, url, secret }));
  }
  return { channels, missing };
}

export function openNotifier(
  settings: NotifySettings,
  channels: readonly Channel[],
  ports: NotifierPorts,
  state: ProjectState,
): Notifier {
  return new Notifier(
    ports,
    {
      channels,
      kinds: new Set(settings.on ?? ALL),
      quiet: settings.quiet === undefined ? undefined : parseQuietHours(settings.quiet),
    },
    state,
  );
}
