// Paths of checks that hold what only a shell fills in. A check takes them as they are written, so no file ever has such a
// path, and the task could not be done.
import type { KeyLine, ManifestDocument } from "../manifest-document.ts";
import { parseCheck, parseReturn } from "../parse-check.ts";
import { type Problem, type ProblemText, warningAt } from "../problem.ts";
import { joinedLines } from "../written-values.ts";

export function literalPaths({ tasks }: Pick<ManifestDocument, "tasks">): Problem[] {
  return tasks
    .filter(({ box }) => !box.checked)
    .flatMap(({ keys }) => keys.flatMap((line) => literalPath(line) ?? []));
}

function literalPath(line: KeyLine): Problem | undefined {
  const named = fileNamed(line);
  const told = named === undefined ? undefined : problemOf(line, named);
  if (told === undefined) return undefined;
  const found = `${line.key}: ${joinedLines(line.value)}`;
  return warningAt(line.line, "literal-path", { ...told, found });
}

interface FileNamed {
  readonly path: string;
  /** All that is asked is whether the file is there. */
  readonly onlyExists: boolean;
}

function fileNamed({ key, value }: KeyLine): FileNamed | undefined {
  if (key === "check") {
    const read = parseCheck(value);
    if (read === "prose" || !read.ok) return undefined;
    const { check } = read;
    if (check.kind === "render") return { path: check.path, onlyExists: false };
    if (check.kind !== "file") return undefined;
    return { path: check.path, onlyExists: check.expect.is === "exists" };
  }
  const read = key === "returns" ? parseReturn(value) : undefined;
  if (read?.ok !== true || read.returns.kind !== "file") return undefined;
  return { path: read.returns.path, onlyExists: true };
}

function problemOf(
  { key, value }: KeyLine,
  { path, onlyExists }: FileNamed,
): Omit<ProblemText, "found"> | undefined {
  if (path.includes("\\")) {
    const plain = path.replaceAll("\\", "/");
    return {
      message: `"${path}" is one name with backslashes in it, not a path; use forward slashes`,
      example: `${key}: ${joinedLines(value).replace(path, () => plain)}`,
    };
  }
  const isPlain = !/[\s"'`]/.test(path);
  if (/\$(?:\w|\{)/.test(path)) {
    return {
      message: `"${path}" is taken literally: only a command fills in variables, so no file has this path`,
      example: onlyExists && isPlain ? `${key}: \`test -e "${path}"\`` : "",
    };
  }
  if (/[*?]/.test(path)) {
    return {
      message: `"${path}" is taken literally: only a command reads * and ? as a pattern, so no file has this path`,
      example: onlyExists && isPlain ? `${key}: \`ls ${path}\`` : "",
    };
  }
  return undefined;
}
