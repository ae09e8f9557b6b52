// The one judgement of a skill, ours or anybody's: every problem, by file and line. Pure.
import { errorAt } from "../manifest/problem.ts";
import { bodyProblems } from "./body-rules.ts";
import { frontMatterProblems } from "./description-rules.ts";
import { readPage, SKILL_FILE, type SkillProblem, type SkillSource } from "./skill-text.ts";

export function checkSkill(source: SkillSource): readonly SkillProblem[] {
  const text = source.texts.get(SKILL_FILE);
  if (text === undefined) {
    return [
      {
        file: SKILL_FILE,
        ...errorAt(1, "no-skill", {
          message: `there is no ${SKILL_FILE}, so no agent finds a skill here`,
          example: `${source.folder}/${SKILL_FILE}`,
          found: "",
        }),
      },
    ];
  }
  const main = readPage(SKILL_FILE, text);
  const others = [...source.texts]
    .filter(([file]) => file !== SKILL_FILE)
    .map(([file, written]) => readPage(file, written));
  const problems = [
    ...frontMatterProblems(main, source),
    ...bodyProblems([main, ...others], source),
  ];
  const order = [SKILL_FILE, ...others.map(({ file }) => file)];
  return problems.toSorted(
    (a, b) => order.indexOf(a.file) - order.indexOf(b.file) || a.line - b.line,
  );
}
