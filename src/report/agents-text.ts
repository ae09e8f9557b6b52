// The agents of this machine, for people.
import type { AgentsView, AgentView } from "../core/schema/views.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import type { Cell } from "./table.ts";
import { visibleLine } from "./visible.ts";

export function agentsText(view: AgentsView, paint: Paint): Block[] {
  const rows = view.agents.map((agent): Cell[] => {
    const isThere = agent.program !== null;
    return [
      { text: isThere ? "✓" : "·", paint: isThere ? paint.green : paint.dim },
      { text: agent.is_default ? `${agent.name} (default)` : agent.name },
      { text: agent.title },
      { text: isThere ? visibleLine(agent.version ?? "version unknown") : "not installed" },
      { text: isThere ? LOGINS[agent.login] : "" },
      { text: agent.next === null ? "" : `→ ${agent.next}`, paint: paint.dim, whole: "commands" },
    ];
  });
  const modes = view.agents.filter((agent) => agent.program !== null).flatMap(modeLines);
  return [
    { rows },
    ...(modes.length === 0 ? [] : ["", "How a session runs (--permission):", ...modes]),
    "",
    `Isolation: ${view.isolation.kind} (${view.isolation.guarantees})`,
    { whole: "Any other program: --agent 'command:./agent.sh --flag'" },
  ];
}

const LOGINS: Readonly<Record<AgentView["login"], string>> = {
  yes: "logged in",
  no: "not logged in",
  unknown: "login unknown",
};

function modeLines({ name, modes }: AgentView): string[] {
  return Object.entries(modes).map(([mode, words]) => `  ${name} ${mode}: ${words}`);
}
