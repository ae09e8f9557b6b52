// Git's settings as a list, read from `config --list -z` and written as a file that git reads.

export interface Setting {
  /** As git prints it: section and last part in lower case. */
  readonly key: string;
  /** Null where the file names the key alone, which means true. */
  readonly value: string | null;
}

export interface ScopedSetting extends Setting {
  readonly scope: string;
}

/** The answer of `config -z --list --show-scope`. */
export function parseSettings(stdout: string): ScopedSetting[] {
  const fields = stdout.split("\0").slice(0, -1);
  const settings: ScopedSetting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const text = fields[at + 1] ?? "";
    const end = text.indexOf("\n");
    const [key, value] = end === -1 ? [text, null] : [text.slice(0, end), text.slice(end + 1)];
    settings.push({ scope: fields[at] ?? "", key, value });
  }
  // What we gave on the command line says nothing about the person.
  return settings.filter(({ scope }) => scope !== "command");
}

/** The last one counts. */
export function valueOf(settings: readonly Setting[], key: string): string | null {
  const found = settings.filter((setting) => setting.key === key).at(-1);
  return found === undefined ? null : (found.value ?? "true");
}

export function isOn(settings: readonly Setting[], key: string): boolean {
  return /^(?:true|yes|on|[1-9]\d*)$/i.test(valueOf(settings, key) ?? "");
}

export function isOff(settings: readonly Setting[], key: string): boolean {
  return /^(?:false|no|off|0|)$/i.test(valueOf(settings, key) ?? "unset");
}

export function renderSettings(settings: readonly Setting[]): string {
  return settings.map(renderSetting).join("");
}

function renderSetting({ key, value }: Setting): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const section = key.slice(0, first);
  const between = first === last ? "" : ` "${escaped(key.slice(first + 1, last))}"`;
  const name = key.slice(last + 1);
  return `[${section}${between}]\n\t${name}${value === null ? "" : ` = "${escaped(value)}"`}\n`;
}

function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`);
}
