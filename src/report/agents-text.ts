// The agents of this machine, for people.
import type { AgentsView, AgentView } from "../core/schema/views.ts";
import type { Paint } from "./paint.ts";
import { type Cell, renderTable } from "./table.ts";
import { visibleLine } from "./visible.ts";

export function agentsText(view: AgentsView, paint: Paint, width: number | undefined): string {
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
    ...renderTable(rows, { indent: "", width }),
    ...(modes.length === 0 ? [] : ["", "How a session runs (--permission):", ...modes]),
    "",
    `Isolation: ${view.isolation.kind} (${view.isolation.guarantees})`,
    "Any other program: --agent 'command:./agent.sh --flag'",
  ].join("\n");
}

const LOGINS: Readonly<Record<AgentView["login"], string>> = {
  yes: "logged in",
  no: "not logged in",
  unknown: "login unknown",
};

function modeLines({ name, modes }: AgentView): string[] {
  return Object.entries(modes).map(([mode, words]) => `  ${name} ${mode}: ${words}`);
}
