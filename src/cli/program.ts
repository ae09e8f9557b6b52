// The command line: reads the words, finds the verb, prints errors as prompts, answers with an exit
// code. Everything a verb does is an operation; nothing here decides anything.
import { Command, CommanderError, Option } from "commander";
import { ALLOW_DIRTY_IS_GONE } from "../core/written/workspace-settings.ts";
import { StintError } from "../core/stint-error.ts";
import { shellWord } from "../core/written/commands.ts";
import type { ErrorView } from "../core/schema/views.ts";
import { faultOf, ManifestRefused, SeveralProjects } from "../operations/faults.ts";
import type { System } from "../operations/system.ts";
import { withLocalTimes } from "../report/amounts.ts";
import { type Block, layOut } from "../report/layout.ts";
import { problemText } from "../report/manifest-text.ts";
import { visibleText } from "../report/visible.ts";
import { EXIT, exitCodeOfError } from "./exit-codes.ts";
import { printJson, showAside, type Terminal } from "./terminal.ts";
import { withPatience } from "./patience.ts";
import { runnerOf } from "./runners.ts";
import { type OwnVerb, VERBS } from "./verbs.ts";

export interface CommandLine {
  readonly words: readonly string[];
  readonly version: string;
  readonly terminal: Terminal;
  readonly openSystem: () => System;
}

/** Runs one command line. Never throws for what a person did; a bug passes through. */
export async function runCommandLine(typed: CommandLine): Promise<number> {
  const line = { ...typed, words: helpAsOption(typed.words) };
  const [first, second, ...asked] = line.words;
  if (first === "completion" && second === "offer") return await offer(line, asked);
  let exitCode: number = EXIT.done;
  const program = buildProgram(line, (code) => {
    exitCode = code;
  });
  if (line.words.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  try {
    await program.parseAsync([...ownWords(line.words)], { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, line);
  }
}

/** `help run` as `run --help`; a verb that does not exist has no help, and is told as everywhere. */
function helpAsOption(words: readonly string[]): readonly string[] {
  const [first, second] = words;
  if (first === "help") {
    const isOfAll = second === undefined || second === "help" || second.startsWith("-");
    return isOfAll ? ["--help"] : helpAsOption([second, "--help"]);
  }
  const isKnown = first === undefined || first.startsWith("-") || verbOf(words) !== undefined;
  return isKnown ? words : words.filter((word) => word !== "--help" && word !== "-h");
}

/** What a shell asks while somebody types: it waits for every line, and has no use for an error. */
async function offer({ terminal, openSystem }: CommandLine, words: readonly string[]) {
  const { offeredLines } = await import("./offer.ts");
  const lines = offeredLines(openSystem, words);
  if (lines.length > 0) terminal.out(lines.join("\n"));
  return EXIT.done;
}

export function buildProgram(line: CommandLine, finished: (code: number) => void): Command {
  const { terminal } = line;
  const program = new Command("stint")
    .description(
      "Takes a Markdown task manifest to verified Done, one fresh agent session at a time.",
    )
    .version(line.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [verb]", "show help for a verb")
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      // Errors are reported once, by `report`, so that --json gets them too.
      outputError: () => {},
      getOutHelpWidth: () => Math.min(terminal.width ?? 100, 100),
      getOutHasColors: () => false,
    })
    // Their arguments would leave no room for what they do.
    .configureHelp({ subcommandTerm: (verb) => verb.name(), minWidthToWrap: 10 })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText("after", layOut(generalHelp(), terminal.width));
  // One verb's words need no other's: to set them all up takes longer than most verbs themselves.
  const named = verbOf(line.words);
  for (const verb of named === undefined ? VERBS : [named]) {
    addVerb(program, verb, line, finished);
  }
  return program;
}

/** The words that are Stint's: what follows `--` is the command of a verb that takes one. */
function ownWords(words: readonly string[]): readonly string[] {
  const at = words.indexOf("--");
  return at === -1 || verbOf(words)?.rest === undefined ? words : words.slice(0, at);
}

function verbOf([first]: readonly string[]): OwnVerb | undefined {
  return VERBS.find(({ name }) => name === first);
}

function addVerb(
  program: Command,
  verb: OwnVerb,
  line: CommandLine,
  finished: (code: number) => void,
): void {
  const command = program
    .command(verb.name)
    .summary(verb.summary)
    .description(
      verb.details === undefined
        ? sentence(verb.summary)
        : `${sentence(verb.summary)}\n\n${verb.details}`,
    )
    .helpOption("-h, --help", "show help")
    .allowExcessArguments(false);
  for (const argument of verb.arguments?.split(" ") ?? []) {
    const name = argument.replace(/[<>[\].]/g, "");
    command.argument(argument, verb.argumentHelp?.[name] ?? "");
  }
  if (verb.rest !== undefined) {
    command.usage(["[options]", verb.arguments, verb.rest].filter(Boolean).join(" "));
  }
  for (const { flags, description, repeatable } of verb.options ?? []) {
    if (repeatable === true) command.option(flags, description, collect);
    else command.option(flags, description);
  }
  const json = new Option("--json", "print one JSON document, for programs");
  command.addOption(json.hideHelp(verb.isInteractive === true));
  command.addHelpText("after", layOut(examplesText(verb), line.terminal.width));
  command.action(async (...received: unknown[]) => {
    // Commander hands over the arguments, then the options, then the command.
    const options = received.at(-2) as Record<string, unknown>;
    const call = {
      arguments: received
        .slice(0, -2)
        .flat()
        .filter((word) => typeof word === "string"),
      options,
      json: options["json"] === true,
      rest: restOf(line.words),
      words: ownWords(line.words),
    };
    const run = await runnerOf(verb.name);
    const { terminal } = line;
    const act = async (): Promise<number> => await run(line.openSystem(), call, terminal);
    finished(await withPatience(verb.name, terminal, act));
  });
}

function restOf(words: readonly string[]): readonly string[] | undefined {
  const rest = words.slice(ownWords(words).length + 1);
  return rest.length === 0 ? undefined : rest;
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function examplesText(verb: OwnVerb): Block[] {
  return ["", "Examples:", ...verb.examples.flatMap(exampleLines)];
}

function exampleLines([command, meaning]: readonly [command: string, meaning: string]): Block[] {
  return [{ whole: `  ${command}` }, `      ${meaning}`];
}

const EXAMPLES = [
  ["stint lint prompt.md", "check a manifest"],
  ["stint run prompt.md", "take it to Done, one fresh agent session at a time"],
  ["stint status", "see where it stands"],
  ["stint demo", "watch one process continue the list of another"],
] as const;

function generalHelp(): Block[] {
  return [
    "",
    "Examples:",
    ...EXAMPLES.flatMap(exampleLines),
    "",
    "Exit codes: 0 done, 1 work remains, 2 wrong use or bad input, 3 waits for a person, 4 blocked, 5 state could not be written or is damaged, 6 held by another owner.",
    "No telemetry: Stint calls only your agents and what you name.",
  ];
}

/** Prints what went wrong. @throws a bug, which is not for a person to mend */
function report(error: unknown, line: CommandLine): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const told = error instanceof CommanderError ? wrongUse(error, line.words) : faultOf(error);
  const { code, message } = told;
  const hint = told instanceof SeveralProjects ? namingOne(told, line.words) : told.hint;
  const refused = told instanceof ManifestRefused ? told : undefined;
  const { terminal } = line;
  const { paint } = terminal;
  if (ownWords(line.words).includes("--json")) {
    const problems = refused && { problems: [...refused.problems] };
    printJson(terminal, { error: { code, message, hint, ...problems } } satisfies ErrorView);
    return exitCodeOfError(code);
  }
  showAside(terminal, [
    ...(refused?.problems ?? []).flatMap((each) => problemText(refused?.file ?? "", each, paint)),
    `${paint.red("stint:")} ${visibleText(withLocalTimes(message))}`,
    `  ${visibleText(hint).replaceAll("\n", "\n  ")}`,
  ]);
  return exitCodeOfError(code);
}

/** The same command again with each of the projects, where the verb takes one as its last word or by an option. */
function namingOne(error: SeveralProjects, words: readonly string[]): string {
  const verb = verbOf(words);
  const isLastWord = /\[(?:project|target|words\.\.\.)\]$/.test(verb?.arguments ?? "");
  const isOption = verb?.options?.some(({ flags }) => flags.startsWith("--project <")) === true;
  if (!isLastWord && !isOption) return error.hint;
  const named = isLastWord ? [] : ["--project"];
  const { reference } = error;
  const own = ownWords(words).filter((word) => word !== "--json");
  const rest = words.slice(ownWords(words).length);
  return error.hintFor((id) => {
    const typed =
      reference === undefined
        ? [...own, ...named, id]
        : own.map((word) => (word === reference ? id : word));
    return ["stint", ...[...typed, ...rest].map(asTyped)].join(" ");
  });
}

/** An option stays one. */
function asTyped(word: string): string {
  return /^-[\w=.,:-]*$/.test(word) ? word : shellWord(word);
}

function wrongUse(error: CommanderError, words: readonly string[]): StintError {
  if (error.code === "commander.unknownOption" && error.message.includes("'--allow-dirty'")) {
    return new StintError("bad-input", ALLOW_DIRTY_IS_GONE.message, ALLOW_DIRTY_IS_GONE.hint);
  }
  const message = error.message.replace(/^error: /, "").trimEnd();
  const verb = verbOf(words);
  const help = `See all options: stint ${verb === undefined ? "" : `${verb.name} `}--help`;
  // Verbs about something that a project has: what they want to be told stands in its status.
  const isOfStatus = /^<(?:item|question|proposal|task|what)>/.test(verb?.arguments ?? "");
  const isMissing = error.code === "commander.missingArgument";
  return new StintError(
    "bad-input",
    message,
    isMissing && isOfStatus ? `${WHAT_WAITS}\n${help}` : help,
  );
}

const WHAT_WAITS = "What waits for you, and every task by its id: stint status";

function sentence(summary: string): string {
  return `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`;
}
