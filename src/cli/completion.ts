// `completion`: scripts made from the list of verbs. What a project holds is asked for when it is needed.
import type { CompletionView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { LISTED_AGENTS } from "../operations/doctor/doctor.ts";
import { isAskedAbout, isValueAskedAbout } from "./offer.ts";
import type { Verb } from "./verb.ts";
import { VERBS } from "./verbs.ts";

const SCRIPTS = { bash, zsh, fish, powershell };

type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as Shell[];

export function completion(named: string | undefined): CompletionView {
  const shell = SHELLS.find((name) => name === named);
  if (shell !== undefined) return { shell, script: completionScript(shell, VERBS) };
  throw new StintError(
    "bad-input",
    `there is no completion for "${named}"; there are scripts for ${SHELLS.join(", ")}`,
    "For example: stint completion bash",
  );
}

export function completionScript(shell: Shell, verbs: readonly Verb[]): string {
  return SCRIPTS[shell](verbs);
}

function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map((verb) => {
    const flags = optionsOf(verb).map((option) => longFlag(option.flags));
    const words = [...flags, "--help", ...(verb.words ?? [])].join(" ");
    const more = [
      ...(takesFile(verb) ? ["_stint_compgen -f"] : []),
      ...(isAskedAbout(verb) ? ["_stint_ask"] : []),
    ];
    return `    ${verb.name}) words="${words}"; ${more.join("; ") || ":"};;`;
  });
  const completes = {
    agent: `COMPREPLY=($(compgen -W "${LISTED_AGENTS.join(" ")}" -- "$current"))`,
    asked: '_stint_ask; COMPREPLY=($(compgen -W "$words" -- "$current"))',
    file: "_stint_compgen -f",
    text: ":",
  };
  const valueCases = VALUES.flatMap((kind) => {
    const places = placesOf(verbs, kind).map((place) => `"${place}"`);
    return places.length === 0 ? [] : [`    ${places.join("|")}) ${completes[kind]}; return;;`];
  });
  return `# bash completion for stint
_stint_ask() {
  local offered
  while IFS=$'\\t' read -r offered _; do words="$words $offered"; done < <(
    stint completion offer -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
# Line by line: a name with spaces is one word.
_stint_compgen() {
  local name
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$current")
}
_stint() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" word
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(verbs)} help --help --version" -- "$current"))
    return
  fi
  # After -- comes a command with its arguments, or text.
  for word in "\${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    if [ "$word" = -- ]; then
      if [ "\${COMP_WORDS[COMP_CWORD-1]}" = -- ]; then _stint_compgen -c; else _stint_compgen -f; fi
      return
    fi
  done
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${names(verbs)}";;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _stint stint`;
}

/** What takes an agent. */
const AGENT_FLAGS = ["--agent", "--fallback"];

/** What can be offered for the value of an option; for a text there is nothing. */
const VALUES = ["agent", "asked", "file", "text"] as const;

/** Undefined for an option without a value. */
function valueKind(flags: string): (typeof VALUES)[number] | undefined {
  const value = valueIn(flags);
  if (value === undefined) return undefined;
  if (AGENT_FLAGS.includes(longFlag(flags))) return "agent";
  if (isValueAskedAbout(flags)) return "asked";
  return FILES.includes(value) ? "file" : "text";
}

/** Verb and option, as somebody has typed them before such a value: an option may take none in another verb. */
function placesOf(verbs: readonly Verb[], kind: (typeof VALUES)[number]): string[] {
  return verbs.flatMap((verb) =>
    optionsOf(verb)
      .filter(({ flags }) => valueKind(flags) === kind)
      .map(({ flags }) => `${verb.name} ${longFlag(flags)}`),
  );
}

function zsh(verbs: readonly Verb[]): string {
  const list = verbs.map((verb) => `    '${verb.name}:${quoted(verb.summary)}'`).join("\n");
  const cases = verbs.map((verb) => {
    const flags = optionsOf(verb).map(
      (option) =>
        `'${longFlag(option.flags)}[${quoted(option.description)}]${zshValue(option.flags)}'`,
    );
    const first = verb.words === undefined ? "" : ` '1:word:(${verb.words.join(" ")})'`;
    const action = zshArgument(verb);
    return `    ${verb.name}) _arguments ${flags.join(" ")}${first}${action};;`;
  });
  return `#compdef stint
_stint_ask() {
  local -a offered
  local line
  for line in "\${(@f)$(stint completion offer -- "\${(@)typed}" 2>/dev/null)}"; do
    [[ -n $line ]] && offered+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe 'offer' offered
}
_stint_ask_or_file() {
  _alternative 'offers:offer:_stint_ask' 'files:file:_files'
}
_stint() {
  local -a verbs typed
  typed=("\${(@)words[2,CURRENT]}")
  verbs=(
${list}
  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join("\n")}
  esac
}
compdef _stint stint`;
}

function zshArgument(verb: Verb): string {
  if (!isAskedAbout(verb)) return takesFile(verb) ? " '*:file:_files'" : "";
  return takesFile(verb) ? " '*:target:_stint_ask_or_file'" : " '*:offer:_stint_ask'";
}

function zshValue(flags: string): string {
  const kind = valueKind(flags);
  if (kind === undefined) return "";
  const agents = `(${LISTED_AGENTS.join(" ")})`;
  const action = { agent: agents, asked: "_stint_ask", file: "_files", text: " " }[kind];
  return `:${valueIn(flags)}:${action}`;
}

function fish(verbs: readonly Verb[]): string {
  const asked = "(__stint_ask)";
  const lines = verbs.flatMap((verb) => {
    const seen = `__fish_seen_subcommand_from ${verb.name}`;
    const words = verb.words?.join(" ");
    return [
      `complete -c stint -n __fish_use_subcommand -f -a ${verb.name} -d '${quoted(verb.summary)}'`,
      ...optionsOf(verb).map(
        (option) =>
          `complete -c stint -n '${seen}' -l ${longFlag(option.flags).slice(2)} -d '${quoted(option.description)}'${fishValue(option.flags)}`,
      ),
      ...(words === undefined ? [] : [`complete -c stint -n '${seen}' -a '${words}'`]),
      ...(takesFile(verb) ? [] : [`complete -c stint -n '${seen}' -f`]),
      ...(isAskedAbout(verb) ? [`complete -c stint -n '${seen}' -a '${asked}'`] : []),
    ];
  });
  return [
    "# fish completion for stint",
    "function __stint_ask",
    "  set -l typed (commandline -opc) (commandline -ct)",
    "  stint completion offer -- $typed[2..] 2>/dev/null",
    "end",
    ...lines,
  ].join("\n");
}

function fishValue(flags: string): string {
  const kind = valueKind(flags);
  if (kind === undefined) return "";
  const agents = ` -x -a '${LISTED_AGENTS.join(" ")}'`;
  return { agent: agents, asked: " -x -a '(__stint_ask)'", file: " -r -F", text: " -x" }[kind];
}

/** Where nothing is offered, PowerShell itself offers files. */
function powershell(verbs: readonly Verb[]): string {
  const offer = (text: string, means: string): string =>
    `& $offer ${inQuotes(text)} ${inQuotes(means)}`;
  const cases = verbs.map((verb) => {
    const flags = optionsOf(verb).map(({ flags: written, description }) =>
      offer(longFlag(written), description),
    );
    const argument = isAskedAbout(verb) ? ["& $ask"] : [];
    const words = (verb.words ?? []).map((name) => offer(name, name));
    const lines = [...words, ...argument, "if ($word -like '-*') {", ...flags.map(indented), "}"];
    return [`${inQuotes(verb.name)} {`, ...lines.map(indented), "}"];
  });
  const completes = {
    agent: LISTED_AGENTS.map((name) => offer(name, "agent")).join("; "),
    asked: "& $ask",
    file: "",
    text: "",
  };
  const valueCases = VALUES.flatMap((kind) => {
    const places = placesOf(verbs, kind).map(inQuotes).join(", ");
    const then = completes[kind] === "" ? "return" : `${completes[kind]}; return`;
    return places === "" ? [] : [`    { $_ -in ${places} } { ${then} }`];
  });
  return `# PowerShell completion for stint
Register-ArgumentCompleter -Native -CommandName stint -ScriptBlock {
  param($word, $line, $cursor)
  $offer = {
    param($text, $means)
    if ($text.StartsWith($word, [StringComparison]::OrdinalIgnoreCase)) {
      [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $means)
    }
  }
  $verbs = {
${verbs.map(({ name, summary }) => `    ${offer(name, summary)}`).join("\n")}
  }
  $typed = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor })
  $ask = {
    $words = @($typed | Select-Object -Skip 1 | ForEach-Object { $_.ToString() }) + @($word)
    stint completion offer '--' @words 2>$null | ForEach-Object {
      $text, $means = $_ -split [char]9, 2
      & $offer $text $(if ($means) { $means } else { $text })
    }
  }
  if ($typed.Count -le 1) {
    & $verbs
    ${offer("help", "how a verb is used")}
    ${offer("--help", "what there is")}
    ${offer("--version", "which version this is")}
    return
  }
  if (@($typed | ForEach-Object { $_.ToString() }) -contains '--') { return }
  switch ("$($typed[1]) $($typed[-1])") {
${valueCases.join("\n")}
  }
  switch ($typed[1].ToString()) {
    'help' { & $verbs }
${cases.flat().map(indented).map(indented).join("\n")}
  }
}`;
}

function indented(line: string): string {
  return `  ${line}`;
}

/** PowerShell takes every one of these for a single quote; doubled, it is one of the text. */
function inQuotes(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}

/** The name of the value that an option takes. */
function valueIn(flags: string): string | undefined {
  return /<([a-z]+)>/.exec(flags)?.[1];
}

const FILES = ["path", "folder", "file"];

function takesFile(verb: Verb): boolean {
  return /manifest|target|path/.test(verb.arguments ?? "");
}

function optionsOf(verb: Verb): { flags: string; description: string }[] {
  const json = { flags: "--json", description: "for programs" };
  return [...(verb.options ?? []), ...(verb.isInteractive === true ? [] : [json])];
}

function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

function names(verbs: readonly Verb[]): string {
  return verbs.map(({ name }) => name).join(" ");
}

/** Descriptions stand in single quotes, and in brackets in zsh. */
function quoted(text: string): string {
  return text.replaceAll("'", "’").replace(/[[\]:]/g, " ");
}
