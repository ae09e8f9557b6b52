// What a file is by its name, its place and its first line: a test, what configures a build or a runner, a script.
// Of some files only a part decides anything: the scripts of a package.json, and not its dependencies.
import { posix } from "node:path";

/** A test says itself whether the work is right; the others decide what is run, and how. */
export type Role = "test" | "configuration" | "script";

export function roleOf(path: string, text: string | undefined): Role | null {
  if (isAroundTests(path)) return "configuration";
  if (isTestFile(path)) return "test";
  if (CONFIGURATION.some((pattern) => pattern.test(path)) || isPartlyDeciding(path)) {
    return "configuration";
  }
  return isShellScript(path, text) || isInScriptsFolder(path) ? "script" : null;
}

const TEST_FILES: readonly RegExp[] = [
  /(?:^|\/)(?:__tests__|__snapshots__|tests?|specs?|e2e|cypress|testdata|fixtures)\//,
  /\.(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$/,
  /\.(?:snap|feature|bats|t)$/,
  /(?:^|\/)(?:test_[^/]+|[^/]+_test|tests?)\.py$/,
  /(?:^|\/)tests?\.(?:[cm]?[jt]s|rb|php|sh|lua|pl)$/,
  /_test\.(?:go|exs?|dart|rb|cc|cpp|c|sh|lua)$/,
  /_spec\.(?:rb|lua)$/,
  /(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|swift|php|groovy)$/,
];

/** What decides which tests run, and how. */
const AROUND_TESTS: readonly RegExp[] = [
  /(?:^|\/)(?:conftest\.py|pyvenv\.cfg|conda-meta\/history|__mocks__\/.+)$/,
  /(?:^|\/)(?:vitest|jest|playwright|cypress|karma|ava|wdio|nightwatch)\.(?:config|conf|workspace|setup)\.[cm]?[jt]s(?:on)?$/,
  /(?:^|\/)(?:\.?pytest\.(?:ini|toml)|tox\.ini|\.coveragerc|phpunit\.xml(?:\.dist)?|\.rspec)$/,
  /(?:^|\/)\.(?:mocharc|nycrc|c8rc|taprc|jasmine)(?:\.[a-z]+)?$/,
];

/** What Python runs in place of the source that it was compiled from. */
const COMPILED = /(?:__pycache__\/)?([^/.]+)(?:\.[^/]+)?\.pyc$/;

/** No test itself: alone it tells nothing of the work. */
export function isAroundTests(path: string): boolean {
  return COMPILED.test(path) || AROUND_TESTS.some((pattern) => pattern.test(path));
}

/** A test, or what is around tests. */
export function isTestFile(path: string): boolean {
  const source = path.replace(COMPILED, "$1.py");
  return [...TEST_FILES, ...AROUND_TESTS].some((pattern) => pattern.test(source));
}

const CONFIGURATION: readonly RegExp[] = [
  /(?:^|\/)(?:GNU)?[Mm]akefile(?:\.[\w.-]+)?$/,
  /\.(?:mk|mak|ninja|cmake)$/,
  /(?:^|\/)(?:[Jj]ustfile|[Tt]askfile\.ya?ml|CMakeLists\.txt|meson\.build|BUILD(?:\.bazel)?|WORKSPACE)$/,
  /(?:^|\/)(?:SConstruct|Rakefile|Gruntfile\.[jt]s|gulpfile\.[cm]?[jt]s|Jakefile|noxfile\.py|tasks\.py)$/,
  /(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|deno\.jsonc?|nx\.json|turbo\.json|lerna\.json)$/,
  /(?:^|\/)[\w.-]+\.config\.[cm]?[jt]s(?:on)?$/,
  /(?:^|\/)(?:setup\.cfg|setup\.py|mypy\.ini|ruff\.toml|pylintrc(?:\.toml)?|pyrightconfig\.json)$/,
  /(?:^|\/)(?:tslint\.json|checkstyle\.xml|detekt\.ya?ml|(?:phpstan|phpcs|psalm)(?:\.[\w.]+)?\.(?:neon|xml)|rebar\.config)$/,
  /(?:^|\/)(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|build\.sbt|build\.zig)$/,
  /(?:^|\/)\.(?:cargo|config)\/.+$/,
  /(?:^|\/)(?:rustfmt|clippy|biome|dprint)\.(?:toml|jsonc?)$/,
  // What decides which program, which version of it, or which shell runs what is asked for.
  /(?:^|\/)(?:bunfig\.toml|go\.work|mise\.toml|rust-toolchain(?:\.toml)?)$/,
  /(?:^|\/)(?:(?:unittest|nose2?)\.cfg|\.env\.test(?:ing|\.local)?)$/,
  /(?:^|\/)(?:[Nn]u[Gg]et\.[Cc]onfig|global\.json|Directory\.Build\.(?:props|targets)|[^/]+\.runsettings)$/,
  // What a package that was built here brings to whoever starts beside it.
  /\.(?:egg|dist)-info\/.+$/,
  // Nearly every tool has its settings in a file whose name begins with a dot.
  /(?:^|\/)\.(?!env(?:$|\.)|git|DS_Store$|keep$|htaccess$)[^/]+$/,
  /(?:^|\/)(?:\.mvn\/.+|gradle-wrapper\.properties|init\.gradle(?:\.kts)?)$/,
];

const SHELL = /\.(?:sh|bash|zsh|ksh|fish)$/;
const SHEBANG = /^#![^\n]*\b(?:ba|da|z|k|fi)?sh\b/;

export function isShellScript(path: string, text: string | undefined): boolean {
  return SHELL.test(path) || (text !== undefined && SHEBANG.test(text.slice(0, 200)));
}

/** Folders of what is run beside the product; one below its sources is a part of it. */
const SCRIPT_FOLDER = /(?:^|\/)(?:scripts?|tools?|\.?ci|hack|checks?|\.github|\.husky)\//;
const SOURCES = /(?:^|\/)(?:src|lib|app|pkg|internal|cmd)\//;
const PROGRAM = /(?:^|\/)[\w-]+$|\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|awk|sed|jq|r|R)$/;

/** A tool that is committed with what it judges. */
export function isInstalledTool(path: string): boolean {
  return /(?:^|\/)(?:node_modules|\.yarn\/(?:releases|plugins|sdks))\//.test(path);
}

function isInScriptsFolder(path: string): boolean {
  if (isInstalledTool(path)) return true;
  const at = path.search(SCRIPT_FOLDER);
  return at !== -1 && !SOURCES.test(path.slice(0, at + 1)) && PROGRAM.test(path);
}

/** A name by which its author says that it judges. */
const JUDGING =
  /(?:^|[-_.])(?:check|verify|judge|validate|assert|tests?|lint|smoke|ci)(?:[-_.]|$)/i;

export function isNamedJudge(path: string): boolean {
  return JUDGING.test(path.slice(path.lastIndexOf("/") + 1));
}

/** Only a part of it decides anything. */
export function isPartlyDeciding(path: string): boolean {
  return PARTS.some(({ name }) => name.test(path));
}

/**
 * Whether that part is the same in both texts. A file that is not there decides nothing. `isGone`: a path of the root is
 * not there any more.
 */
export function decidesAlike(
  path: string,
  before: string | undefined,
  after: string | undefined,
  isGone: (path: string) => boolean = () => false,
): boolean {
  const parts = PARTS.find(({ name }) => name.test(path));
  const [one, two] = [before, after].map((text) =>
    text === undefined || parts === undefined ? (text ?? "") : parts.read(text),
  );
  if (one !== two) return false;
  if (before === undefined || after === undefined) return true;
  return parts?.repoints?.({ before, after, folder: posix.dirname(path), isGone }) !== true;
}

/** Its own text with the deciding part of another one; undefined where the other has none. */
export function withDecidingPart(
  path: string,
  own: string | undefined,
  other: string | undefined,
): string | undefined {
  const parts = PARTS.find(({ name }) => name.test(path));
  if (parts === undefined || own === undefined || other === undefined) return other;
  return parts.replace(own, other);
}

interface Parts {
  readonly name: RegExp;
  readonly read: (text: string) => string;
  readonly replace: (own: string, other: string) => string;
  /** Whether a name that led somewhere leads somewhere else now; a new name leads nothing astray. */
  readonly repoints?: (names: Repointing) => boolean;
}

interface Repointing {
  readonly before: string;
  readonly after: string;
  readonly folder: string;
  readonly isGone: (path: string) => boolean;
}

/** What a package says of itself and needs; everything else is for tools. */
const ABOUT_PACKAGE = new Set(
  `name version description keywords author contributors maintainers license homepage repository bugs funding private
   dependencies devDependencies peerDependencies peerDependenciesMeta optionalDependencies bundledDependencies
   bundleDependencies overrides resolutions engines packageManager files main module types typings exports imports
   bin man browser type sideEffects publishConfig os cpu`.split(/\s+/),
);

const PARTS: readonly Parts[] = [
  {
    name: /(?:^|\/)package\.json$/,
    read: (text) => JSON.stringify(toolKeys(asObject(text))),
    replace(own, other) {
      const [ours, theirs] = [asObject(own), asObject(other)];
      const about = Object.entries(ours)
        .filter(([key]) => ABOUT_PACKAGE.has(key))
        .map(([key, value]) => [key, LEADS.has(key) ? asIn(value, theirs[key]) : value]);
      const whole = { ...Object.fromEntries(about), ...toolKeys(theirs) };
      return `${JSON.stringify(whole, null, 2)}\n`;
    },
    repoints({ before, after, folder, isGone }) {
      const [was, is] = [asObject(before), asObject(after)];
      return [...LEADS].some((key) => {
        const [old, now] = [leadsOf(was[key]), leadsOf(is[key])];
        return Object.entries(old).some(([name, target]) => {
          const isKept = Object.hasOwn(now, name) && !isEqual(now[name], target);
          // What follows a file that was moved leads to the same.
          const targets = JSON.stringify(target).match(/(?<=")\.{0,2}[\w@./-]+\.\w+(?=")/g) ?? [];
          return isKept && !targets.some((each) => isGone(posix.join(folder, each)));
        });
      });
    },
  },
  {
    name: /(?:^|\/)(?:Cargo|pyproject)\.toml$/,
    read: (text) => {
      const all = sections(text);
      return [...all.filter(isDecidingSection), ...all.flatMap(decidingKeys)].join("");
    },
    replace(own, other) {
      const theirs = sections(other);
      const keys = theirs.flatMap(decidingKeys).join("");
      const kept = sections(own)
        .filter((section) => !isDecidingSection(section))
        .map((section) =>
          PACKAGE.test(section)
            ? section.replaceAll(DECIDING_KEY, "").replace(PACKAGE, (header) => `${header}${keys}`)
            : section,
        );
      const deciding = theirs.filter(isDecidingSection);
      // What stands before the first header stays there.
      const [head, rest] = [deciding.filter(isHead), deciding.filter((each) => !isHead(each))];
      return [...head, ...kept, ...rest].join("");
    },
  },
];

/** Names of files, for whoever imports them. */
const LEADS = new Set(["imports", "exports", "main", "module", "browser"]);

/** Of `exports` that is one path, or one path for each condition, the name is that of the package. */
function leadsOf(value: unknown): Readonly<Record<string, unknown>> {
  const isNamed =
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).every((key) => /^[.#]/.test(key));
  return isNamed ? (value as Record<string, unknown>) : value === undefined ? {} : { ".": value };
}

/** Names that another package has as well lead where they lead there. */
function asIn(own: unknown, other: unknown): unknown {
  const [ours, theirs] = [leadsOf(own), leadsOf(other)];
  const all = Object.entries(ours).map(([name, target]) => [name, theirs[name] ?? target]);
  const isOne = Object.keys(ours).join() === "." && own !== ours;
  return isOne ? all[0]?.[1] : Object.fromEntries(all);
}

function isEqual(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

function toolKeys(all: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !ABOUT_PACKAGE.has(key)));
}

/** One that cannot be read decides nothing by itself. */
function asObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/** Each from its header to the next one; what stands before the first is one, too. */
function sections(text: string): string[] {
  return text
    .split(/^(?=[ \t]*\[{1,2}[\w."'-])/m)
    .filter((section) => section.trim() !== "")
    .map((section) => (section.endsWith("\n") ? section : `${section}\n`));
}

/** What stands before the first header. */
function isHead(section: string): boolean {
  return !/^\s*\[/.test(section);
}

const DECIDES_NOTHING =
  /^\s*\[+\s*(?:[\w."'-]*dependencies(?:\.[\w."'-]+)?|package(?:\.metadata[\w.]*)?|features|patch[\w."'-]*|badges|project(?:\.[\w-]+)?|build-system|tool\.poetry(?:\.group\.[\w.-]+)?|tool\.poetry\.(?:scripts|extras)|tool\.uv[\w.]*|tool\.pdm(?!\.scripts)[\w.]*|dependency-groups)\s*\]/;

/** Keys before the first header may be those of any section. */
function isDecidingSection(section: string): boolean {
  return isHead(section) ? /^[ \t]*[^#\s]/m.test(section) : !DECIDES_NOTHING.test(section);
}

/** Of a package: which of its files are programs and tests, and what builds it. */
const PACKAGE = /^\s*\[\s*package\s*\][^\n]*\n/;
const DECIDING_KEY =
  /^[ \t]*["']?(?:auto(?:bins|examples|tests|benches|lib)|build)["']?[ \t]*=.*\n/gm;

function decidingKeys(section: string): readonly string[] {
  return PACKAGE.test(section) ? (section.match(DECIDING_KEY) ?? []) : [];
}
