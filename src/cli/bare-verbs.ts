// What an agent says outside of any session: the same words as in one, for the session in hand of the project here.
import { resolve } from "node:path";
import {
  type BareAnswer,
  bareAsk,
  bareBlock,
  bareBrief,
  bareDispatch,
  bareDone,
  bareNote,
  barePropose,
} from "../operations/bare-session.ts";
import { manifestIn, textGiven } from "../operations/in-session.ts";
import type { System } from "../operations/system.ts";
import { EXIT } from "./exit-codes.ts";
import { printJson, show, tellAside } from "./terminal.ts";
import { optionText, type VerbCall, type VerbRunner } from "./verb.ts";

const BARE_VERBS = {
  brief: (system, { arguments: [target] }) => bareBrief(system, { target }),
  done: (system, call) => {
    const [task] = call.arguments;
    return bareDone(system, { task, ...ofProject(call) });
  },
  note: (system, call) => bareNote(system, words(call)),
  ask: (system, call) => bareAsk(system, words(call)),
  block: (system, call) => bareBlock(system, words(call)),
  propose: (system, call) => {
    const file = optionText(call, "file");
    if (file === undefined) {
      return barePropose(system, { step: textGiven(call.arguments), ...ofProject(call) });
    }
    const manifest = manifestIn(resolve(system.cwd, file));
    return barePropose(system, { manifest, ...ofProject(call) });
  },
  dispatch: (system, call) =>
    bareDispatch(system, {
      owner: call.arguments.join(" "),
      returns: optionText(call, "returns") ?? "",
      look: optionText(call, "look"),
      deadline: optionText(call, "deadline"),
      ...ofProject(call),
    }),
} satisfies Record<string, (system: System, call: VerbCall) => Promise<BareAnswer>>;

export type BareVerb = keyof typeof BARE_VERBS;

export function bareVerb(name: BareVerb): VerbRunner {
  return async (system, call, terminal) => {
    const { text, exitCode, notices } = await BARE_VERBS[name](system, call);
    if (call.json) {
      printJson(terminal, { said: text });
      return exitCode;
    }
    for (const notice of notices) tellAside(terminal, notice);
    // A brief is a document, to be read as it stands.
    const isBrief = name === "brief" && exitCode === EXIT.done;
    show(terminal, [isBrief ? { whole: text } : text]);
    return exitCode;
  };
}

function ofProject(call: VerbCall): { readonly project?: string | undefined } {
  return { project: optionText(call, "project") };
}

function words(call: VerbCall): { readonly text: string; readonly project?: string | undefined } {
  return { text: textGiven(call.arguments), ...ofProject(call) };
}
