// What a skill says once it is read: all that it needs is in its folder (S1-22), detail waits in references (S1-25),
// control stands in XML tags and data in Markdown (S1-26), and nothing is said twice or for nothing (S1-27). Pure.
import { posix } from "node:path";
import { errorAt, type Problem, type ProblemText, warningAt } from "../manifest/problem.ts";
import {
  SKILL_FILE,
  type SkillLine,
  type SkillPage,
  type SkillProblem,
  type SkillSource,
} from "./skill-text.ts";

/** Beyond these a main file is no overview any more. */
const MOST_LINES = 500;
const MOST_CHARACTERS = 20_000;
/** From here on a skill without references is worth a second look. */
const MANY_LINES = 150;

type Pages = readonly SkillPage[];

/** Every rule; each looks at all pages, the main one first. */
const RULES: readonly ((pages: Pages, source: SkillSource) => SkillProblem[])[] = [
  outsideRules,
  links,
  unreachable,
  tooLong,
  tags,
  htmlData,
  noControl,
  unfinished,
  knownAlready,
  saidTwice,
  emptySections,
];

export function bodyProblems(pages: Pages, source: SkillSource): SkillProblem[] {
  return RULES.flatMap((rule) => rule(pages, source));
}

function onEachLine(
  pages: Pages,
  judge: (line: SkillLine, page: SkillPage) => readonly Problem[],
): SkillProblem[] {
  return pages.flatMap((page) =>
    page.body.flatMap((line) => judge(line, page).map((each) => ({ file: page.file, ...each }))),
  );
}

/** S1-22. A line that says there is no such need is none. */
function outsideRules(pages: Pages): SkillProblem[] {
  return onEachLine(pages, ({ line, text }) => {
    if (!text.includes(".claude/rules") || /\b(?:no|not|zero|never|without)\b/i.test(text))
      return [];
    return [
      errorAt(line, "outside-rules", {
        message: "it depends on .claude/rules, which other agents and repositories do not have",
        example: "write the rule here",
        found: text.trim(),
      }),
    ];
  });
}

const LINK = /\[[^\]]*\]\(<?([^)>\s]+)>?[^)]*\)/g;
/** A file of the skill that is named without a link; it may be an example of one. */
const NAMED = /`((?:references|scripts|assets)\/[\w./-]*\w)\/?`/g;

/** S1-22: what it links to or names is there, and in its own folder. */
function links(pages: Pages, { paths }: SkillSource): SkillProblem[] {
  const isThere = (path: string): boolean =>
    paths.has(path) || [...paths].some((each) => each.startsWith(`${path}/`));
  return onEachLine(pages, ({ line, text, prose, isFenced }, page) => {
    if (isFenced) return [];
    const found = text.trim();
    const linked = [...prose.matchAll(LINK)]
      .map(([, target = ""]) => ({ target, path: pathFrom(page.file, target) }))
      .filter(({ target }) => !/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(target));
    const named = [...text.matchAll(NAMED)].map(([, path = ""]) => path);
    return [
      ...linked.flatMap(({ target, path }) => {
        if (isThere(path)) return [];
        const isOutside = /^(?:\/|~|\.\.)/.test(path);
        const message = isOutside
          ? `${target} is outside the skill's folder and is not installed with it`
          : `${target} does not exist`;
        const example = isOutside
          ? "put the file into references/ and link to it there"
          : nearest(path, paths);
        const rule = isOutside ? "outside-link" : "broken-link";
        return [errorAt(line, rule, { message, example, found })];
      }),
      ...named
        .filter((path) => !isThere(path))
        .map((path) => {
          const message = `${path} does not exist`;
          return warningAt(line, "no-such-file", { message, example: nearest(path, paths), found });
        }),
    ];
  });
}

function pathFrom(file: string, target: string): string {
  const [path = ""] = target.split("#");
  if (/^[/~]/.test(path)) return path;
  return posix.normalize(posix.join(posix.dirname(file), decoded(path))).replace(/\/$/, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function nearest(path: string, paths: ReadonlySet<string>): string {
  const same = [...paths].find((each) => posix.basename(each) === posix.basename(path));
  return same ?? "name a file that is in the skill's folder";
}

/** S1-25: an agent finds a reference from the main file, in one step. */
function unreachable(pages: Pages, { paths }: SkillSource): SkillProblem[] {
  const main = pages.find(({ file }) => file === SKILL_FILE);
  const words = (main?.body ?? []).map(({ text }) => text).join("\n");
  const reached = (path: string): boolean =>
    words.includes(path) || isReachedFrom(path, pages, words);
  return [...paths]
    .filter((path) => path.startsWith("references/") && path.endsWith(".md") && !reached(path))
    .map((path) => ({
      file: path,
      ...errorAt(1, "unreachable", {
        message: `${SKILL_FILE} does not link to it, so nobody reads it`,
        example: `[${posix.basename(path, ".md")}](${path}): when to read it`,
        found: "",
      }),
    }));
}

/** A page that a linked reference needs, such as an example, may be one step further away. */
function isReachedFrom(path: string, pages: Pages, main: string): boolean {
  return pages.some(
    ({ file, body }) =>
      file !== path &&
      main.includes(file) &&
      body.some(({ prose }) =>
        [...prose.matchAll(LINK)].some(([, target = ""]) => pathFrom(file, target) === path),
      ),
  );
}

/** S1-25: the main file is read whole whenever the skill is used. */
function tooLong(pages: Pages, { paths }: SkillSource): SkillProblem[] {
  const main = pages.find(({ file }) => file === SKILL_FILE);
  if (main === undefined) return [];
  const lines = main.body.length;
  const characters = main.body.reduce((sum, { text }) => sum + text.length + 1, 0);
  const example =
    "keep what every use needs, and link the rest: [deploying.md](references/deploying.md)";
  const at = main.body[0]?.line ?? 1;
  if (lines > MOST_LINES || characters > MOST_CHARACTERS) {
    const message = `its body has ${lines} lines and ${characters} characters, all read at every use; at most ${MOST_LINES} and ${MOST_CHARACTERS} are allowed`;
    return [{ file: SKILL_FILE, ...errorAt(at, "too-long", { message, example, found: "" }) }];
  }
  const hasReferences = [...paths].some((path) => path.startsWith("references/"));
  if (lines <= MANY_LINES || hasReferences) return [];
  const message = `its body has ${lines} lines and there are no references: not every use needs all of it`;
  return [{ file: SKILL_FILE, ...warningAt(at, "no-references", { message, example, found: "" }) }];
}

const TAG_LINE = /^\s*<(\/?)([a-z][a-z0-9_-]*)(?:\s[^>]*)?>/i;

const HTML = new Set(
  "a b blockquote br center code details div em h1 h2 h3 h4 h5 h6 hr i img kbd li ol p picture pre s small span strong sub summary sup table tbody td tfoot th thead tr u ul".split(
    " ",
  ),
);

/** S1-26: a block that does not end takes the rest of the text with it. */
function tags(pages: Pages): SkillProblem[] {
  return pages.flatMap(({ file, body }) => {
    const open: { readonly name: string; readonly line: number; readonly text: string }[] = [];
    const problems: SkillProblem[] = [];
    for (const { line, prose, text } of body) {
      const [, slash, name = ""] = TAG_LINE.exec(prose) ?? [];
      if (slash === undefined || HTML.has(name.toLowerCase())) continue;
      if (slash === "") {
        if (!prose.includes(`</${name}>`) && !/\/>\s*$/.test(prose))
          open.push({ name, line, text });
      } else if (open.at(-1)?.name === name) {
        open.pop();
      } else {
        const message = `</${name}> closes a tag that is not open`;
        const example = `<${name}>\n…\n</${name}>`;
        problems.push({ file, ...errorAt(line, "tags", { message, example, found: text.trim() }) });
      }
    }
    const left = open.map(({ name, line, text }) => ({
      file,
      ...errorAt(line, "tags", {
        message: `<${name}> is not closed`,
        example: `<${name}>\n…\n</${name}>\nor, if it is not a tag but a placeholder: \`<${name}>\``,
        found: text.trim(),
      }),
    }));
    return [...problems, ...left];
  });
}

const DATA_TAG = /<(?:table|tr|td|ul|ol|li|h[1-6]|b|i|strong|em|pre|p)\b[^>]*>/i;

/** S1-26. */
function htmlData(pages: Pages): SkillProblem[] {
  return onEachLine(pages, ({ line, prose, text }) => {
    const tag = DATA_TAG.exec(prose)?.[0];
    if (tag === undefined) return [];
    const message = `write data in Markdown, tags are for rules; here is ${tag}`;
    const example = "| a | table |\n- or a list";
    return [warningAt(line, "html-data", { message, example, found: text.trim() })];
  });
}

/** S1-26: what must never be passed over stands apart from what is merely told. */
function noControl(pages: Pages): SkillProblem[] {
  const main = pages.find(({ file }) => file === SKILL_FILE);
  if (main === undefined) return [];
  const isControl = ({ prose }: SkillLine): boolean => {
    const name = TAG_LINE.exec(prose)?.[2];
    return name !== undefined && !HTML.has(name.toLowerCase());
  };
  if (main.body.some(isControl)) return [];
  const order = main.body.find(({ prose }) => /\b(?:MUST|NEVER|MANDATORY|CRITICAL)\b/.test(prose));
  const text: ProblemText = {
    message: "nothing is in a control tag, so rules look like any other text",
    example: "<critical_constraint>\n- what must hold in every use\n</critical_constraint>",
    found: order?.text.trim() ?? "",
  };
  const line = order?.line ?? main.body[0]?.line ?? 1;
  return [{ file: SKILL_FILE, ...warningAt(line, "no-control", text) }];
}

/** S1-27: works as it stands. */
function unfinished(pages: Pages): SkillProblem[] {
  return onEachLine(pages, ({ line, prose, text }) => {
    if (!/^\W*(?:TODO|TBD|FIXME)\b|\b(?:TODO|TBD|FIXME):|\b[Ll]orem ipsum\b/.test(prose)) return [];
    const message = "this is not written yet";
    const example = "write it, or leave it out";
    return [errorAt(line, "unfinished", { message, example, found: text.trim() })];
  });
}

const KNOWN: readonly RegExp[] = [
  /\byou are an? (?:\w+ ){0,3}(?:expert|assistant|engineer|developer|specialist|ai)\b/i,
  /\b(?:follow|use) best practices\b/i,
  /\bwrite (?:clean|readable|maintainable|good) code\b/i,
  /\bthink (?:carefully|step by step)\b/i,
  /\b(?:git|markdown|json|yaml|docker|python|javascript|typescript|http) is an? \b/i,
];

/** S1-27, as far as a program can tell. */
function knownAlready(pages: Pages): SkillProblem[] {
  return onEachLine(pages, ({ line, prose, text }) => {
    if (!KNOWN.some((pattern) => pattern.test(prose))) return [];
    const message = "a model knows this without being told";
    const example = "leave it out, or say what is different here";
    return [warningAt(line, "known-already", { message, example, found: text.trim() })];
  });
}

/** Shorter ones come twice by chance. */
const LONG = 60;

/** S1-27: what is said in two places is read twice, and drifts. */
function saidTwice(pages: Pages): SkillProblem[] {
  const first = new Map<string, string>();
  return onEachLine(pages, ({ line, text, isFenced }, { file }) => {
    const said = text.trim();
    if (isFenced || said.length < LONG || !said.includes(" ")) return [];
    const before = first.get(said);
    if (before === undefined) {
      first.set(said, `${file}:${line}`);
      return [];
    }
    const message = `this is word for word in ${before}`;
    const example = "say it once, where it is needed first";
    return [warningAt(line, "said-twice", { message, example, found: said })];
  });
}

const HEADING = /^(#{1,6})\s/;

/** S1-27. */
function emptySections(pages: Pages): SkillProblem[] {
  return pages.flatMap(({ file, body }) => {
    const said = body.filter(({ text }) => text.trim() !== "");
    return said.flatMap(({ line, text, prose }, index) => {
      const level = HEADING.exec(prose)?.[1]?.length;
      if (level === undefined) return [];
      const next = said[index + 1];
      const nextLevel = next === undefined ? 0 : HEADING.exec(next.prose)?.[1]?.length;
      // A heading may open a deeper one at once.
      if (nextLevel === undefined || nextLevel > level) return [];
      const message = "there is nothing below this heading";
      const example = "leave it out, or say what belongs there";
      return [
        { file, ...warningAt(line, "empty-section", { message, example, found: text.trim() }) },
      ];
    });
  });
}
