// All projects in a table, and the journal of one, for people.
import { join } from "node:path";
import type { ListView, LogView } from "../../core/schema/views.ts";
import type { Block, Cell, Paint } from "../layout.ts";
import { statusWord } from "./idle.ts";
import { paintStatus } from "../status-text.ts";
import { visibleLine } from "../visible.ts";

export function listText(view: ListView, paint: Paint): Block[] {
  const damaged = view.damaged.flatMap(({ project_id, reason, fix }) => [
    `${paint.red("damaged")} ${project_id}: ${visibleLine(reason)}`,
    `  ${fix}`,
  ]);
  if (view.projects.length === 0 && damaged.length > 0) return damaged;
  if (view.projects.length === 0) return ["No projects yet. Create one: stint new <manifest.md>"];
  const header: Cell[] = ["ID", "SLUG", "STATUS", "DONE", "UPDATED (UTC)", "WHERE"].map((text) => ({
    text,
    paint: paint.dim,
  }));
  const rows = view.projects.map((project): Cell[] => {
    const where: Cell = { text: visibleLine(join(project.root, project.manifest)) };
    return [
      { text: project.id },
      { text: project.slug },
      ...stateCells(project.state, paint),
      where,
    ];
  });
  const unreadable = view.projects.flatMap(({ id, state }) =>
    state.readable ? [] : [`${paint.red("unreadable")} ${id}: ${visibleLine(state.reason)}`],
  );
  return [{ rows: [header, ...rows] }, ...unreadable, ...damaged];
}

function stateCells(state: ListView["projects"][number]["state"], paint: Paint): Cell[] {
  if (!state.readable) {
    return [{ text: "unreadable", paint: paint.red }, { text: "-" }, { text: "-" }];
  }
  const { status, held, progress, updated_at } = state;
  return [
    {
      text: statusWord(status, held),
      paint: (text) => paintStatus(text.trimEnd(), paint) + text.slice(text.trimEnd().length),
    },
    { text: `${progress.done}/${progress.total}` },
    { text: updated_at.slice(0, 16).replace("T", " ") },
  ];
}

export function logText(view: LogView, paint: Paint): Block[] {
  const rows = view.lines.map((line): Cell[] => [
    { text: String(line.revision), paint: paint.dim },
    { text: `${line.at.slice(0, 19).replace("T", " ")}Z`, paint: paint.dim },
    { text: visibleLine(line.kind), paint: paint.cyan },
    { text: visibleLine(line.by) },
    { text: visibleLine(line.summary) },
  ]);
  const hidden = view.total - view.lines.length;
  return [...(hidden > 0 ? [paint.dim(`… ${hidden} earlier lines`)] : []), { rows }];
}
