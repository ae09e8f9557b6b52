// `completion`: scripts made from the list of verbs. Project ids are asked for when they are needed.
import type { CompletionView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
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
    `there is no completion for "${named}"; known are ${SHELLS.join(", ")}`,
    "Right is, for example: stint completion bash",
  );
}

export function completionScript(shell: Shell, verbs: readonly Verb[]): string {
  return SCRIPTS[shell](verbs);
}

function bash(verbs: readonly Verb[]): string {
  const argument = {
    // Line by line: a name with spaces is one word.
    file: 'while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$current")',
    project: 'words="$words $(stint list --ids 2>/dev/null)"',
    none: ":",
  };
  const cases = verbs.map((verb) => {
    const flags = optionsOf(verb).map((option) => longFlag(option.flags));
    const words = [...flags, "--help", ...(verb.words ?? [])].join(" ");
    return `    ${verb.name}) words="${words}"; ${argument[argumentKind(verb)]};;`;
  });
  return `# bash completion for stint
_stint() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" name
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names(verbs)} help --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${names(verbs)}";;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _stint stint`;
}

function zsh(verbs: readonly Verb[]): string {
  const list = verbs.map((verb) => `    '${verb.name}:${quoted(verb.summary)}'`).join("\n");
  const cases = verbs.map((verb) => {
    const flags = optionsOf(verb).map(
      (option) => `'${longFlag(option.flags)}[${quoted(option.description)}]'`,
    );
    const first = verb.words === undefined ? "" : ` '1:word:(${verb.words.join(" ")})'`;
    const argument = {
      file: " '*:file:_files'",
      project: " '*:project:($(stint list --ids 2>/dev/null))'",
      none: "",
    }[argumentKind(verb)];
    return `    ${verb.name}) _arguments ${flags.join(" ")}${first}${argument};;`;
  });
  return `#compdef stint
_stint() {
  local -a verbs
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

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap((verb) => {
    const seen = `__fish_seen_subcommand_from ${verb.name}`;
    const argument = {
      file: [],
      project: [`complete -c stint -n '${seen}' -f -a '(stint list --ids 2>/dev/null)'`],
      none: [`complete -c stint -n '${seen}' -f`],
    }[argumentKind(verb)];
    const words = verb.words?.join(" ");
    return [
      `complete -c stint -n __fish_use_subcommand -f -a ${verb.name} -d '${quoted(verb.summary)}'`,
      ...optionsOf(verb).map(
        (option) =>
          `complete -c stint -n '${seen}' -l ${longFlag(option.flags).slice(2)} -d '${quoted(option.description)}'`,
      ),
      ...(words === undefined ? [] : [`complete -c stint -n '${seen}' -a '${words}'`]),
      ...argument,
    ];
  });
  return ["# fish completion for stint", ...lines].join("\n");
}

/** Where nothing is offered, PowerShell itself offers files. */
function powershell(verbs: readonly Verb[]): string {
  const offer = (text: string, means: string): string =>
    `& $offer ${inQuotes(text)} ${inQuotes(means)}`;
  const cases = verbs.map((verb) => {
    const flags = optionsOf(verb).map(({ flags: written, description }) =>
      offer(longFlag(written), description),
    );
    const argument = {
      file: [],
      project: ["stint list --ids 2>$null | ForEach-Object { & $offer $_ 'project' }"],
      none: [],
    }[argumentKind(verb)];
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
  if ($typed.Count -le 1) {
    & $verbs
    ${offer("help", "how a verb is used")}
    ${offer("--help", "what there is")}
    ${offer("--version", "which version this is")}
    return
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

function argumentKind(verb: Verb): "file" | "project" | "none" {
  if (verb.arguments === undefined) return "none";
  if (/manifest|target|path/.test(verb.arguments)) return "file";
  return verb.arguments.includes("project") ? "project" : "none";
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
