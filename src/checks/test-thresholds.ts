// Numbers that decide how much is enough, in the configuration of tests and beside pictures: coverage that is asked
// for, and differences that are let pass. Timeouts and retries are none of them.

const CONFIGURATIONS: readonly RegExp[] = [
  /(?:^|\/)(?:vite|vitest|jest|playwright|cypress|karma|nyc|wdio)\.(?:config|workspace|conf)\.(?:[cm]?[jt]s|json)$/,
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.coveragerc|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|\.?codecov\.ya?ml|\.simplecov|phpunit\.xml(?:\.dist)?|pom\.xml|build\.gradle(?:\.kts)?)$/,
];

/** Whether a file may say how tests are run and judged. */
export function isConfiguration(path: string): boolean {
  return CONFIGURATIONS.some((pattern) => pattern.test(path));
}

const COVERAGE = /coverage|threshold|fail_under|cov-fail|nyc|c8/i;
const COMPARING = /screenshot|imagesnapshot|pixelmatch|visual/i;
const ASKED =
  /(?<![\w-])(?:--)?(lines|branches|functions|statements|fail_under|cov-fail-under|minimum_coverage|minimum|target)["']?\s*[:=>(\s]\s*["']?(\d+(?:\.\d+)?)(?![\w.])/g;
const LET_PASS =
  /(?<![\w-])(maxDiffPixels|maxDiffPixelRatio|failureThreshold|maxDiffPercentage|threshold)["']?\s*[:=]\s*(\d+(?:\.\d+)?)(?![\w.])/g;

export function weakerNumbers({
  path,
  before,
  after,
}: {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const isAsking = isConfiguration(path) && COVERAGE.test(before);
  const isComparing = COMPARING.test(before) && pictures(after) <= pictures(before);
  return [
    ...(isAsking ? lowered(numbers(before, ASKED), numbers(after, ASKED)) : []),
    ...(isComparing ? raised(numbers(before, LET_PASS), numbers(after, LET_PASS)) : []),
  ];
}

/** A picture that is compared since then may have a tolerance of its own. */
function pictures(text: string): number {
  return text.match(/\bto(?:HaveScreenshot|MatchImageSnapshot|MatchSnapshot)\(/g)?.length ?? 0;
}

type Numbers = ReadonlyMap<string, readonly number[]>;

function numbers(text: string, pattern: RegExp): Numbers {
  const code = text.replaceAll(/^\s*(?:\/\/|#).*$|\/\*[^]*?\*\//gm, "");
  const found = new Map<string, number[]>();
  for (const [, key = "", value = ""] of code.matchAll(pattern)) {
    found.set(key, [...(found.get(key) ?? []), Number(value)]);
  }
  return found;
}

function lowered(before: Numbers, now: Numbers): readonly string[] {
  return [...before].flatMap(([key, was]) => {
    const is = now.get(key) ?? [];
    if (is.length === 0) return [`threshold removed: ${key} ${was.join(", ")}`];
    return was.flatMap((value, at) => {
      const left = is[at] ?? value;
      return left < value ? [`threshold lowered: ${key} ${value} to ${left}`] : [];
    });
  });
}

function raised(before: Numbers, now: Numbers): readonly string[] {
  return [...now].flatMap(([key, is]) => {
    const was = before.get(key) ?? [];
    const [most, mostBefore] = [Math.max(...is), Math.max(0, ...was)];
    if (most <= mostBefore) return [];
    return [`tolerance raised: ${key} ${was.length === 0 ? "" : `${mostBefore} `}to ${most}`];
  });
}
