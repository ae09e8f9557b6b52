// The generated table of docs/configuration.md: every setting, what it means and what holds without it.
import { KNOWN_SETTINGS, type KnownSetting } from "../../src/operations/settings/known-settings.ts";

const START = "<!-- generated:settings -->";
const END = "<!-- /generated:settings -->";

export function withSettings(text: string): string {
  const [from, to] = [text.indexOf(START), text.indexOf(END)];
  if (from === -1 || to === -1) return "the markers of the generated part are missing";
  const rows = KNOWN_SETTINGS.map(
    (setting) => `| \`${setting.key}\` | ${setting.means} | ${defaultText(setting)} |`,
  );
  const table = ["| key | means | default |", "|---|---|---|", ...rows].join("\n");
  return `${text.slice(0, from + START.length)}\n\n${table}\n\n${text.slice(to)}`;
}

function defaultText({ fallback, unset }: KnownSetting): string {
  if (fallback === null) return unset ?? "";
  if (Array.isArray(fallback)) return fallback.length === 0 ? "none" : fallback.join(", ");
  return typeof fallback === "number" ? String(fallback) : `\`${String(fallback)}\``;
}
