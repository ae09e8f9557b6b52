import { StintError } from "../../core/stint-error.ts";
import { run as runOperation } from "../../operations/run.ts";
import { runText, newsText } from "../../report/run-text.ts";
import { exitCodeOfState } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import { isSet, optionText, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  let stop: { kind: "signal"; reason: string } | null = null;
  const onSignal = (name: string): void => {
    stop = { kind: "signal", reason: `${name} was received` };
    if (!call.json) terminal.err(`${name}: ending the session and pausing …`);
  };
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  try {
    const view = await runOperation(system, {
      target: call.arguments[0],
      agent: optionText(call, "agent"),
      session: optionText(call, "session"),
      retry: isSet(call, "retry"),
      allowDirty: isSet(call, "allowDirty"),
      isolation: isolationOf(optionText(call, "isolation")),
      tell: (news) => {
        const text = newsText(news, terminal.paint);
        if (!call.json && text !== null) terminal.out(text);
      },
      stopWanted: () => stop,
    });
    if (call.json) printJson(terminal, view);
    else terminal.out(runText(view, terminal.paint));
    return exitCodeOfState(view.status);
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
};

function isolationOf(text: string | undefined): "auto" | "on" | "off" | undefined {
  if (text === undefined || text === "auto" || text === "on" || text === "off") return text;
  throw new StintError(
    "bad-input",
    `"${text}" is no kind of isolation`,
    "Right is auto, on or off: stint run --help",
  );
}
