// What stands in front of a skill: its name, and a description that says What, When and When not in the third person
// and names no other component (S1-24). An agent decides by these words alone whether to read on. Pure.
import { errorAt, type ProblemText } from "../manifest/problem.ts";
import { type PageHead, SKILL_FILE, type SkillPage, type SkillProblem } from "./skill-text.ts";

const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;

const GOOD_DESCRIPTION =
  "description: Converts scanned invoices to CSV. Use when an invoice is a PDF or an image. Not for contracts.";

/** Orders, where a description should say what the skill does. */
const ORDERS = new Set(
  `accomplish achieve add adjust allow analyse analyze apply assist automate build call change check clean
  collect compare configure convert coordinate create debug define deploy design detect develop document draft
  enable enforce ensure execute explain explore extract find fix format generate get give guide handle help
  implement import improve inspect install integrate keep learn lint list maintain make manage migrate monitor
  move open optimise optimize orchestrate organise organize parse perform plan prepare process produce provide
  publish query read refactor release remove render resolve restore review run scaffold schedule search send set
  setup show solve split start summarise summarize support sync take teach test track transform translate
  understand update upload validate verify watch work write`.split(/\s+/),
);

const PERSON = /(?<![\w"'-])(?:I|I'm|I'll|me|my|we|our|us|you|your|you're)(?![\w-])/i;
const WHEN = /\b(?:when|whenever|if|for (?:tasks|work|requests|prompts|questions))\b/i;
const NOT =
  /\b(?:not for|not when|not if|not (?:meant|intended|suitable|to be used|used)|do not use|don't use|does not (?:apply|cover)|never use|skip)\b/i;
/** What follows these is no more the What. */
const WHEN_BEGINS = /^(?:use|used|trigger|triggers|invoke|apply|when|whenever|if)\b/i;
const OTHER_COMPONENT =
  /\b[a-z0-9]+(?:-[a-z0-9]+)+`? (?:skill|plugin|subagent|agent|command)\b|\b(?:skill|plugin|subagent|agent|command) `?[a-z0-9]+(?:-[a-z0-9]+)+/i;

export function frontMatterProblems(
  { frontMatter }: SkillPage,
  { folder, siblings }: { readonly folder: string; readonly siblings: readonly string[] },
): SkillProblem[] {
  if (frontMatter.kind === "none") {
    return [
      inSkillFile(1, "no-front-matter", {
        message: "it has no front matter, so no agent lists it",
        example: `---\nname: ${folder}\n${GOOD_DESCRIPTION}\n---`,
        found: "",
      }),
    ];
  }
  if (frontMatter.kind === "broken") {
    return [
      inSkillFile(frontMatter.line, "front-matter", {
        message: `its front matter is not YAML: ${frontMatter.reason}`,
        example: 'description: "a text with a colon: in quotes"',
        found: "",
      }),
    ];
  }
  return [...nameProblems(frontMatter, folder), ...descriptionProblems(frontMatter, siblings)];
}

type ReadHead = Extract<PageHead, { readonly kind: "read" }>;

function nameProblems({ values, lineOf }: ReadHead, folder: string): SkillProblem[] {
  const name = values["name"];
  const line = lineOf("name");
  const example = `name: ${folder}`;
  if (typeof name !== "string" || name.trim() === "") {
    const message = "it has no name";
    return [inSkillFile(line, "name", { message, example, found: "" })];
  }
  const found = `name: ${name}`;
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > LONGEST_NAME) {
    const message = `a name has at most ${LONGEST_NAME} lower-case letters and digits, separated by single hyphens`;
    return [inSkillFile(line, "name", { message, example, found })];
  }
  if (name === folder) return [];
  const message = `its name is not that of its folder, "${folder}": agents look for it there`;
  return [inSkillFile(line, "name", { message, example, found })];
}

function descriptionProblems(
  { values, lineOf }: ReadHead,
  siblings: readonly string[],
): SkillProblem[] {
  const line = lineOf("description");
  const written = values["description"];
  const at = (rule: string, message: string, example = GOOD_DESCRIPTION): SkillProblem =>
    inSkillFile(line, rule, { message, example, found: shown(written) });
  if (typeof written !== "string" || written.trim() === "") {
    return [
      at(
        "description",
        "it has no description, and agents use it to decide whether to read the skill",
      ),
    ];
  }
  const text = written.trim().slice(0, 2 * LONGEST_DESCRIPTION);
  const problems: SkillProblem[] = [];
  if (text.length > LONGEST_DESCRIPTION) {
    const message = `its description has ${written.trim().length} characters; agents read ${LONGEST_DESCRIPTION} at most`;
    problems.push(at("description", message));
  }
  if (WHEN_BEGINS.test(text)) {
    problems.push(at("what", "its description does not begin with what the skill does"));
  } else if (ORDERS.has(/^[a-z]+/i.exec(text)?.[0].toLowerCase() ?? "")) {
    const first = text.split(" ")[0] ?? "";
    const message = `its description begins with an order ("${first}"), not in the third person`;
    problems.push(at("third-person", message, `description: ${inThirdPerson(text)}`));
  }
  // Words in quotes are what somebody says, not what the skill says.
  const own = text.replaceAll(/"[^"]*"/g, '""');
  const person = PERSON.exec(own)?.[0];
  if (person !== undefined) {
    const message = `its description speaks as or to somebody ("${person}"), not in the third person`;
    problems.push(at("third-person", message));
  }
  const what = /^.*?[.;:](?= |$)/.exec(text)?.[0].replace(/[;:]$/, ".") ?? text;
  const whole = `description: ${what} Use when <what the prompt or the files say>. Not for <what looks like it and is not>.`;
  if (!WHEN.test(own)) {
    problems.push(at("when", "its description does not say when to use it", whole));
  }
  if (!NOT.test(own)) {
    problems.push(at("when-not", "its description does not say when not to use it", whole));
  }
  const other = otherComponent(own, siblings);
  if (other !== undefined) {
    const message = `its description names another component ("${other}"), which may not be installed`;
    problems.push(at("names-component", message));
  }
  return problems;
}

function otherComponent(text: string, siblings: readonly string[]): string | undefined {
  const named = OTHER_COMPONENT.exec(text)?.[0];
  if (named !== undefined) return named;
  const words = new Set(text.split(/[^\w-]+/));
  return siblings.find((name) => name.includes("-") && words.has(name));
}

/** The orders that it begins with, as in "Define and enforce". */
function inThirdPerson(text: string): string {
  const words = text.split(" ");
  const isOrder = (word: string): boolean => ORDERS.has(word.replace(/,$/, "").toLowerCase());
  const end = words.findIndex((word) => !isOrder(word) && !/^(?:and|or)$/.test(word));
  return words
    .map((word, index) => (index < end && isOrder(word) ? thirdPerson(word) : word))
    .join(" ");
}

function thirdPerson(verb: string): string {
  if (verb.endsWith(",")) return `${thirdPerson(verb.slice(0, -1))},`;
  if (/(?:s|sh|ch|x|z|o)$/.test(verb)) return `${verb}es`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

const SHOWN = 120;

function shown(value: unknown): string {
  if (typeof value !== "string") return "";
  const line = `description: ${value.replaceAll(/\s+/g, " ").trim()}`;
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

function inSkillFile(line: number, rule: string, text: ProblemText): SkillProblem {
  return { file: SKILL_FILE, ...errorAt(line, rule, text) };
}
