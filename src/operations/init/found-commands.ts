// Which commands test, lint and build a repository, and which one makes a fresh copy of it ready: read from the files
// that say so. Nothing is executed, and nothing is guessed that no file names.
import { shellWord } from "../../core/written/commands.ts";

export type CommandKind = "setup" | "test" | "lint" | "types" | "build";

export interface FoundCommand {
  readonly kind: CommandKind;
  readonly command: string;
  /** The file that says so, relative to the root. */
  readonly where: string;
}

/** Something that is there and was not taken, and why. */
export interface LeftOut {
  readonly what: string;
  readonly where: string;
  readonly why: string;
}

export interface FoundCommands {
  readonly commands: readonly FoundCommand[];
  readonly leftOut: readonly LeftOut[];
}

/** A folder as it is looked at. */
export interface LookedAt {
  /** Relative to the root; "" is the root itself. */
  readonly path: string;
  /** Of its files. */
  readonly names: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Empty where the file is missing, too large or not readable. */
  text(name: string): string;
  /** The folder above it, up to the root. */
  readonly parent: LookedAt | null;
}

/** What one kind of repository has; undefined where the folder is not of that kind. */
type Finder = (folder: LookedAt) => FoundCommands | undefined;

export function foundCommands(folder: LookedAt): FoundCommands {
  const declared = DECLARING.flatMap((find) => find(folder) ?? []);
  const tools = TOOLS.flatMap((find) => find(folder) ?? []);
  // Whoever has two for the same mostly calls the one from the other, so one is run: what persons wrote here comes
  // before what a tool does everywhere.
  const written = declared.flatMap((found) => found.commands);
  const ofRunners: FoundCommand[] = [];
  for (const { commands: others } of TASK_RUNNERS.flatMap((find) => find(folder) ?? [])) {
    const known = kindsOf([...written, ...ofRunners]);
    ofRunners.push(...others.filter(({ kind }) => !known.has(kind)));
  }
  const replaced = kindsOf(ofRunners);
  const ofTools = tools.flatMap((found) => found.commands);
  const commands = [...written, ...ofTools.filter(({ kind }) => !replaced.has(kind)), ...ofRunners];
  const order = (kind: CommandKind): number => KINDS.indexOf(kind);
  return {
    commands: commands.toSorted((a, b) => order(a.kind) - order(b.kind)),
    leftOut: [...declared, ...tools].flatMap((found) => found.leftOut),
  };
}

function kindsOf(commands: readonly FoundCommand[]): ReadonlySet<CommandKind> {
  return new Set(commands.map(({ kind }) => kind));
}

const KINDS: readonly CommandKind[] = ["setup", "test", "lint", "types", "build"];

/** Files of which one or more were looked for, as a person knows them. */
export const LOOKED_FOR =
  "package.json, pyproject.toml, Cargo.toml, go.mod, Makefile, justfile and others";

function placed(folder: LookedAt, name: string): string {
  return folder.path === "" ? name : `${folder.path}/${name}`;
}

/** Setup starts at the root of a workspace, checks in `dir:`. */
function atRoot(folder: LookedAt, command: string): string {
  return folder.path === "" ? command : `cd ${shellWord(folder.path)} && ${command}`;
}

function nearest(folder: LookedAt | null, name: string): LookedAt | null {
  if (folder === null || folder.names.has(name)) return folder;
  return nearest(folder.parent, name);
}

function firstOf(folder: LookedAt, names: readonly string[]): string | undefined {
  return names.find((name) => folder.names.has(name));
}

// Node, by package.json and a lock file.

/** By lock file, the surer one first. */
const LOCKS = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
] as const;

type Manager = (typeof LOCKS)[number][1];

const LOCKED_INSTALL: Readonly<Record<Manager, string>> = {
  npm: "npm ci",
  pnpm: "pnpm install --frozen-lockfile",
  yarn: "yarn install --frozen-lockfile",
  bun: "bun install --frozen-lockfile",
};

const SCRIPTS: readonly (readonly [CommandKind, readonly string[]])[] = [
  ["test", ["test"]],
  ["lint", ["lint"]],
  ["types", ["typecheck", "type-check", "types", "tsc"]],
  ["build", ["build"]],
];

/** What npm writes into a new package. */
const NO_TEST = /no test specified/u;
const WATCHES = /(?:^|\s)--watch(?:All)?(?=\s|$|=true)/u;

interface PackageFile {
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly packageManager?: unknown;
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly workspaces?: object;
}

const node: Finder = (folder) => {
  if (!folder.names.has("package.json")) return undefined;
  const where = placed(folder, "package.json");
  const read = packageIn(folder.text("package.json"));
  if (read === undefined) {
    const why = "it cannot be read, or is not a valid package file";
    return { commands: [], leftOut: [{ what: "its scripts", where, why }] };
  }
  const { manager, lock } = managerOf(folder, read);
  const commands: FoundCommand[] = [...nodeSetup(folder, read, { manager, lock })];
  const leftOut: LeftOut[] = [];
  for (const [kind, names] of SCRIPTS) {
    const name = names.find((each) => isScript(read.scripts?.[each]));
    if (name === undefined) continue;
    const command = scriptCommand(manager, name);
    if (WATCHES.test(String(read.scripts?.[name]))) {
      leftOut.push({ what: command, where, why: "it watches files and never ends" });
    } else commands.push({ kind, command, where });
  }
  return { commands, leftOut };
};

function packageIn(text: string): PackageFile | undefined {
  try {
    const read: unknown = JSON.parse(text);
    if (!isRecord(read)) return undefined;
    return read.scripts === undefined || isRecord(read.scripts) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScript(script: unknown): boolean {
  return typeof script === "string" && script.trim() !== "" && !NO_TEST.test(script);
}

interface Managed {
  readonly manager: Manager;
  /** Where its lock file lies; null where there is none. */
  readonly lock: { readonly name: string; readonly folder: LookedAt } | null;
}

/** The package may say it; a lock file shows it; npm is there with Node. */
function managerOf(folder: LookedAt, { packageManager }: PackageFile): Managed {
  const locks = LOCKS.flatMap(([name, manager]) => {
    const holder = nearest(folder, name);
    return holder === null ? [] : [{ manager, lock: { name, folder: holder } }];
  });
  const said = /^(npm|pnpm|yarn|bun)@/.exec(String(packageManager))?.[1];
  const manager = LOCKS.map(([, each]) => each).find((each) => each === said);
  if (manager === undefined) return locks[0] ?? { manager: "npm", lock: null };
  return locks.find((each) => each.manager === manager) ?? { manager, lock: null };
}

function nodeSetup(
  folder: LookedAt,
  read: PackageFile,
  { manager, lock }: Managed,
): FoundCommand[] {
  if (lock !== null) {
    const command = isModernYarn(lock, read) ? "yarn install --immutable" : LOCKED_INSTALL[manager];
    const where = placed(lock.folder, lock.name);
    return [{ kind: "setup", command: atRoot(lock.folder, command), where }];
  }
  const isNeeded = [read.dependencies, read.devDependencies, read.workspaces].some(
    (each) => Object.keys(each ?? {}).length > 0,
  );
  if (!isNeeded) return [];
  const command = atRoot(folder, `${manager} install`);
  return [{ kind: "setup", command, where: placed(folder, "package.json") }];
}

/** Yarn 2 and later call it by another name. */
function isModernYarn(
  lock: NonNullable<Managed["lock"]>,
  { packageManager }: PackageFile,
): boolean {
  if (lock.name !== "yarn.lock") return false;
  return (
    lock.folder.names.has(".yarnrc.yml") ||
    /^yarn@(?:[2-9]|\d\d)/.test(String(packageManager)) ||
    /^__metadata:/m.test(lock.folder.text("yarn.lock"))
  );
}

/** `bun test` is a runner of its own, not the script. */
function scriptCommand(manager: Manager, name: string): string {
  return name === "test" && manager !== "bun" ? `${manager} test` : `${manager} run ${name}`;
}

// Python, by what its files mention.

const PYTHON_FILES = [
  "pyproject.toml",
  "pytest.ini",
  "tox.ini",
  "noxfile.py",
  "setup.cfg",
  "setup.py",
  "Pipfile",
  "requirements.txt",
  "requirements-dev.txt",
  "manage.py",
];

/** Who installs, by lock file; and how a program is called then. */
const PYTHON_TOOLS = [
  ["uv.lock", "uv sync", "uv run "],
  ["poetry.lock", "poetry install", "poetry run "],
  ["pdm.lock", "pdm sync", "pdm run "],
  ["Pipfile.lock", "pipenv sync --dev", "pipenv run "],
] as const;

/** The kind, the command, the files that show it by being there, the word that shows it in a text. */
const PYTHON_COMMANDS: readonly (readonly [CommandKind, string, readonly string[], string])[] = [
  ["test", "pytest", ["pytest.ini", "conftest.py"], "pytest"],
  ["test", "tox", ["tox.ini"], "tool.tox"],
  ["test", "nox", ["noxfile.py"], "nox"],
  ["lint", "ruff check .", ["ruff.toml", ".ruff.toml"], "ruff"],
  ["lint", "flake8", [".flake8"], "flake8"],
  ["types", "mypy .", ["mypy.ini", ".mypy.ini"], "mypy"],
  ["types", "pyright", ["pyrightconfig.json"], "pyright"],
];

const python: Finder = (folder) => {
  const files = PYTHON_FILES.filter((name) => folder.names.has(name));
  if (files.length === 0) return undefined;
  const texts = files.map(
    (name) => [name, folder.text(name).replaceAll(/^\s*#.*$/gm, "")] as const,
  );
  const tool = PYTHON_TOOLS.map(([lock, install, call]) => ({
    lock,
    install,
    call,
    holder: nearest(folder, lock),
  })).find(({ holder }) => holder !== null);
  const own = folder.folders.has(".venv") ? ".venv/bin/python -m " : "python3 -m ";
  const call = tool?.call ?? own;
  const commands: FoundCommand[] = [];
  if (tool !== undefined && tool.holder !== null) {
    const where = placed(tool.holder, tool.lock);
    commands.push({ kind: "setup", command: atRoot(tool.holder, tool.install), where });
  }
  for (const [kind, command, shownBy, word] of PYTHON_COMMANDS) {
    // One of each kind: tox and nox call the others.
    if (commands.some((each) => each.kind === kind)) continue;
    const name = firstOf(folder, shownBy) ?? texts.find(([, text]) => mentions(text, word))?.[0];
    if (name === undefined) continue;
    commands.push({ kind, command: `${call}${command}`, where: placed(folder, name) });
  }
  const isTested = commands.some(({ kind }) => kind === "test");
  if (!isTested && folder.names.has("manage.py")) {
    const command = `${call.replace(/ -m $/, " ")}${tool === undefined ? "" : "python "}manage.py test`;
    commands.push({ kind: "test", command, where: placed(folder, "manage.py") });
  }
  const isUnset = tool === undefined && !folder.folders.has(".venv");
  const leftOut = isUnset
    ? [
        {
          what: "setup",
          where: placed(folder, files[0] ?? ""),
          why: "no lock file says how its packages are installed",
        },
      ]
    : [];
  return { commands, leftOut };
};

function mentions(text: string, word: string): boolean {
  return new RegExp(String.raw`(?:^|[^\w-])${word.replace(".", String.raw`\.`)}(?![\w])`, "m").test(
    text,
  );
}

// Tools that need nothing but their own file to be known.

interface PlainTool {
  /** The first that is there names it. */
  readonly files: readonly string[];
  readonly commands: (folder: LookedAt) => readonly (readonly [CommandKind, string])[];
}

const PLAIN_TOOLS: readonly PlainTool[] = [
  {
    files: ["Cargo.toml"],
    commands: (folder) => [
      ["test", "cargo test"],
      ...when(
        firstOf(folder, ["clippy.toml", ".clippy.toml"]) !== undefined ||
          /^\[(?:workspace\.)?lints\b/m.test(folder.text("Cargo.toml")),
        ["lint", "cargo clippy --all-targets"],
      ),
      ["build", "cargo build"],
    ],
  },
  {
    files: ["go.mod"],
    commands: (folder) => [
      ["test", "go test ./..."],
      firstOf(folder, [".golangci.yml", ".golangci.yaml", ".golangci.toml"]) === undefined
        ? ["lint", "go vet ./..."]
        : ["lint", "golangci-lint run"],
      ["build", "go build ./..."],
    ],
  },
  {
    files: ["deno.json", "deno.jsonc"],
    commands: () => [
      ["test", "deno test"],
      ["lint", "deno lint"],
    ],
  },
  {
    files: ["Gemfile"],
    commands: (folder) => [
      ["setup", "bundle install"],
      ...(!folder.names.has(".rspec") && !folder.folders.has("spec")
        ? when(folder.names.has("Rakefile"), ["test", "bundle exec rake test"])
        : [["test", "bundle exec rspec"] as const]),
      ...when(folder.names.has(".rubocop.yml"), ["lint", "bundle exec rubocop"]),
    ],
  },
  {
    files: ["composer.json"],
    commands: (folder) => [
      ["setup", "composer install --no-interaction"],
      ...(packageIn(folder.text("composer.json"))?.scripts?.["test"] !== undefined
        ? [["test", "composer test"] as const]
        : when(firstOf(folder, ["phpunit.xml", "phpunit.xml.dist"]) !== undefined, [
            "test",
            "vendor/bin/phpunit",
          ])),
      ...when(firstOf(folder, ["phpstan.neon", "phpstan.neon.dist"]) !== undefined, [
        "types",
        "vendor/bin/phpstan analyse",
      ]),
    ],
  },
  {
    files: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
    commands: (folder) => {
      const gradle = folder.names.has("gradlew") ? "./gradlew" : "gradle";
      return [
        ["test", `${gradle} test`],
        ["build", `${gradle} assemble`],
      ];
    },
  },
  {
    files: ["pom.xml"],
    commands: (folder) => [["test", folder.names.has("mvnw") ? "./mvnw test" : "mvn test"]],
  },
  {
    files: ["mix.exs"],
    commands: () => [
      ["setup", "mix deps.get"],
      ["test", "mix test"],
    ],
  },
  {
    files: ["Package.swift"],
    commands: () => [
      ["test", "swift test"],
      ["build", "swift build"],
    ],
  },
];

function when(
  isSo: boolean,
  command: readonly [CommandKind, string],
): readonly (readonly [CommandKind, string])[] {
  return isSo ? [command] : [];
}

function plain({ files, commands }: PlainTool): Finder {
  return (folder) => {
    const name = firstOf(folder, files);
    return name === undefined ? undefined : named(folder, name, commands(folder));
  };
}

const dotnet: Finder = (folder) => {
  const name = [...folder.names].find((each) => /\.(?:slnx?|csproj|fsproj)$/.test(each));
  if (name === undefined) return undefined;
  return named(folder, name, [
    ["test", "dotnet test"],
    ["build", "dotnet build"],
  ]);
};

function named(
  folder: LookedAt,
  name: string,
  commands: readonly (readonly [CommandKind, string])[],
): FoundCommands {
  return {
    commands: commands.map(([kind, command]) => ({
      kind,
      command: kind === "setup" ? atRoot(folder, command) : command,
      where: placed(folder, name),
    })),
    leftOut: [],
  };
}

/** Their files name the commands of this repository. */
const DECLARING: readonly Finder[] = [node];

/** Their files show which tool is used; what it is called with is the same everywhere. */
const TOOLS: readonly Finder[] = [python, ...PLAIN_TOOLS.map(plain), dotnet];

// What runs tasks by name: a Makefile, a justfile, a Taskfile.

const TASK_NAMES: readonly (readonly [CommandKind, readonly string[]])[] = [
  ["test", ["test", "tests", "check"]],
  ["lint", ["lint"]],
  ["types", ["typecheck"]],
  ["build", ["build"]],
];

function runner(program: string, files: readonly string[], targets: RegExp): Finder {
  return (folder) => {
    const name = firstOf(folder, files);
    if (name === undefined) return undefined;
    const found = [...folder.text(name).matchAll(targets)].flatMap(([, words = ""]) =>
      words.split(/\s+/),
    );
    const commands = TASK_NAMES.flatMap(([kind, names]) => {
      const target = names.find((each) => found.includes(each));
      return target === undefined ? [] : [[kind, `${program} ${target}`] as const];
    });
    return named(folder, name, commands);
  };
}

const TASK_RUNNERS: readonly Finder[] = [
  runner(
    "make",
    ["GNUmakefile", "makefile", "Makefile"],
    /^([\w./-]+(?:[ \t]+[\w./-]+)*)[ \t]*::?(?!=)/gm,
  ),
  runner("just", ["justfile", "Justfile", ".justfile"], /^@?([\w-]+)(?:[ \t][^:\n]*)?:(?!=)/gm),
  runner("task", ["Taskfile.yml", "Taskfile.yaml"], /^ {2,4}([\w-]+):/gm),
];
