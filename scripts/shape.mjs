// `npm run shape [-- folder …]`: what a reader meets in this code, counted: lines, files, exports, long
// functions, and what one task runs through. Folders of other projects are counted beside it, as far as
// that can be seen without running them. It judges nothing.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { countOneTask } from "./one-task.mjs";

const LONG_FUNCTION = 60;
const MANY_PARAMETERS = 4;
const ROOT = fileURLToPath(new URL("..", import.meta.url));

const others = process.argv.slice(2);
const columns = [
  { name: "stint", folder: join(ROOT, "src") },
  ...others.map((folder) => ({ name: nameOf(folder), folder: resolve(folder) })),
];
const shapes = columns.map(({ folder }) => shapeOf(folder));
const rows = Object.keys(shapes[0]).map((key) => [key, ...shapes.map((shape) => shape[key])]);
print([["source, without tests", ...columns.map(({ name }) => name)], ...rows]);

const task = countOneTask(ROOT);
print([
  ["one task with one session and one check", "stint"],
  ["files that a function ran in", task.files],
  ["functions that ran", task.functions],
  ["files of engine and workspace among them", task.loop],
  ...effectsOfTask(),
]);

/** As `npm run bench` counts them, from an agent's end to the next one's start. */
function effectsOfTask() {
  const program = join(ROOT, "bench/count-effects.mjs");
  const { stdout } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  const gap = stdout.split("the gap alone")[1] ?? "";
  return ["git processes", "flushes"].map((kind) => [
    `${kind} between two sessions`,
    new RegExp(`([0-9.]+) ${kind}`).exec(gap)?.[1] ?? "not counted without strace",
  ]);
}

function nameOf(folder) {
  const parts = resolve(folder).split("/");
  return parts.findLast((part) => !["src", "lib", "packages"].includes(part)) ?? folder;
}

function shapeOf(folder) {
  const files = sourceFiles(folder);
  const lines = files.map(({ text }) => text.split("\n").length - 1);
  const functions = files.flatMap(functionsOf);
  const sizes = functions.map((each) => each.lines);
  const folders = new Map();
  for (const { path } of files) {
    const name = folderOf(folder, path);
    folders.set(name, (folders.get(name) ?? 0) + 1);
  }
  const [fullest, inFullest] = [...folders].toSorted((one, other) => other[1] - one[1])[0];
  return {
    lines: sum(lines),
    "lines without comments and blanks": sum(files.map(({ text }) => codeLines(text))),
    files: files.length,
    "lines a file: median / p90 / most": spread(lines),
    "fullest folder": `${inFullest} (${fullest === "" ? "." : fullest})`,
    exports: sum(files.map(({ text }) => (text.match(/^export /gm) ?? []).length)),
    functions: functions.length,
    "lines a function: median / p90 / most": spread(sizes),
    [`functions over ${LONG_FUNCTION} lines`]: sizes.filter((size) => size > LONG_FUNCTION).length,
    [`functions with more than ${MANY_PARAMETERS} parameters`]: functions.filter(
      ({ parameters }) => parameters > MANY_PARAMETERS,
    ).length,
  };
}

function folderOf(top, path) {
  return relative(top, path).split("/").slice(0, -1).join("/");
}

function sourceFiles(folder) {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|js|mjs)$/.test(name) && !name.endsWith(".d.ts"))
    .filter(
      (name) =>
        !/(\.|-)(test|spec|testsuite|bench)\.|(^|\/)(node_modules|test|tests|__tests__|dist)\//.test(
          name,
        ),
    )
    .map((name) => join(folder, name))
    .filter((path) => fs.statSync(path).isFile())
    .map((path) => ({ path, text: fs.readFileSync(path, "utf8") }));
}

function codeLines(text) {
  return text.split("\n").filter((line) => !/^\s*($|\/\/|\/\*|\*)/.test(line)).length;
}

/** Every function with a body of its own, short arrow functions included. */
function functionsOf({ path, text }) {
  const starts = lineStarts(text);
  const lineOf = (offset) => starts.findLastIndex((start) => start <= offset);
  const found = [];
  const visit = (node) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    const isFunction =
      typeof node.type === "string" && /Function(Declaration|Expression)$/.test(node.type);
    if (isFunction && node.body?.type === "BlockStatement") {
      const lines = lineOf(node.end) - lineOf(node.start) + 1;
      found.push({ lines, parameters: node.params.length });
    }
    for (const [key, value] of Object.entries(node)) if (key !== "parent") visit(value);
  };
  visit(parseAst(text, { lang: path.endsWith(".ts") ? "ts" : "js", astType: "ts" }).body);
  return found;
}

function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function spread(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `${at(0.5)} / ${at(0.9)} / ${sorted.at(-1) ?? 0}`;
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

function print(table) {
  const widths = table[0].map((_, column) =>
    Math.max(...table.map((row) => String(row[column] ?? "").length)),
  );
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column]),
    );
    console.log(cells.join("  "));
  }
  console.log();
}
