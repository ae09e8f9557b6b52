// What was found on this machine, for people: damage, what can be removed, the demo of a list over
// several sessions, and the agents that are there.
import type {
  AgentsView,
  AgentView,
  CleanView,
  DemoView,
  DoctorView,
  FindingView,
} from "../core/schema/views.ts";
import type { Block, Cell, Paint } from "./layout.ts";
import { sessionsText } from "./verify-text.ts";
import { visibleLine } from "./visible.ts";
import { dataSize, fileCount } from "../core/words/amounts.ts";
import { join } from "node:path";
import { shellWord } from "../core/written/commands.ts";

export function doctorText(view: DoctorView, paint: Paint): Block[] {
  const lines: string[] = [];
  for (const each of view.repaired) {
    lines.push(`${paint.green("repaired")} ${each.project_id}, now at revision ${each.revision}`);
    const inferred = each.inferred.length > 0 ? each.inferred : ["nothing was wrong"];
    lines.push(...inferred.map((text) => `  - ${visibleLine(text)}`));
  }
  lines.push(...view.system.map((finding) => findingLine(finding, paint)));
  for (const project of view.projects) {
    lines.push(paint.bold(project.project_id));
    lines.push(...project.findings.map((finding) => `  ${findingLine(finding, paint)}`));
  }
  for (const each of view.adoptable) {
    lines.push(`${paint.yellow(each.verdict)} ${visibleLine(each.folder)}`);
    lines.push(...each.details.map((text) => `  - ${visibleLine(text)}`));
    if (each.verdict !== "refused") lines.push(`  → stint doctor --adopt`);
  }
  return lines;
}

function findingLine(finding: FindingView, paint: Paint): string {
  const sign = {
    fine: paint.green("✓"),
    notice: paint.yellow("!"),
    problem: paint.red("✗"),
  }[finding.severity];
  const fix = finding.fix === null ? "" : `\n      → ${visibleLine(finding.fix)}`;
  return `${sign} ${visibleLine(finding.what)} ${paint.dim(`(${visibleLine(finding.where)})`)}${fix}`;
}

type Item = CleanView["items"][number];

const KINDS = {
  workspace: "workspace",
  litter: "left over",
  "background-runs": "logs of runs in the background",
  "watchdog-notes": "notes of the watchdog",
  "registry-entry": "entry in the list",
} as const satisfies Record<Item["kind"], string>;

export function cleanText(view: CleanView, paint: Paint): Block[] {
  if (view.items.length === 0) return ["Nothing to remove: everything there is needed."];
  return [
    ...view.items.flatMap((item) => itemLines(item, paint)),
    total(view),
    ...view.next.map((command) => ({ commands: `  → ${command}` })),
  ];
}

function itemLines(item: Item, paint: Paint): string[] {
  const size =
    item.bytes === null ? "" : `, ${dataSize(item.bytes)} in ${fileCount(item.files ?? 0)}`;
  const of = `${KINDS[item.kind]} of ${item.project_id}${size}`;
  return [
    `${signOf(item, paint)} ${of}: ${visibleLine(item.reason)}`,
    ...(item.kind === "registry-entry" ? [] : [`    ${paint.dim(visibleLine(item.path))}`]),
    ...item.only_copy_of.map((what) => `    only copy of: ${visibleLine(what)}`),
    ...(item.why === null ? [] : [`    ${visibleLine(item.why)}`]),
  ];
}

function signOf({ outcome }: Item, paint: Paint): string {
  switch (outcome) {
    case "shown":
      return "·";
    case "removed":
      return paint.green("removed");
    case "kept":
      return paint.yellow("kept");
    case "failed":
      return paint.red("failed");
    default:
      return outcome satisfies never;
  }
}

function total({ is_applied, bytes, items }: CleanView): string {
  if (is_applied) return `${dataSize(bytes)} removed.`;
  const isAny = items.some(({ outcome }) => outcome === "shown");
  return isAny ? `Nothing was removed yet. ${dataSize(bytes)} can be:` : "Nothing was removed.";
}

export function demoText(view: DemoView, paint: Paint): Block[] {
  const kept = view.kept ?? "";
  return [
    ...(view.passed ? [] : ["", ...sessionsText(view.verify, paint)]),
    "",
    `Kept in ${kept}. Look around:`,
    { whole: `  cd ${shellWord(join(kept, "repository"))}` },
    { whole: `  export XDG_STATE_HOME=${shellWord(join(kept, "state"))}` },
    { whole: `  stint status ${view.project_id}; git log --stat` },
  ];
}

export function agentsText(view: AgentsView, paint: Paint): Block[] {
  const rows = view.agents.map((agent): Cell[] => {
    const isThere = agent.program !== null;
    return [
      { text: isThere ? "✓" : "·", paint: isThere ? paint.green : paint.dim },
      { text: agent.is_default ? `${agent.name} (default)` : agent.name },
      { text: agent.title },
      { text: isThere ? visibleLine(agent.version ?? "version unknown") : "not installed" },
      { text: isThere ? LOGINS[agent.login] : "" },
      { text: agent.next === null ? "" : `→ ${agent.next}`, paint: paint.dim, breaks: "commands" },
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
