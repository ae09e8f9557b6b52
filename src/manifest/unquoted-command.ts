// A command that a person wrote without backticks. A key that takes nothing else needs no guess; where prose is
// allowed too, only what cannot be a sentence counts: an error that stops a manifest must not hit plain words.
import { splitWords } from "../core/written/commands.ts";
import { codeSpan } from "./written-values.ts";

/** Programs whose names are no words of a sentence, whatever follows them. */
const PROGRAMS = wordsOf(
  `npx bunx pnpx uvx tsc tsx eslint oxlint biome vitest pytest tox nox ruff mypy pyright pip3 rustc gofmt golangci-lint
  gradle mvn sbt dotnet msbuild phpunit phpstan rspec rubocop xcodebuild cmake ctest bazelisk gcc g++ clang
  docker-compose kubectl tofu terraform ansible-playbook grep egrep fgrep rg sed awk jq yq cmp psql mysql sqlite3
  redis-cli shellcheck hadolint markdownlint ls cd cp mv rm mkdir chmod xargs sha256sum md5sum unzip openssl rsync sudo`,
);

const FILE = String.raw`-|[\w./-]*\.(?:[cm]?[jt]sx?|py|rb|php|sh|pl)\b|\.{0,2}\/|\w+\/`;

/** Programs that a sentence may begin with too, and what must follow to make a command of them. */
const FOLLOWED: Readonly<Record<string, RegExp>> = {
  ...each(
    "npm pnpm yarn bun",
    after(
      "-|(?:t|test|run|run-script|ci|i|install|exec|x|audit|pack|start|build|lint|check|typecheck|format|dlx|workspaces?|publish)(?:[ :]|$)",
    ),
  ),
  ...each("node python python3 ruby php perl bash sh zsh dash", after(FILE)),
  deno: after(`${FILE}|(?:test|check|lint|fmt|task|run|bench)(?: |$)`),
  zig: after("(?:build|test|fmt|run)(?: |$)"),
  ...each("jest mocha prettier diff", after(`$|${FILE}`)),
  ...each("head tail sort wc env", after("-")),
  ...each("true false", after("$")),
  ...each("just task", after("-|(?:test|lint|check|build|ci|fmt|format|verify)$")),
  ...each("rake ant ninja bazel", after("$|-|[\\w:./-]+$|test |build ")),
  ...each("docker podman", after("-|(?:build|run|compose|ps|exec|inspect|pull|push|logs)(?: |$)")),
  ...each("curl wget", after("-|https?:|\\$|localhost|\\S+[.:]\\S+")),
  ...each(
    "poetry composer pdm pipenv uv pip bundle",
    after("(?:run|exec|test|check|install|validate|sync)(?: |$)"),
  ),
  ...each(
    "swift flutter dart mix helm gh glab",
    after("(?:test|build|run|analyze|format|compile|lint|template|pr|release|workflow|api)(?: |$)"),
  ),
  ...each("playwright cypress", after("(?:test|run)(?: |$)")),
  cargo: after("-|\\+|(?:test|build|check|clippy|fmt|run|bench|doc|nextest|audit|deny)(?: |$)"),
  git: after(
    "-|(?:diff|log|status|show|grep|ls-files|rev-parse|rev-list|cat-file|merge-base|tag|branch|fsck|push|check-ignore)(?: |$)",
  ),
  go: after("(?:test|build|vet|run|fmt|generate|mod|install|tool|list)(?: |$)"),
  make: after(
    "$|-|\\w+=|(?!(?:sure|certain|it|them|this|that|all|progress|sense)\\b)[\\w./-]+(?: [\\w-]+=\\S*)*$",
  ),
  test: after('! |-[a-z] |"|\\$'),
  find: after("-|\\.|\\/|[\\w./-]+ -"),
  cat: after("[\\w./-]*[./][\\w./-]*(?: *[|>]|$)"),
  echo: /[|>$]/,
  timeout: after("\\d"),
};

function each(names: string, needs: RegExp): Record<string, RegExp> {
  return Object.fromEntries([...wordsOf(names)].map((name) => [name, needs]));
}

function after(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})`);
}

/** A word of these outside of quotes makes it a sentence: "npm test passes". */
const SENTENCE_WORDS = wordsOf(
  `a an the is are was were be been has have had passes pass passed fails fail failed shows show works work succeeds
  succeed returns exits ends prints says must should can cannot does do not still and or that this these it its than
  with without when where while which who for of to into after before green red ok clean empty exists there every each
  no any only will we you your our under over below above at on in from by minutes seconds created cleanly`,
);

/** Whether a text that stands where prose may stand can only be meant as a command. */
export function readsAsCommand(written: string): boolean {
  const text = withoutMarks(written);
  // Nothing but a command is begun in backticks and all in them; only the end is missing.
  if (text !== written && written.startsWith("`")) return true;
  const bare = text.replace(/\s+#\s.*$/, "").replace(/^(["'])([\w./-]+)\1(?=\s)/, "$2");
  const inBrackets = /^\((.+)\)$|^\{ (.+); \}$/.exec(bare);
  const line = inBrackets?.[1] ?? inBrackets?.[2] ?? bare;
  const [first = "", ...others] = line.split(/\s*(?:;|&&|\|\|)\s*/).filter((part) => part !== "");
  const isList = others.length > 0 && isInList(first) && others.every(isInList);
  return isList || isOneCommand(line);
}

/** Next to other commands, `cd a` is not a sentence, and what only a shell has is a command, too. */
function isInList(part: string): boolean {
  return /^(?:cd|ls|echo|printf)\s|^(?:exit|sleep) \d+$/.test(part) || isOneCommand(part);
}

function isOneCommand(text: string): boolean {
  const line = text.replace(/^(?:!\s+|(?:[A-Z_][A-Z0-9_]*=\S*\s+))+/, "");
  const [program = ""] = line.split(/\s/, 1);
  const rest = line.slice(program.length).trim();
  // What begins in backticks may name a command and say something about it.
  if (line.startsWith("`") || isSentence(line)) return false;
  if (PROGRAMS.has(program) || isShell(line)) return true;
  const needs = Object.hasOwn(FOLLOWED, program) ? FOLLOWED[program] : undefined;
  return needs === undefined ? isScript(program, rest) : needs.test(rest);
}

/** A prompt, quotes around all of it, or one backtick at either end, were meant as backticks. */
function withoutMarks(written: string): string {
  const text = written.replace(/^\$\s+/, "");
  const [, , inQuotes] = /^(["'])([^"']+)\1$/.exec(text) ?? [];
  if (inQuotes !== undefined) return inQuotes;
  const isHalf = text.split("`").length === 2 && /^`|`$/.test(text);
  return isHalf ? text.replace("`", "") : text;
}

/** What only a shell reads: a test in brackets, a pipe into a program, a path that begins with a variable or home. */
function isShell(line: string): boolean {
  if (/^\[\[? .+ \]\]?(?: |$)/.test(line)) return true;
  if (/^(?:~|\$\{?[A-Z_]+\}?)\/[\w./-]+(?: |$)/.test(line)) return true;
  const [, into = ""] = /^[\w./-]+(?: [^|]*)? \| ([\w-]+)(?: |$)/.exec(line) ?? [];
  return PROGRAMS.has(into) || Object.hasOwn(FOLLOWED, into);
}

/** What stands in quotes is somebody's text, and says nothing. A word that is no option and no path may be English. */
function isSentence(line: string): boolean {
  const bare = line.replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, " ");
  if (/[.!?…]$/.test(bare) && !/(?:^|[\s/])\.{1,3}$/.test(bare)) return true;
  const words = bare.split(/[\s,;:]+/).slice(1);
  return words.some(
    (word, index) => SENTENCE_WORDS.has(word.toLowerCase()) && !isArgument(words, index),
  );
}

/** `npm run all`, `make all`, `cargo test --all`: behind `run`, or alone behind the program, a name is a name. */
function isArgument(words: readonly string[], index: number): boolean {
  return words[index - 1] === "run" || words[index - 1]?.startsWith("-") === true;
}

/** `./check.sh`, `scripts/verify --all`, `mytool --check`; a path alone may be meant as a file. */
function isScript(program: string, rest: string): boolean {
  if (!/^(?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*$/.test(program)) return false;
  const isPath = program.includes("/");
  if (/\/(?:gradlew|mvnw|configure)$/.test(program)) return true;
  if (isPath && /\.(?:sh|bash)$/.test(program)) return true;
  if (isPath) return rest.startsWith("-") || (IN_TOOLS.test(program) && SUBCOMMAND.test(rest));
  return /^--[a-z][\w-]*(?:[= ]|$)/.test(rest);
}

const IN_TOOLS = /^\.{0,2}\/|(?:^|\/)\.?(?:s?bin|scripts?|tools?)\//;

const SUBCOMMAND =
  /^(?:tests?|specs?|check|lint|build|run|ci|verify|format|all|[\w-]+:[\w:-]+|[\w-]*[./][\w./-]+)(?: |$)/;

/**
 * The same text as a command, to be copied: what prose names in backticks, else all of it. Nothing is left out but
 * words that add nothing. Undefined where it is not clear which is meant, or where it could not be split into words.
 */
export function inBackticks(written: string): string | undefined {
  const text = withoutMarks(written.trim());
  const command = commandMeant(text);
  if (command === undefined || command === "" || !splitWords(command).ok) return undefined;
  const isEven = command.split("`").length % 2 === 1;
  return isEven ? codeSpan(command) : undefined;
}

const SPAN = /`([^`]+)`/g;

/** Words with which people lead to a command that they write in backticks. */
const LEADING_WORDS = wordsOf(
  "run runs running execute executes call use start try see check command finally",
);

function commandMeant(text: string): string | undefined {
  const spans = [...text.matchAll(SPAN)].map(([, span = ""]) => span.trim());
  if (spans.length === 0 || readsAsCommand(text)) return text;
  const around = text.replaceAll(SPAN, " ").trim();
  const isProse = isSentence(`- ${around}`) || leads(around);
  if (SHELL_MARK.test(around)) {
    return isProse ? undefined : text.replaceAll(LEADING_SPAN, "$1$2");
  }
  return joinedSpans(spans, text.split(/`[^`]+`/));
}

/** What only a shell reads: an operator, an option, a variable. */
const SHELL_MARK = /[|<>=$]|&&|(?:^|\s)-{1,2}\w/;

/** A command in backticks where a shell takes the next command: a shell would execute what it prints. */
const LEADING_SPAN = /(^|&&\s*|\|\s*|;\s*)`([^`]+)`/g;

function leads(around: string): boolean {
  return around.split(/[\s,;:]+/).some((word) => LEADING_WORDS.has(word.toLowerCase()));
}

/** Words around a command may say anything: where it runs, what it prints, that it fails. These add nothing. */
const EMPTY_WORDS = wordsOf(
  `a an the this that it its is are be must should shall will can has have to and or either then also always still
  again now please finally first with passes pass passed succeeds succeed succeeded works work ok okay
  green successful successfully exits exit code status 0 zero program script command tests test checks check suite
  run runs running execute executes call use start try see`,
);

function joinedSpans(spans: readonly string[], around: readonly string[]): string | undefined {
  const words = around.flatMap((text) => text.split(/[\s,;:.()–—]+|&&|\|\|/));
  if (words.some((word) => word !== "" && !EMPTY_WORDS.has(word.toLowerCase()))) return undefined;
  if (spans.length === 1) return spans[0];
  const between = around.slice(1, -1);
  const choices = between.filter((text) => /\bor\b|\|\|/i.test(text));
  // Joined, such a command would be read in other parts.
  if (spans.some((span) => (choices.length === 0 ? /;|\|\|/ : /;|&&|\|\|/).test(span)))
    return undefined;
  if (choices.length === 0) return spans.join(" && ");
  return choices.length === between.length ? spans.join(" || ") : undefined;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
