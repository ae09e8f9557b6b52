// `skills`: Stint's own skills, put where agents read them and taken away again, and any skill judged. What somebody
// else wrote is never changed.
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { SkillsView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { knownWord } from "../core/words/edit-distance.ts";
import { shellWord } from "../core/written/commands.ts";
import { checkSkill } from "../skills/check-skill.ts";
import {
  type Installed,
  installSkill,
  lookAtSkill,
  removeSkill,
  type ShippedSkill,
  skillFolder,
} from "../skills/installed-skill.ts";
import { OTHER_NAMES, underName } from "../skills/other-names.ts";
import { type SkillPlace, type SkillScope, skillPlaces } from "../skills/skill-places.ts";
import { SKILL_FILE } from "../skills/skill-text.ts";
import { readSkillTree } from "../skills/skill-tree.ts";
import { orHardStop } from "../store/files.ts";
import { findRepository } from "../store/repository.ts";
import { homeOf, type System } from "./system.ts";

export interface SkillsInput {
  readonly act: string;
  /** Of `check` alone. */
  readonly path: string | undefined;
  readonly agents: readonly string[];
  /** The names it is to have, where that is not its own. */
  readonly names: readonly string[];
  readonly isForUser: boolean;
  readonly isForProject: boolean;
}

/** What the skill is called where it is shipped. */
const OWN_NAME = "stint";

const ACTS = ["install", "list", "check", "remove"] as const;

type Act = (typeof ACTS)[number];
type Entry = SkillsView["installed"][number];

export function skills(system: System, input: SkillsInput): SkillsView {
  const act = knownAct(input.act);
  assertFitting(act, input);
  if (act === "check") {
    return { act, installed: [], checked: check(system, input.path), next: [] };
  }
  const places = scopesOf(act, input).flatMap((scope) =>
    skillPlaces(scope, rootsOf(system), input.agents),
  );
  const shipped = shippedSkill(system.skills);
  const verb = act === "remove" ? "remove" : act === "list" ? "look at" : "write";
  const installed = places.flatMap((place) =>
    orHardStop(verb, skillFolder(place, shipped.name), () =>
      wantedSkills(act, input, place, shipped).map((skill) => DO[act]({ place, skill, places })),
    ),
  );
  return { act, installed, checked: [], next: nextSteps(act, installed) };
}

/** By the names that were given; else by its own, and for what looks or removes by all that it is installed under. */
function wantedSkills(
  act: Act,
  { names }: SkillsInput,
  place: SkillPlace,
  shipped: ShippedSkill,
): ShippedSkill[] {
  if (names.length > 0) return names.map((name) => underName(shipped, name));
  if (act === "install") return [shipped];
  const isOurs = (skill: ShippedSkill): boolean =>
    ["current", "outdated", "edited"].includes(lookAtSkill(place, skill).state);
  const others = OTHER_NAMES.map((name) => underName(shipped, name)).filter(isOurs);
  const isAnother = others.length > 0 && !isOurs(shipped);
  return isAnother ? others : [shipped, ...others];
}

interface Asked {
  readonly place: SkillPlace;
  readonly skill: ShippedSkill;
  /** All places of this call. */
  readonly places: readonly SkillPlace[];
}

const DO = { install, list, remove } as const satisfies Record<
  Exclude<Act, "check">,
  (asked: Asked) => Entry
>;

function list(asked: Asked): Entry {
  const found = lookAtSkill(asked.place, asked.skill);
  return entry(asked, found.state, "shown", whyLeft(found, asked));
}

function install(asked: Asked): Entry {
  const { place, skill } = asked;
  const found = lookAtSkill(place, skill);
  switch (found.state) {
    case "absent":
    case "outdated":
      installSkill(place, skill, [OWN_NAME, ...OTHER_NAMES]);
      return entry(asked, "current", found.state === "absent" ? "installed" : "updated");
    case "current":
      return entry(asked, "current", "unchanged");
    case "edited":
    case "foreign":
    case "link": {
      const outcome = isReadThere(found, asked) ? "unchanged" : "left";
      return entry(asked, found.state, outcome, whyLeft(found, asked));
    }
    default:
      return found satisfies never;
  }
}

function remove(asked: Asked): Entry {
  const { place, skill } = asked;
  const found = lookAtSkill(place, skill);
  switch (found.state) {
    case "absent":
      return entry(asked, "absent", "unchanged");
    case "current":
    case "outdated": {
      const left = removeSkill(place, skill);
      const why = left.length === 0 ? null : `not Stint's, and still there: ${left.join(", ")}`;
      return entry(asked, "absent", "removed", why);
    }
    case "edited":
    case "foreign":
    case "link": {
      const outcome = isReadThere(found, asked) ? "unchanged" : "left";
      return entry(asked, found.state, outcome, whyLeft(found, asked));
    }
    default:
      return found satisfies never;
  }
}

function entry(
  { place, skill }: Asked,
  state: Entry["state"],
  outcome: Entry["outcome"],
  why: string | null = null,
): Entry {
  const { scope, agents } = place;
  const folder = skillFolder(place, skill.name);
  return { skill: skill.name, scope, agents: [...agents], folder, state, outcome, why };
}

/** Behind the link lies another place of this call. */
function isReadThere(found: Installed, { place, skill, places }: Asked): boolean {
  if (found.state !== "link") return false;
  const below = relative(found.link, skillFolder(place, skill.name));
  const target = resolve(dirname(found.link), found.to, below);
  return places.some((other) => skillFolder(other, skill.name) === target);
}

function whyLeft(found: Installed, asked: Asked): string | null {
  switch (found.state) {
    case "absent":
    case "current":
    case "outdated":
      return null;
    case "edited":
      return `edited since it was installed, so left as it is: ${found.files.join(", ")}`;
    case "foreign":
      return `not Stint's, so left as it is: ${found.why}`;
    case "link":
      return isReadThere(found, asked)
        ? `${found.link} is a link to ${found.to}, where it is read too`
        : `${found.link} is a link to ${found.to}, and is not followed`;
    default:
      return found satisfies never;
  }
}

function nextSteps(act: Act, installed: readonly Entry[]): string[] {
  const edited = installed.filter(({ state, outcome }) => state === "edited" && outcome === "left");
  const steps = edited.map(
    ({ folder }) => `mv ${shellWord(folder)} ${shellWord(`${folder}.mine`)}`,
  );
  if (edited.length > 0) return [...steps, `stint skills ${act}`];
  if (act !== "list") return [];
  const isOld = installed.some(({ state }) => state === "outdated");
  const isNone = installed.every(({ state }) => state === "absent");
  return isOld || isNone ? ["stint skills install"] : [];
}

function knownAct(word: string): Act {
  return knownWord(
    word,
    ACTS,
    (near, isItMeant) =>
      new StintError(
        "bad-input",
        `"${word}" is not an action of stint skills${isItMeant}`,
        `For example: stint skills ${near ?? "install"}`,
      ),
  );
}

function assertFitting(act: Act, input: SkillsInput): void {
  if (input.isForUser && input.isForProject) {
    throw new StintError(
      "bad-input",
      "--user and --project cannot be given together",
      `Give one of them, or run it twice: stint skills ${act} --user`,
    );
  }
  const isPlaced =
    input.isForUser || input.isForProject || input.agents.length > 0 || input.names.length > 0;
  if (act === "check" && isPlaced) {
    throw new StintError(
      "bad-input",
      "check takes a path, and no --agent, --as, --user or --project",
      "For example: stint skills check ~/.claude/skills",
    );
  }
  if (act !== "check" && input.path !== undefined) {
    throw new StintError(
      "bad-input",
      `${act} takes no path: it uses the folders where agents read skills`,
      `For example: stint skills ${act} --user`,
    );
  }
}

function scopesOf(act: Act, { isForUser, isForProject }: SkillsInput): SkillScope[] {
  if (act === "list" && !isForUser && !isForProject) return ["project", "user"];
  return isForUser ? ["user"] : ["project"];
}

function rootsOf(system: System) {
  const configured = system.env["CLAUDE_CONFIG_DIR"] ?? "";
  return {
    project: findRepository(system.cwd).root,
    user: homeOf(system),
    claudeConfig: configured === "" ? undefined : resolve(system.cwd, configured),
  };
}

function shippedSkill(folder: string): ShippedSkill {
  return { name: OWN_NAME, files: readSkillTree(join(folder, OWN_NAME)).files };
}

/** Where a repository may keep skills of its own. */
const OWN_FOLDERS = [".agents/skills", ".claude/skills", "skills"];

function check(system: System, path: string | undefined): SkillsView["checked"] {
  const folders = path === undefined ? ownSkills(system) : namedSkills(resolve(system.cwd, path));
  return folders.map((folder) => {
    const { files, others } = readSkillTree(folder);
    const isOwn = ownIn([...files.keys()]);
    const texts = [...files].filter(([file]) => file.endsWith(".md") && isOwn(file));
    const problems = checkSkill({
      folder: basename(folder),
      texts: new Map(texts.map(([file, bytes]) => [file, bytes.toString("utf8")])),
      paths: new Set([...files.keys(), ...others].filter(isOwn)),
      siblings: skillsIn(dirname(folder))
        .map((each) => basename(each))
        .filter((name) => name !== basename(folder)),
    });
    const errors = problems.filter(({ severity }) => severity === "error").length;
    return {
      folder: shownPath(system, folder),
      errors,
      warnings: problems.length - errors,
      problems: [...problems],
    };
  });
}

/** Not what was installed into it, nor a skill that lies in it: that one is judged by itself. */
function ownIn(paths: readonly string[]): (path: string) => boolean {
  const inner = paths
    .filter((path) => path.endsWith(`/${SKILL_FILE}`))
    .map((path) => path.slice(0, -SKILL_FILE.length));
  return (path) =>
    !/(?:^|\/)node_modules\//.test(path) && !inner.some((folder) => path.startsWith(folder));
}

function ownSkills(system: System): string[] {
  const { root } = findRepository(system.cwd);
  const found = OWN_FOLDERS.flatMap((folder) => skillsIn(join(root, folder)));
  if (found.length > 0) return found;
  throw new StintError(
    "not-found",
    `there is no skill in ${OWN_FOLDERS.map((folder) => join(root, folder)).join(", ")}`,
    "Name one: stint skills check path/to/skill",
  );
}

/** One skill, by its folder or its main file, or all that lie in a folder. */
function namedSkills(path: string): string[] {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts?.isFile() === true && basename(path) === SKILL_FILE) return [dirname(path)];
  if (facts?.isDirectory() !== true) {
    const what = facts === undefined ? "does not exist" : "is neither a folder nor a SKILL.md";
    throw new StintError(
      "not-found",
      `${path} ${what}`,
      "Name a skill's folder, or a folder of skills: stint skills check .claude/skills",
    );
  }
  // A person named it: where it is a link, what it leads to is meant.
  const folder = realpathSync(path);
  const inside = skillsIn(folder);
  const isSkill = lstatSync(join(folder, SKILL_FILE), { throwIfNoEntry: false }) !== undefined;
  return isSkill || inside.length === 0 ? [folder] : inside;
}

/** The folders in a folder that have a main file. */
function skillsIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => join(folder, name))
    .filter((path) => lstatSync(join(path, SKILL_FILE), { throwIfNoEntry: false })?.isFile())
    .toSorted();
}

/** From where the person stands, where that is not further away. */
function shownPath({ cwd }: System, path: string): string {
  const near = relative(cwd, path);
  return near === "" || near.startsWith("..") ? path : near.split(sep).join("/");
}
