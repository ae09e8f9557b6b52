// All projects for people: one line each.
import type { ListView } from "../core/schema/views.ts";
import type { Paint } from "./paint.ts";
import { paintStatus } from "./status-text.ts";
import { type Cell, renderTable } from "./table.ts";
import { visibleLine } from "./visible.ts";

export function listText(view: ListView, paint: Paint, width: number | undefined): string {
  if (view.projects.length === 0) return "No projects yet. Create one: stint new <manifest.md>";
  const header: Cell[] = ["ID", "SLUG", "STATUS", "DONE", "UPDATED (UTC)", "WHERE"].map((text) => ({
    text,
    paint: paint.dim,
  }));
  const rows = view.projects.map((project): Cell[] => {
    const { state } = project;
    const where: Cell = { text: visibleLine(`${project.root}/${project.manifest}`), keeps: "end" };
    if (!state.readable) {
      const status = { text: "unreadable", paint: paint.red };
      return [
        { text: project.id },
        { text: project.slug },
        status,
        { text: "-" },
        { text: "-" },
        where,
      ];
    }
    return [
      { text: project.id },
      { text: project.slug },
      {
        text: state.status,
        paint: (text) => paintStatus(text.trimEnd(), paint) + text.slice(text.trimEnd().length),
      },
      { text: `${state.progress.done}/${state.progress.total}` },
      { text: state.updated_at.slice(0, 16).replace("T", " ") },
      where,
    ];
  });
  const unreadable = view.projects.flatMap(({ id, state }) =>
    state.readable ? [] : [`${paint.red("unreadable")} ${id}: ${visibleLine(state.reason)}`],
  );
  return [...renderTable([header, ...rows], { width }), ...unreadable].join("\n");
}
