import { demo } from "../../operations/demo.ts";
import { clock } from "../../report/amounts.ts";
import { demoText } from "../../report/health-text.ts";
import { shorten } from "../../report/visible.ts";
import { EXIT } from "../exit-codes.ts";
import { LiveView } from "../live-view.ts";
import { printJson, show } from "../show.ts";
import { isSet, type VerbRunner } from "../verb.ts";

const REDRAW_MS = 200;

export const run: VerbRunner = async (system, call, terminal) => {
  const began = system.host.nowMs();
  let told = 0;
  const { screen } = terminal;
  const view =
    screen === undefined || call.json
      ? undefined
      : new LiveView(screen, (width) => {
          const time = clock(system.host.nowMs() - began);
          const what = told < 2 ? `session ${told + 1} of 2, in a process of its own` : "verifying";
          return [terminal.paint.dim(shorten(`… ${what}, ${time}`, width - 1))];
        });
  const timer = setInterval(() => view?.draw(), REDRAW_MS);
  // The processes of the sessions get the signal as well and end in order; then this one cleans up.
  let isStopped = false;
  const onSignal = (): void => {
    isStopped = true;
  };
  process.on("SIGINT", onSignal);
  try {
    const seen = await demo(system, {
      keep: isSet(call, "keep"),
      stopWanted: () => isStopped,
      tell(lines) {
        const text = `${told === 0 ? "" : "\n"}${lines.join("\n")}`;
        told += 1;
        if (view !== undefined) view.line(text);
        else if (!call.json) terminal.out(text);
      },
    });
    view?.end();
    if (seen === null) return EXIT.workRemains;
    if (call.json) printJson(terminal, seen);
    else if (seen.kept !== null) show(terminal, demoText(seen, terminal.paint));
    return seen.passed ? EXIT.done : EXIT.stateBroken;
  } finally {
    clearInterval(timer);
    view?.end();
    process.off("SIGINT", onSignal);
  }
};
