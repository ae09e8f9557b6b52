// `stint mcp`: without a word it serves the agent that started it; else it writes itself into the settings of agents.
import { StintError } from "../core/stint-error.ts";
import type { System } from "../operations/system.ts";
import { mcpText } from "../report/mcp-text.ts";
import { EXIT } from "./exit-codes.ts";
import { type Terminal, tellAside } from "./terminal.ts";
import { isSet, optionTexts, type VerbCall, viewVerb } from "./verb.ts";

export async function runMcp(system: System, call: VerbCall, terminal: Terminal): Promise<number> {
  const [act] = call.arguments;
  if (act === undefined) return await serve(system, call, terminal);
  const { mcpInstall } = await import("../operations/mcp-install.ts");
  const run = viewVerb({
    view: () =>
      mcpInstall(system, {
        act,
        agents: optionTexts(call, "agent") ?? [],
        isForUser: isSet(call, "user"),
        isForProject: isSet(call, "project"),
      }),
    text: mcpText,
    exitCode: ({ servers }) =>
      servers.some(({ outcome }) => outcome === "left") ? EXIT.badInput : EXIT.done,
  });
  return await run(system, call, terminal);
}

async function serve(system: System, call: VerbCall, terminal: Terminal): Promise<number> {
  const { agent: _, ...others } = call.options;
  if (Object.keys(others).length > 0 || optionTexts(call, "agent") !== undefined) {
    throw new StintError(
      "bad-input",
      "stint mcp without install, list or remove takes no options: it talks to the agent that started it",
      "For example: stint mcp install --agent claude",
    );
  }
  if (process.stdin.isTTY) {
    tellAside(
      terminal,
      "stint mcp talks to an agent that starts it: stint mcp install --agent claude. Ctrl-D ends it.",
    );
  }
  const { serveMcp } = await import("../mcp/serve.ts");
  await serveMcp(system, (text) => tellAside(terminal, text));
  return EXIT.done;
}
