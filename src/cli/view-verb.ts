// What verbs have in common that do something and then show what came of it: as text for people, or as one
// document for programs.
import type { System } from "../operations/system.ts";
import type { Block, Paint } from "../report/layout.ts";
import { EXIT } from "./exit-codes.ts";
import { printJson, show, tellAside } from "./show.ts";
import type { VerbCall, VerbRunner } from "./verb.ts";

export interface ViewVerb<V extends object> {
  readonly view: (system: System, call: VerbCall, tell: (text: string) => void) => V | Promise<V>;
  readonly text: (view: V, paint: Paint, call: VerbCall) => readonly Block[];
  /** Done, where it is not given. */
  readonly exitCode?: (view: V, call: VerbCall) => number;
}

export function viewVerb<V extends object>({ view, text, exitCode }: ViewVerb<V>): VerbRunner {
  return async (system, call, terminal) => {
    const seen = await view(system, call, (words) => {
      if (!call.json) tellAside(terminal, words);
    });
    if (call.json) printJson(terminal, seen);
    else show(terminal, text(seen, terminal.paint, call));
    return exitCode === undefined ? EXIT.done : exitCode(seen, call);
  };
}
