// A new manifest for people: what was found for it and where, and what to do with it.
import type { InitView } from "../core/schema/views.ts";
import { type Block, nextFacts, type Paint } from "./layout.ts";
import { visibleLine, visibleText } from "./visible.ts";

export function initText(view: InitView, paint: Paint): Block[] {
  const { manifest, found, left_out, next } = view;
  // Whoever prints it reads it, or has another file for it.
  if (!view.written) return [{ whole: visibleText(view.text.trimEnd()) }];
  return [
    `Wrote ${paint.bold(visibleLine(manifest))}`,
    {
      rows: found.map(({ kind, command, where }) => [
        { text: kind },
        { text: visibleLine(command) },
        { text: visibleLine(where), paint: paint.dim },
      ]),
      indent: "  ",
    },
    ...(found.some(({ kind }) => kind !== "setup")
      ? []
      : [
          "  No command that tests, lints or builds this repository was found; the file says more.",
        ]),
    ...left_out.map(
      ({ what, where, why }) =>
        `  ${paint.yellow("Left out:")} ${visibleLine(what)} (${visibleLine(where)}): ${visibleLine(why)}`,
    ),
    `Now write your ${view.goal === null ? "goal and " : ""}tasks into it: both tasks there are placeholders.`,
    ...nextFacts(next, paint),
  ];
}
