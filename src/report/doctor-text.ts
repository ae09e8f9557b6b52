// What the doctor found and did, for people.
import type { DoctorView, FindingView } from "../core/schema/views.ts";
import type { Block } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { visibleLine } from "./visible.ts";

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
