// The files by which a machine ticks the watchdog by itself: units of systemd, an agent of launchd, lines of a crontab.
// Pure. Each is sealed with the digest of its own text, so that what a person changed is known and left alone; programs
// stand there by their absolute paths, as arguments that no shell takes apart.
import { shellWord } from "../written/commands.ts";

/** How often it ticks. */
export const TICK_MINUTES = 5;

export const LAUNCHD_LABEL = "io.stint.watchdog";
export const UNIT = "stint-watchdog";

export interface TimerCommand {
  /** Program and arguments; the program is an absolute path. */
  readonly words: readonly string[];
  /** Variables that it needs and that a timer would not have. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the digest of a text is; the rules have none of their own. */
type Digest = (text: string) => string;

const MARK = "stint watchdog install";

export function systemdService({ words, env }: TimerCommand): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`,
  );
  return `[Unit]
Description=Stint: resumes projects whose run was killed or whose pause is over
Documentation=man:systemd.timer(5)

[Service]
Type=oneshot
ExecStart=${words.map((word) => unitWord(word).replaceAll("$", "$$$$")).join(" ")}
${variables.join("")}# A run that it starts outlives the tick.
KillMode=process
`;
}

export function systemdTimer(): string {
  return `[Unit]
Description=Stint: checks its projects every ${TICK_MINUTES} minutes

[Timer]
OnCalendar=*:0/${TICK_MINUTES}
Persistent=true

[Install]
WantedBy=timers.target
`;
}

/** A quoted word of a unit: neither specifiers nor escapes mean anything in it. */
function unitWord(text: string): string {
  const inner = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${inner}"`;
}

export function launchdAgent({ words, env }: TimerCommand, log: string): string {
  const string = (text: string): string => `<string>${xmlText(text)}</string>`;
  const list = words.map((word) => `    ${string(word)}\n`).join("");
  const variables = Object.entries(env)
    .map(([name, value]) => `    <key>${xmlText(name)}</key>\n    ${string(value)}\n`)
    .join("");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(LAUNCHD_LABEL)}
  <key>ProgramArguments</key>
  <array>
${list}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables}  </dict>
  <key>StartInterval</key>
  <integer>${TICK_MINUTES * 60}</integer>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardOutPath</key>
  ${string(log)}
  <key>StandardErrorPath</key>
  ${string(log)}
</dict>
</plist>
`;
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** One line of a crontab. A percent sign would end the command there. */
export function cronLine({ words, env }: TimerCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const all = ["/usr/bin/env", ...variables, ...words].map(shellWord).join(" ");
  return `*/${TICK_MINUTES} * * * * ${all.replaceAll("%", "\\%")}\n`;
}

/** A text with the line that says whose it is, by which a change is known. */
export function sealed(text: string, digest: Digest, comment: "#" | "xml"): string {
  const words = `Written by ${MARK}; if you change it, Stint leaves it alone. sha256:${digest(text)}`;
  // The declaration of a document stands before everything else.
  return comment === "#" ? `# ${words}\n${text}` : `${text}<!-- ${words} -->\n`;
}

/** Whose a text is: `own` is as Stint wrote it, `edited` was changed since, `other` never was Stint's. */
export function whoseText(text: string, digest: Digest): "own" | "edited" | "other" {
  const line =
    /^(?:# |<!-- )Written by stint watchdog install;.* sha256:([0-9a-f]{64})(?: -->)?\n/m;
  const found = line.exec(text);
  if (found === null) return "other";
  const rest = text.slice(0, found.index) + text.slice(found.index + found[0].length);
  return digest(rest) === found[1] ? "own" : "edited";
}

const CRON_BEGIN = "# stint watchdog: begin";
const CRON_END = "# stint watchdog: end";

/** Of a crontab: what stands before Stint's lines, those, and what stands behind. */
export function splitCrontab(text: string): { before: string; own: string | null; after: string } {
  const begin = text.indexOf(`${CRON_BEGIN}\n`);
  const end = text.indexOf(`${CRON_END}\n`, Math.max(0, begin));
  if (begin === -1 || end === -1) return { before: text, own: null, after: "" };
  return {
    before: text.slice(0, begin),
    own: text.slice(begin + CRON_BEGIN.length + 1, end),
    after: text.slice(end + CRON_END.length + 1),
  };
}

export function withCronLines(text: string, own: string | null): string {
  const { before, after } = splitCrontab(text);
  if (own === null) return before + after;
  const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  return `${start}${CRON_BEGIN}\n${own}${CRON_END}\n${after}`;
}
