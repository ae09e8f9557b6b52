// The options of `run` that change how and where a project is worked on: `resume` and `plan` take them too.
import { DELIVER_MODES } from "../core/written/delivery-choice.ts";
import { WORKSPACE_WORDS } from "../core/written/workspace-settings.ts";
import type { TypedSettings } from "../operations/run/run-settings.ts";
import {
  isSet,
  optionChoice,
  optionText,
  optionTexts,
  type VerbCall,
  type VerbOption,
} from "./verb.ts";

export const AGENT: VerbOption = {
  flags: "--agent <agent>",
  description:
    "a name that stint agents lists, command:<program>, scripted:<script> (default: claude)",
};

export const SESSION_OPTIONS: readonly VerbOption[] = [
  {
    flags: "--fallback <agent>",
    description: "takes over while the agent is refused; again for a third one",
    repeatable: true,
  },
  { flags: "--session <policy>", description: "one-task, batch:N or until-gate" },
];

export const PLACE_OPTIONS: readonly VerbOption[] = [
  {
    flags: "--include-changes",
    description: "start from your uncommitted changes: they become a first commit in your name",
  },
  { flags: "--in-place", description: "work in the checkout itself instead of a copy" },
  {
    flags: "--workspace <kind>",
    description: "copy, in-place or own-path (a copy that sessions see at its own path)",
  },
  {
    flags: "--deliver <mode>",
    description: "auto, checkout, branch or ask: whether work goes into your branch by itself",
  },
  { flags: "--push <policy>", description: "auto, ask or never" },
  { flags: "--no-push", description: "push nothing; the same as --push never" },
];

/** As they were typed; those that a verb does not take are not set. */
export function typedSettings(call: VerbCall): TypedSettings {
  return {
    agent: optionText(call, "agent"),
    fallback: optionTexts(call, "fallback"),
    session: optionText(call, "session"),
    includeChanges: isSet(call, "includeChanges"),
    inPlace: isSet(call, "inPlace"),
    workspace: optionChoice(call, "workspace", {
      words: WORKSPACE_WORDS,
      wrong: (text) => `"${text}" is not a kind of workspace`,
      hint: "Right is copy, in-place or own-path: stint run --help",
    }),
    deliver: optionChoice(call, "deliver", {
      words: DELIVER_MODES,
      wrong: (text) => `"${text}" is not a way to deliver`,
      hint: "Right is auto, checkout, branch or ask: stint run --help",
    }),
    // Commander has it false where `--no-push` was typed.
    push:
      call.options["push"] === false
        ? "never"
        : optionChoice(call, "push", {
            words: ["auto", "ask", "never"],
            wrong: (text) => `"${text}" is not a way to push`,
            hint: "Right is auto, ask or never: stint run --help",
          }),
    isolation: optionChoice(call, "isolation", {
      words: ["auto", "on", "off"],
      wrong: (text) => `"${text}" is no kind of isolation`,
      hint: "Right is auto, on or off: stint run --help",
    }),
    model: optionText(call, "model"),
    permission: optionChoice(call, "permission", {
      words: ["default", "read-only", "dangerous"],
      wrong: (text) => `--permission ${text} is no permission`,
      hint: "Right is default, read-only or dangerous; what each means here: stint agents",
    }),
  };
}
