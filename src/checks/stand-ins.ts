// Which files come before what a check means by a name: a module of Python in place of the test runner or of a module
// that the runner loads, a library of tests in another language, a program in place of one in PATH. By the name and place
// of the file alone; that it was read is known of it. Pure.
import type { ChangedFile } from "./judges.ts";
import { type Executed, isTestRunner } from "./programs-run.ts";
import type { ReadText } from "../core/written/scripts-called.ts";

/** Whether a file stands in for a runner, for what that loads, or for a program of the check. */
export function isStandIn(
  { path, change }: ChangedFile,
  { lookedUp, dirs }: Pick<Executed, "lookedUp" | "dirs">,
  read: ReadText,
): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (lookedUp.has(name)) return IN_BIN.test(path) || read(path)?.startsWith("#!") === true;
  if (TEST_LIBRARIES.test(path)) return true;
  const [, folder = "", module = ""] = PYTHON_MODULE.exec(path) ?? [];
  // One that is part of a package has the name of that before its own.
  if (module === "" || read(`${folder}__init__.py`) !== undefined) return false;
  if (isLoadedFirst(path)) return true;
  return change === "added" && LOADED.has(module) && dirs.has(folder.replace(/\/$/, ""));
}

/** By its name alone: a module or library that is loaded in place of a test runner, or before everything. */
export function isLoadedFirst(path: string): boolean {
  const [, , module = ""] = PYTHON_MODULE.exec(path) ?? [];
  return TEST_LIBRARIES.test(path) || isTestRunner(module) || RUNS_OR_LOADED_FIRST.test(module);
}

const IN_BIN = /(?:^|\/)\.?bin\//;
/** The folder, and the module or package that the file is, or is the beginning of. */
const PYTHON_MODULE = /^((?:[^/]+\/)*?)(\w+)(?:\.py|\/__(?:init|main)__\.py)$/;
const RUNS_OR_LOADED_FIRST =
  /^(?:_pytest|doctest|coverage|nox|mypy|ruff|flake8|pylint|sitecustomize|usercustomize|hypothesis|pluggy)$/;
const TEST_LIBRARIES =
  /(?:^|\/)(?:Test\/(?:More|Simple|Builder|Harness)\.pm|(?:minitest|rspec|test\/unit)(?:\/(?:autorun|core|spec|test))?\.rb|(?:busted|luaunit)\.lua)$/;

/** What unittest and pytest load of the standard library, before any test. */
const LOADED = new Set(
  `abc argparse ast asyncio base64 bdb bisect bz2 calendar cmd code codecs codeop collections concurrent contextlib
   contextvars copy copyreg dataclasses datetime decimal difflib dis email encodings enum fnmatch functools genericpath
   gettext glob heapq importlib inspect io ipaddress json keyword linecache locale logging lzma numbers opcode operator os
   pathlib pdb pkgutil platform posixpath pprint queue quopri random re reprlib runpy selectors shlex shutil signal site
   socket ssl stat string struct subprocess sysconfig tempfile textwrap threading token tokenize traceback types typing
   unicodedata unittest urllib uuid warnings weakref xml zipfile`.split(/\s+/),
);
