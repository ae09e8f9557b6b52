// Skills for people: where they are installed and what was done about them, or what is wrong with them.
import type { SkillsView } from "../core/schema/views.ts";
import { counted } from "../core/words/amounts.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import { problemText } from "./manifest-text.ts";
import { visibleLine } from "./visible.ts";

type Entry = SkillsView["installed"][number];
type Checked = SkillsView["checked"][number];

export function skillsText(view: SkillsView, paint: Paint): Block[] {
  return [
    ...view.installed.flatMap((entry) => entryLines(entry, paint)),
    ...view.checked.flatMap((checked) => checkedLines(checked, paint)),
    ...nextFacts(view.next, paint),
  ];
}

const STATES = {
  absent: "not installed",
  current: "installed",
  outdated: "installed, not as this Stint has it",
  edited: "installed and edited",
  foreign: "not Stint's",
  link: "a link",
} as const satisfies Record<Entry["state"], string>;

function entryLines({ skill, agents, folder, state, outcome, why }: Entry, paint: Paint): Block[] {
  const again = outcome === "unchanged" && state === "current" ? "already " : "";
  const isAsFound = outcome === "shown" || outcome === "unchanged";
  const said = isAsFound ? `${again}${STATES[state]}` : outcome;
  const colour = outcome === "left" ? paint.yellow : state === "absent" ? paint.dim : paint.green;
  return [
    `${colour(said)}  ${paint.bold(visibleLine(skill))}  ${visibleLine(folder)}`,
    fact("read by", agents.join(", "), paint),
    ...(why === null ? [] : [fact("note", why, paint)]),
  ];
}

function checkedLines({ folder, errors, warnings, problems }: Checked, paint: Paint): Block[] {
  const colour = errors > 0 ? paint.red : warnings > 0 ? paint.yellow : paint.green;
  return [
    ...problems.flatMap((problem) => problemText(`${folder}/${problem.file}`, problem, paint)),
    `${visibleLine(folder)}: ${colour(`${counted(errors, "error")}, ${counted(warnings, "warning")}`)}`,
  ];
}
