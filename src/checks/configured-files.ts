// Which files the configuration of a test runner or a build names: what it runs before tests, extends, requires or
// imports. By the common names of such configuration and of its keys; what is computed is not found. Pure.
import { posix } from "node:path";
import type { ReadText } from "../core/written/scripts-called.ts";

/** Paths that the configuration in these folders names, without their extension where it leaves that out. */
export function configuredFiles(dirs: Iterable<string>, read: ReadText): readonly string[] {
  return [...dirs].flatMap((dir) =>
    CONFIGURATION.flatMap((name) => {
      const text = read(posix.join(dir, name));
      return text === undefined ? [] : namedIn(text, name, dir);
    }),
  );
}

const CODE = ["js", "cjs", "mjs", "ts", "mts", "cts"];
const CONFIGURATION: readonly string[] = [
  ...["jest", "vitest", "vite", "playwright", "babel", "eslint", "ava", "cypress"].flatMap((tool) =>
    CODE.map((kind) => `${tool}.config.${kind}`),
  ),
  ...["js", "cjs", "json", "jsonc", "yaml", "yml"].flatMap((kind) => [
    `.mocharc.${kind}`,
    `.eslintrc.${kind}`,
  ]),
  "jest.config.json",
  "karma.conf.js",
  "package.json",
  "tsconfig.json",
  "bunfig.toml",
  ".babelrc",
  ".nycrc",
  ".npmrc",
  ".yarnrc.yml",
  "pytest.ini",
  "setup.cfg",
  "tox.ini",
  "phpunit.xml",
  "phpunit.xml.dist",
];

/** What a tool loads by these keys decides, wherever it is. */
const LOADED =
  /(?:setupFiles(?:AfterEnv)?|global(?:Setup|Teardown)|preset|extends|preload|resolver|testRunner|testEnvironment|bootstrap|script-shell|node-options|yarnPath)["']?\s*[:=]\s*(\[[^\]]*\]|[^\n,;]+)/g;
/** A program imports what it shares with the product, too. */
const IMPORTED =
  /(?:\bfrom\s*|\bimport\s*\(?|\brequire\s*\(|["']?\brequire["']?\s*[:=])\s*(\[[^\]]*\]|["'][^"'\n]+["'])/g;
const PATH = /(?:<rootDir>\/|\.{1,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*/g;
const SOURCES = /(?:^|\/)(?:src|lib|app|pkg|internal|cmd)\//;

function namedIn(text: string, name: string, dir: string): readonly string[] {
  const pathsIn = (pattern: RegExp): readonly string[] =>
    [...text.matchAll(pattern)].flatMap(([, value = ""]) =>
      [...value.matchAll(PATH)]
        .map(([word]) => word.replace(/^<rootDir>\//, "./"))
        .filter((word) => /^\.{1,2}\/|\.\w+$/.test(word))
        .map((word) => posix.join(dir, word)),
    );
  // A condition of `exports` is called import or require as well.
  const imported = name === "package.json" ? [] : pathsIn(IMPORTED);
  return [...pathsIn(LOADED), ...imported.filter((path) => !SOURCES.test(path))];
}

/** What a package brings to those who load plugins; of its other entry points only it knows. */
const ENTRY_POINTS = /\.(?:egg|dist)-info\/entry_points\.txt$/;
const GROUP = /^\[([^\]\n]+)\]\n?([^[]*)/gm;
const PYTEST_SETTINGS = /(?:^|\/)(?:\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml)$/;
const PYTEST_OPTION = /(?<![\w-])-p[\s"',=]*([A-Za-z_][\w.]*)/g;
const PYTEST_PLUGINS = /\bpytest_plugins\s*=\s*(\[[^\]]*\]|\([^)]*\)|[^\n]+)/g;

/** Modules of Python that these files have a tool load. */
export function pluginsOf(paths: readonly string[], read: ReadText): readonly string[] {
  const modules = paths.flatMap((path) => {
    const text = read(path) ?? "";
    if (ENTRY_POINTS.test(path)) {
      return [...text.matchAll(GROUP)].flatMap(([, group = "", lines = ""]) =>
        group.trim().endsWith("scripts")
          ? []
          : [...lines.matchAll(/^[^=\n]+=\s*([\w.]+)/gm)].map(([, module = ""]) => module),
      );
    }
    if (PYTEST_SETTINGS.test(path)) {
      return [...text.matchAll(PYTEST_OPTION)].map(([, module = ""]) => module);
    }
    if (!path.endsWith("conftest.py")) return [];
    return [...text.matchAll(PYTEST_PLUGINS)].flatMap(([, value = ""]) =>
      [...value.matchAll(/["']([\w.]+)["']/g)].map(([, module = ""]) => module),
    );
  });
  return modules.flatMap((module) => {
    const path = module.replaceAll(".", "/");
    return [`${path}.py`, `${path}/__init__.py`];
  });
}
