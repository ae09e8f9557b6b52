// What a fresh clone has to have installed before its checks can run, told from the files at the top of a repository.

/** The files at the top of a repository that say what it needs, by name; package.json and the like with their text. */
export type TopFiles = ReadonlyMap<string, string>;

/** What has to be installed before its checks can run in a clone, and by which line; null: nothing. */
export function missingSetup(
  files: TopFiles,
): { readonly file: string; readonly line: string } | null {
  for (const [file, lineOf] of INSTALLERS) {
    const text = files.get(file);
    const line = text === undefined ? null : lineOf(text, files);
    if (line !== null) return { file, line };
  }
  return null;
}

type LineOf = (text: string, files: TopFiles) => string | null;

/**
 * Those whose packages are installed by a command of their own. Cargo, Go, Maven, Gradle and the like fetch what they
 * need when they build, so that a clone of theirs needs no line.
 */
const INSTALLERS: readonly (readonly [file: string, line: LineOf])[] = [
  ["package.json", packageLine],
  ["requirements.txt", (text) => (hasLines(text) ? "pip install -r requirements.txt" : null)],
  ["pyproject.toml", pyprojectLine],
  ["Pipfile", () => "pipenv install --dev"],
  ["Gemfile", (text) => (/^\s*gem\b/m.test(text) ? "bundle install" : null)],
  [
    "composer.json",
    (text) => (hasKey(text, ["require", "require-dev"]) ? "composer install" : null),
  ],
  ["mix.exs", (text) => (/\{\s*:\w+,/.test(text) ? "mix deps.get" : null)],
  ["pubspec.yaml", (text) => (/^dependencies:\s*\n\s+\w/m.test(text) ? "dart pub get" : null)],
];

/** The names that are looked for. */
export const SETUP_FILES: readonly string[] = [
  ...INSTALLERS.map(([file]) => file),
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "uv.lock",
  "poetry.lock",
];

function packageLine(text: string, files: TopFiles): string | null {
  if (!hasKey(text, ["dependencies", "devDependencies", "optionalDependencies"])) return null;
  if (files.has("pnpm-lock.yaml")) return "pnpm install --frozen-lockfile";
  if (files.has("yarn.lock")) return "yarn install --immutable";
  if (files.has("bun.lock") || files.has("bun.lockb")) return "bun install --frozen-lockfile";
  const isLocked = files.has("package-lock.json") || files.has("npm-shrinkwrap.json");
  return isLocked ? "npm ci" : "npm install";
}

function pyprojectLine(text: string, files: TopFiles): string | null {
  const named = /^\s*dependencies\s*=\s*\[\s*[^\s\]]/m.test(text);
  const byPoetry = /^\[tool\.poetry\.(?:group\.[\w-]+\.)?dependencies\]/m.test(text);
  if (!named && !byPoetry) return null;
  if (files.has("uv.lock")) return "uv sync";
  return byPoetry || files.has("poetry.lock") ? "poetry install" : "pip install -e .";
}

function hasLines(text: string): boolean {
  return text.split("\n").some((line) => !/^\s*(?:#.*)?$/.test(line));
}

/** Whether a JSON object has something below one of these keys; what cannot be read needs nothing that is known. */
function hasKey(text: string, keys: readonly string[]): boolean {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    return keys.some((key) => {
      const below = value?.[key];
      return typeof below === "object" && below !== null && Object.keys(below).length > 0;
    });
  } catch {
    return false;
  }
}
