// What changes of tests made them weaker, in short phrases for a person: tests removed, skipped or narrowed, assertions
// removed, thresholds lowered, snapshots rewritten. It explains and decides nothing; what is only moved, renamed,
// reformatted, put into a table or into a helper is not named.
import { isTestFile } from "./file-roles.ts";
import {
  type Asserting,
  type FoundTest,
  type Helpers,
  codeLines,
  helpersIn,
  readTestCode,
  type TestCode,
} from "./test-code.ts";
import { isConfiguration, weakerNumbers } from "./test-thresholds.ts";

export interface ChangedTest {
  readonly path: string;
  /** Undefined where there was, or is, no such file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface WeakenedTest {
  readonly path: string;
  /** As "2 tests removed: adds, subtracts". */
  readonly what: string;
}

/** Judged over all of them together: a test that went from one file to another was not removed. */
export function weakenedTests(files: readonly ChangedTest[]): readonly WeakenedTest[] {
  const changed = files.filter(
    ({ path, before, after }) =>
      before !== after && (isTestFile(path) || isConfiguration(path) || hasTests(path, before)),
  );
  const sides = {
    before: helpersOf(changed.map(({ path, before }) => [path, before])),
    after: helpersOf(changed.map(({ path, after }) => [path, after])),
  };
  const read = changed.map((file) => readBoth(file, sides));
  const moved = movedTests(read);
  const facts: Facts = {
    files: read,
    moved,
    newRuns: new Map(read.map((file) => [file.path, newRunsOf(file, moved)])),
    lines: linesAfter(changed),
  };
  return read.flatMap((file) => {
    const whats = isSnapshot(file.path)
      ? rewrittenSnapshots(file, changed)
      : [...weakerCode(file, facts), ...weakerNumbers(file)];
    return whats.map((what) => ({ path: file.path, what }));
  });
}

/** What is known of all of them together. */
interface Facts {
  readonly files: readonly Read[];
  readonly moved: readonly Moved[];
  /** By file, how often its tests run that have names which no test had before. */
  readonly newRuns: ReadonlyMap<string, number>;
  /** Every line that is there now, as it is compared. */
  readonly lines: ReadonlySet<string>;
}

function linesAfter(files: readonly ChangedTest[]): ReadonlySet<string> {
  return new Set(files.flatMap(({ path, after }) => codeLines(path, after ?? "")));
}

/** Rust has its tests beside the code that they are about. */
function hasTests(path: string, before: string | undefined): boolean {
  return path.endsWith(".rs") && /#\[(?:\w+::)*test\b/.test(before ?? "");
}

interface Read extends ChangedTest {
  readonly was: TestCode | undefined;
  readonly is: TestCode | undefined;
}

function helpersOf(texts: readonly (readonly [path: string, text: string | undefined])[]): Helpers {
  return new Map(texts.flatMap(([path, text]) => [...helpersIn(path, text ?? "")]));
}

function readBoth(
  file: ChangedTest,
  sides: { readonly before: Helpers; readonly after: Helpers },
): Read {
  const { path, before, after } = file;
  return {
    ...file,
    was: before === undefined ? undefined : readTestCode(path, before, sides.before),
    is: after === undefined ? undefined : readTestCode(path, after, sides.after),
  };
}

/** A test that is gone from one file and new in another. */
interface Moved {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

function movedTests(files: readonly Read[]): readonly Moved[] {
  const gone = files.flatMap(({ path, was, is }) =>
    missing(namesOf(was?.tests), namesOf(is?.tests)).map((name) => ({ path, name })),
  );
  const arrived = files.flatMap(({ path, was, is }) =>
    missing(namesOf(is?.tests), namesOf(was?.tests)).map((name) => ({ path, name })),
  );
  return gone.flatMap(({ path: from, name }) => {
    const at = arrived.findIndex((each) => each.name === name && each.path !== from);
    const [to] = at === -1 ? [] : arrived.splice(at, 1);
    return to === undefined ? [] : [{ from, to: to.path, name }];
  });
}

function newRunsOf({ path, was, is }: Read, moved: readonly Moved[]): number {
  const known = new Set(namesOf(was?.tests));
  for (const { to, name } of moved) if (to === path) known.add(name);
  return runs((is?.tests ?? []).filter(({ name }) => !known.has(name)));
}

function namesOf(tests: readonly FoundTest[] = []): readonly string[] {
  return tests.map(({ name }) => name).filter((name) => name !== "");
}

/** Those of the first list that the second has not, as often as it has them not. */
function missing(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((each) => {
    const at = left.indexOf(each);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function weakerCode(file: Read, facts: Facts): readonly string[] {
  const { path, before, after } = file;
  const { was = EMPTY, is = EMPTY } = file;
  const left = facts.moved.filter(({ from }) => from === path);
  const came = facts.moved.filter(({ to }) => to === path);
  const stayed = withoutNames(was.tests, left);
  const own = withoutNames(is.tests, came);
  const removed = removedTests(stayed, own, path, facts);
  if (after === undefined) {
    const isMoved = facts.files.some((other) => other.path !== path && other.after === before);
    return isMoved || removed.count === 0
      ? []
      : [`test file deleted, with ${counted(removed.count, "test")}`];
  }
  const isNew = before === undefined && came.length === 0;
  const skipped = isNew
    ? 0
    : is.skips - was.skips - skipsBrought(came, facts) - skipsOfNew(stayed, own);
  const lost =
    lostBy(stayed, own, { areSomeRemoved: removed.count > 0 }, facts) +
    lostOnTheWay(came, is, facts) +
    lostByHelpers(was, is, facts);
  return [
    ...(removed.count === 0 ? [] : [removedText(removed)]),
    ...(skipped > 0 ? [`${counted(skipped, "test or group", "tests or groups")} skipped`] : []),
    ...narrowed(was.alone, is.alone),
    ...(lost > 0 ? [`${counted(lost, "assertion")} removed`] : []),
    ...rewrittenInline(was, is),
  ];
}

const EMPTY: TestCode = {
  tests: [],
  helpers: [],
  functions: [],
  skips: 0,
  alone: 0,
  inlineSnapshots: [],
};

/** Marks that tests from elsewhere had there already. */
function skipsBrought(came: readonly Moved[], { files }: Facts): number {
  const sources = files.filter(({ path }) => came.some(({ from }) => from === path));
  return sources.reduce(
    (sum, { was = EMPTY, is = EMPTY }) => sum + Math.max(0, was.skips - is.skips),
    0,
  );
}

/** A test that was not there before and does not run takes nothing away; one under another name may be an old one. */
function skipsOfNew(before: readonly FoundTest[], now: readonly FoundTest[]): number {
  const known = new Set(namesOf(before));
  const added = Math.max(0, now.length - before.length);
  return now
    .filter(({ name, skips }) => skips > 0 && !known.has(name))
    .slice(0, added)
    .reduce((sum, { skips }) => sum + skips, 0);
}

interface Removed {
  readonly count: number;
  readonly names: readonly string[];
}

/** None where it cannot be told: a table came whose rows are written elsewhere. */
function removedTests(
  before: readonly FoundTest[],
  now: readonly FoundTest[],
  path: string,
  facts: Facts,
): Removed {
  if (openTables(now) > openTables(before)) return { count: 0, names: [] };
  const names = missing(namesOf(before), namesOf(now));
  const gone = before.filter(({ name }) => name === "" || names.includes(name));
  const elsewhere = gone.filter((test) => isStillThere(test, facts));
  const taken = Math.min(runs(elsewhere), newRunsBeside(path, facts));
  const count = Math.max(0, runs(before) - runs(now) - taken);
  // What was taken in elsewhere is named last: one of these may be gone all the same.
  const sure = missing(names, namesOf(elsewhere));
  return { count, names: [...sure, ...missing(names, sure)] };
}

/** How often tests run that have new names in the other files: one of them may be a test of this file. */
function newRunsBeside(path: string, { newRuns }: Facts): number {
  return [...newRuns].reduce((sum, [at, count]) => (at === path ? sum : sum + count), 0);
}

/** Shorter lines are in every test. */
const TELLING_CHARACTERS = 10;

/** Whether nearly all lines of a test are in the files as they are now: it was moved and renamed. */
function isStillThere({ all }: FoundTest, { lines }: Facts): boolean {
  const telling = all.slice(1).filter((line) => line.length >= TELLING_CHARACTERS);
  return (
    telling.length > 0 && telling.filter((line) => lines.has(line)).length >= 0.8 * telling.length
  );
}

function withoutNames(tests: readonly FoundTest[], moved: readonly Moved[]): readonly FoundTest[] {
  const left = moved.map(({ name }) => name);
  return tests.filter(({ name }) => {
    const at = left.indexOf(name);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function openTables(tests: readonly FoundTest[]): number {
  return tests.filter(({ rows }) => rows === null).length;
}

function runs(tests: readonly FoundTest[]): number {
  return tests.reduce((sum, { rows }) => sum + (rows ?? 1), 0);
}

const SHOWN_NAMES = 3;

function removedText({ count, names }: Removed): string {
  const gone = names.slice(0, count);
  return `${counted(count, "test")} removed${gone.length === 0 ? "" : `: ${firstOf(gone)}`}`;
}

function firstOf(names: readonly string[]): string {
  const more = names.length > SHOWN_NAMES ? ", …" : "";
  return `${names.slice(0, SHOWN_NAMES).join(", ")}${more}`;
}

function narrowed(before: number, now: number): readonly string[] {
  const more = now - before;
  return more > 0 ? [`${counted(more, "test or group runs", "tests or groups run")} alone`] : [];
}

/**
 * Assertions that tests of a file lost: each test that kept its name against itself, the others together, for they may
 * have been renamed or split. Where tests were removed, what these asserted went with them.
 */
function lostBy(
  before: readonly FoundTest[],
  now: readonly FoundTest[],
  { areSomeRemoved }: { readonly areSomeRemoved: boolean },
  facts: Facts,
): number {
  if (openTables(now) > openTables(before)) return 0;
  const left = [...now];
  const others: FoundTest[] = [];
  let lost = 0;
  // A test that became a table may have taken in others.
  let taken = 0;
  for (const test of before) {
    const at = left.findIndex(({ name }) => name === test.name && name !== "");
    const [same] = at === -1 ? [] : left.splice(at, 1);
    if (same === undefined) others.push(test);
    else {
      lost += lostBetween([test], [same], facts);
      if ((same.rows ?? 1) > (test.rows ?? 1)) taken += total([same]) - total([test]);
    }
  }
  return areSomeRemoved ? lost : lost + Math.max(0, lostBetween(others, left, facts) - taken);
}

/** A test that was moved and asserts less where it is now. */
function lostOnTheWay(came: readonly Moved[], is: TestCode, facts: Facts): number {
  return came.reduce((sum, { from, name }) => {
    const source = facts.files.find(({ path }) => path === from)?.was ?? EMPTY;
    const was = source.tests.filter((test) => test.name === name).slice(0, 1);
    const now = is.tests.filter((test) => test.name === name).slice(-1);
    return sum + lostBetween(was, now, facts);
  }, 0);
}

/** Functions that assert for their callers, which may be in files that did not change. */
function lostByHelpers(was: TestCode, is: TestCode, facts: Facts): number {
  return was.helpers.reduce((sum, helper) => {
    if (!is.functions.includes(helper.name)) return sum;
    const now = is.helpers.filter(({ name }) => name === helper.name);
    return sum + lostBetween([helper], now, facts);
  }, 0);
}

type Counted = Asserting & Partial<Pick<FoundTest, "rows">>;

/** What some asserted and others do not; a line that is still there, wherever it is, was not lost. */
function lostBetween(
  before: readonly Counted[],
  now: readonly Counted[],
  { lines }: Pick<Facts, "lines">,
): number {
  const gone = before.map(({ rows, lines: own }) => ({
    rows: rows ?? 1,
    assertions: own.filter((line) => !lines.has(line)).length,
  }));
  return Math.max(0, Math.min(total(before) - total(now), total(gone)));
}

/** Each counts as often as it runs. */
function total(asserting: readonly Pick<Counted, "rows" | "assertions">[]): number {
  return asserting.reduce((sum, { rows, assertions }) => sum + (rows ?? 1) * assertions, 0);
}

function rewrittenInline(before: TestCode, now: TestCode): readonly string[] {
  const gone = missing(before.inlineSnapshots, now.inlineSnapshots).length;
  const fewer = Math.max(0, before.inlineSnapshots.length - now.inlineSnapshots.length);
  const rewritten = gone - fewer;
  return rewritten > 0 ? [`${counted(rewritten, "inline snapshot")} rewritten`] : [];
}

const SNAPSHOTS =
  /\.(?:snap|ambr|approved\.\w+)$|(?:^|\/)(?:__snapshots__|__screenshots__|[^/]+-snapshots)\//;

function isSnapshot(path: string): boolean {
  return SNAPSHOTS.test(path);
}

/** A file of snapshots that came, or was only moved, is nothing weaker. */
function rewrittenSnapshots(
  { path, before, after }: ChangedTest,
  all: readonly ChangedTest[],
): readonly string[] {
  if (before === undefined) return [];
  if (after === undefined) {
    const isMoved = all.some((file) => file.path !== path && file.after === before);
    return isMoved ? [] : ["snapshots deleted"];
  }
  const [was, is] = [snapshotEntries(before), snapshotEntries(after)];
  if (was.size === 0 || is.size === 0) return ["snapshot rewritten"];
  const rewritten = [...was].filter(([name, text]) => is.has(name) && is.get(name) !== text);
  const names = rewritten.map(([name]) => name);
  return names.length === 0
    ? []
    : [`${counted(names.length, "snapshot")} rewritten: ${firstOf(names)}`];
}

function snapshotEntries(text: string): ReadonlyMap<string, string> {
  const entries = text.matchAll(/^exports\[`([^`]*)`\] = `((?:[^`\\]|\\.)*)`;$/gms);
  return new Map([...entries].map(([, name = "", value = ""]) => [name, value]));
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
