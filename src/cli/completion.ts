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
  // Line by line: a name with spaces is one word.
  const file =
    'while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$current")';
  const cases = verbs.map((verb) => {
    const flags = optionsOf(verb).map((option) => longFlag(option.flags));
    const words = [...flags, "--help", ...(verb.words ?? [])].join(" ");
    const more = [
      ...(takesFile(verb) ? [file] : []),
      ...(isAskedAbout(verb) ? ["_stint_ask"] : []),
    ];
    return `    ${verb.name}) words="${words}"; ${more.join("; ") || ":"};;`;
  });
  return `# bash completion for stint
_stint_ask() {
  local offered
  while IFS=$'\\t' read -r offered _; do words="$words $offered"; done < <(
    stint completion offer -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
_stint() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" name
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(verbs)} help --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${AGENT_FLAGS.join("|")}) COMPREPLY=($(compgen -W "${LISTED_AGENTS.join(" ")}" -- "$current")); return;;
    ${flagsAskedAbout(verbs).join("|")}) _stint_ask; COMPREPLY=($(compgen -W "$words" -- "$current")); return;;
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

function flagsAskedAbout(verbs: readonly Verb[]): string[] {
  const flags = verbs.flatMap(optionsOf).filter((option) => isValueAskedAbout(option.flags));
  return [...new Set(flags.map((option) => longFlag(option.flags)))];
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
  const value = valueIn(flags);
  if (value === undefined) return "";
  if (AGENT_FLAGS.includes(longFlag(flags))) return `:agent:(${LISTED_AGENTS.join(" ")})`;
  if (isValueAskedAbout(flags)) return `:${value}:_stint_ask`;
  return `:${value}:${isPath(value) ? "_files" : " "}`;
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
  const value = valueIn(flags);
  if (value === undefined) return "";
  if (AGENT_FLAGS.includes(longFlag(flags))) return ` -x -a '${LISTED_AGENTS.join(" ")}'`;
  if (isValueAskedAbout(flags)) return " -x -a '(__stint_ask)'";
  return isPath(value) ? " -r" : " -x";
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
  switch ($typed[-1].ToString()) {
    { $_ -in ${AGENT_FLAGS.map(inQuotes).join(", ")} } {
${LISTED_AGENTS.map((name) => `      ${offer(name, "agent")}`).join("\n")}
      return
    }
    { $_ -in ${flagsAskedAbout(verbs).map(inQuotes).join(", ")} } { & $ask; return }
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

function isPath(value: string): boolean {
  return value === "path" || value === "folder";
}

function takesFile(verb: Verb): boolean {
  return /manifest|target|path/.test(verb.arguments ?? "");
}

function optionsOf(verb: Verb): { flags: string; description: string }[] {
  return [...(verb.options ?? []), { flags: "--json", description: "for programs" }];
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
