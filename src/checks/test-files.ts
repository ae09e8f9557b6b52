// The heuristics about tests, in one place: which files are tests, which programs run them.

const TEST_FILES: readonly RegExp[] = [
  /(?:^|\/)(?:__tests__|__mocks__|__snapshots__|tests?|specs?|e2e|cypress|testdata|fixtures)\//,
  /\.(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$/,
  /\.(?:snap|feature)$/,
  /(?:^|\/)(?:test_[^/]+|[^/]+_test|conftest)\.py$/,
  /_test\.(?:go|exs?|dart|rb|cc|cpp)$/,
  /_spec\.rb$/,
  /(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|swift|php|groovy)$/,
  // What decides which tests run, and how.
  /(?:^|\/)(?:vitest|jest|playwright|cypress|karma|ava)\.(?:config|workspace)\.[cm]?[jt]s(?:on)?$/,
  /(?:^|\/)(?:pytest\.ini|tox\.ini|phpunit\.xml(?:\.dist)?|\.mocharc\.[a-z]+|\.rspec)$/,
];

const RUNNERS: readonly RegExp[] = [
  /^(?:vitest|jest|mocha|ava|tap|tape|jasmine|karma|playwright|cypress|uvu)$/,
  /^(?:pytest|py\.test|tox|nose2?|rspec|phpunit|ctest|bats|busted|prove)$/,
];

/** `<program> test`, and the like. */
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  go: /^test$/,
  cargo: /^(?:test|nextest)$/,
  deno: /^test$/,
  bun: /^test$/,
  dotnet: /^test$/,
  swift: /^test$/,
  dart: /^test$/,
  flutter: /^test$/,
  mix: /^test$/,
  rails: /^test$/,
  zig: /^test$/,
  mvn: /^(?:test|verify|integration-test)$/,
  gradle: /^(?:test|check|build)$/,
  gradlew: /^(?:test|check|build)$/,
  node: /^--test$/,
  python: /^(?:unittest|pytest)$/,
  python3: /^(?:unittest|pytest)$/,
};

export function isTestFile(path: string): boolean {
  return TEST_FILES.some((pattern) => pattern.test(path));
}

/** Whether the words of a command start tests. */
export function runsTests(words: readonly string[]): boolean {
  return words.some((word, n) => {
    const program = word.split("/").at(-1) ?? word;
    if (RUNNERS.some((pattern) => pattern.test(program))) return true;
    const subcommand = Object.hasOwn(SUBCOMMANDS, program) ? SUBCOMMANDS[program] : undefined;
    return subcommand !== undefined && words.slice(n + 1).some((next) => subcommand.test(next));
  });
}
