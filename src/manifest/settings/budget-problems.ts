// `budgets:` of the front matter: each amount that is wrong is told by its name, at its line, with what was meant.
import { BUDGET_LIMITS, budgetProblem } from "../../core/written/bounds.ts";
import type { FrontMatter } from "../front-matter.ts";
import { lineOfEntry, lineOfSetting, writtenAt } from "./front-matter-source.ts";
import { errorAt, type Problem } from "../problem.ts";
import { scalarText } from "./setting-values.ts";

type Amounts = Readonly<Record<string, unknown>>;

/** One for each amount that has its own line; one for all of them where they are on one line. */
export function budgetProblems(frontMatter: FrontMatter, amounts: Amounts): Problem[] {
  const wrong = Object.entries(amounts).flatMap(([name, amount]) => {
    const told = budgetProblem(name, amount);
    return told === undefined ? [] : [{ name, ...told }];
  });
  const line = lineOfSetting(frontMatter, "budgets");
  const onOneLine = wrong.filter(({ name }) => entryLine(frontMatter, name) === undefined);
  const onOwnLine = wrong.flatMap(({ name, problem, kind, meant }) => {
    const own = entryLine(frontMatter, name);
    if (own === undefined) return [];
    const amount = meant ?? (kind === undefined ? "20" : BUDGET_LIMITS[kind].example);
    return errorAt(own, "bad-setting", {
      message: `budgets: ${problem}`,
      example: `${kind ?? "cost"}: ${amount}`,
      ...(meant === undefined && { sample: true }),
      found: writtenAt(frontMatter, own),
    });
  });
  if (onOneLine.length === 0) return onOwnLine;
  const isClear = onOneLine.every(({ meant }) => meant !== undefined);
  return [
    ...onOwnLine,
    errorAt(line, "bad-setting", {
      message: `budgets: ${onOneLine.map(({ problem }) => problem).join("; ")}`,
      example: `budgets: { ${corrected(amounts).join(", ")} }`,
      ...(!isClear && { sample: true }),
      found: writtenAt(frontMatter, line),
    }),
  ];
}

function entryLine(frontMatter: FrontMatter, name: string): number | undefined {
  return lineOfEntry(frontMatter, "budgets", name);
}

/** What is right stays; what is not known is shown by its example, or left out. */
function corrected(amounts: Amounts): string[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const told = budgetProblem(name, amount);
    if (told === undefined) return [`${name}: ${scalarText(amount)}`];
    const { kind, meant } = told;
    return kind === undefined ? [] : [`${kind}: ${meant ?? BUDGET_LIMITS[kind].example}`];
  });
}
