// The secrets in the person's local settings (`.env` and its like), which a workspace gets a copy of: no text that Stint
// keeps or shows may hold them, and no commit without a person's yes. They are read in the person's checkout, where no
// session writes; what was a secret once in a run stays one.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formsOf, makeRedactor } from "../../process/text/redact.ts";
import { secretsIn } from "../../process/text/dotenv.ts";

export interface Secrets {
  /** Looks at the files again. */
  readonly refresh: () => void;
  /** The values of local settings that are secrets. */
  readonly values: () => readonly string[];
  /** Whether a text holds one of them that it did not hold before. */
  readonly isAdded: (before: string, after: string) => boolean;
  /** For one stream of lines: it remembers where a private key began. */
  readonly redactor: () => (line: string) => string;
}

/** Names without values, for people to copy. */
const TEMPLATE = /\.(?:example|sample|template|dist|defaults?)$/i;
const SETTINGS = /^\.(?:env|envrc|dev\.vars)(?:[._-].*)?$/i;
/** What package managers fill has settings of other people. */
const FOREIGN = new Set(["node_modules", "vendor", "venv", "target", "bower_components", "Pods"]);

const DEEPEST = 4;
const MOST_FOLDERS = 2000;
const LARGEST_BYTES = 256 * 1024;
const MOST_VALUES = 500;

export function openSecrets(
  env: Readonly<Record<string, string | undefined>>,
  checkout: string,
): Secrets {
  const known = new Set<string>();
  const refresh = (): void => {
    for (const file of settingsFiles(checkout)) {
      for (const value of secretsIn(textOf(file))) {
        if (known.size < MOST_VALUES) known.add(value);
      }
    }
  };
  refresh();
  return {
    refresh,
    values: () => [...known],
    isAdded: (before, after) =>
      [...known].some((value) =>
        formsOf(value).some((form) => after.includes(form) && !before.includes(form)),
      ),
    redactor: () => makeRedactor(env, known),
  };
}

/** Of a text of many lines. */
export function redacted({ redactor }: Pick<Secrets, "redactor">, text: string): string {
  return text.split("\n").map(redactor()).join("\n");
}

/** Breadth first, so that a huge folder hides nothing that lies above it. */
function settingsFiles(root: string): string[] {
  const found: string[] = [];
  let level = [root];
  let seen = 0;
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      if ((seen += 1) > MOST_FOLDERS) return found;
      for (const entry of entriesOf(folder)) {
        if (entry.isFile() && SETTINGS.test(entry.name) && !TEMPLATE.test(entry.name)) {
          found.push(join(folder, entry.name));
        }
        const isOwn = !entry.name.startsWith(".") && !FOREIGN.has(entry.name);
        if (entry.isDirectory() && isOwn) next.push(join(folder, entry.name));
      }
    }
    level = next;
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // What the person cannot read, no session gets either.
    return [];
  }
}

function textOf(file: string): string {
  try {
    return lstatSync(file).size > LARGEST_BYTES ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
