// Which folder may import which: `support/folders.ts` says it, and here the code is held to it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FOLDERS, PORTS } from "./support/folders.ts";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

const MOST_FILES = 25;

/** Who makes events durable: the loop of a run, who carries out answers, and the verbs of a person. */
const PERSISTING = [
  "engine/base/persist.ts",
  "engine/people/carry-out-answer.ts",
  "engine/run/run-project.ts",
  "operations/deliver.ts",
  "operations/plan.ts",
  "operations/run/by-hand.ts",
  "operations/run/enter-run.ts",
  "operations/run/verify-fresh.ts",
  "operations/run/work-period.ts",
  "operations/watchdog/escalate.ts",
];

/** These alone may import everything, and nobody imports them. */
const TOP = ["index.ts", "library.ts", "main.ts", "start.ts", "wire.ts"];

interface Import {
  readonly from: string;
  readonly to: string;
}

describe("the architecture", () => {
  const files = sourceFiles(SRC);
  const imports = files.flatMap(importsOf);

  it("is judged on every source file", () => {
    expect(files.length).toBeGreaterThan(60);
    expect(imports.length).toBeGreaterThan(files.length);
    expect(new Set(files.map(folderOf))).toEqual(new Set([...Object.keys(FOLDERS), ...TOP]));
  });

  it("lets a folder import only what the table allows", () => {
    const wrong = imports.filter(({ from, to }) => {
      const source = folderOf(from);
      const target = folderOf(to);
      if (TOP.includes(source) || source === target) return false;
      return FOLDERS[source]?.imports.includes(target) !== true;
    });
    expect(wrong).toEqual([]);
  });

  it("lets a room import only the rooms before it", () => {
    const wrong = imports.filter(({ from, to }) => {
      const folder = folderOf(from);
      const rooms = roomsOf(folder);
      if (rooms.length === 0 || folder !== folderOf(to) || PORTS.includes(to)) return false;
      return rooms.indexOf(roomOf(to)) > rooms.indexOf(roomOf(from));
    });
    expect(wrong).toEqual([]);
  });

  it("knows every room of the folders that have an order", () => {
    for (const folder of Object.keys(FOLDERS)) {
      const rooms = roomsOf(folder);
      if (rooms.length === 0) continue;
      const found = files.filter((file) => folderOf(file) === folder).map(roomOf);
      expect(new Set(found)).toEqual(new Set(rooms));
    }
  });

  it("has only interfaces in the files that hold them", () => {
    for (const port of PORTS) {
      const text = readFileSync(join(SRC, port), "utf8");
      expect(text.match(/^import (?!type )/gm) ?? []).toEqual([]);
      expect(text.match(/^export (?!interface|type)/gm) ?? []).toEqual([]);
    }
  });

  it("has no folder that is too full to be read", () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const full = [...counts].filter(([, count]) => count > MOST_FILES);
    expect(full).toEqual([]);
  });

  it("persists only in the loop and where a person's word is carried out; acts hand out steps", () => {
    const found = files.filter((file) =>
      /(?<![.\w])(?:save|saveEach|persist)\(/.test(readFileSync(join(SRC, file), "utf8")),
    );
    expect(found).toEqual(PERSISTING);
  });

  it("writes what is remembered of a task in one file", () => {
    const found = files.filter((file) =>
      /keptPath\("artifacts", "tasks"/.test(readFileSync(join(SRC, file), "utf8")),
    );
    expect(found).toEqual(["engine/base/kept-record.ts"]);
  });

  it("reads kept files of the engine, of workspaces and of notices through their schema", () => {
    const casting = files.filter(
      (file) =>
        /^(?:engine|workspace|notify)\/.*\.ts$/.test(file) &&
        /JSON\.parse\([^)]*(?:bytes|kept|toString)/.test(readFileSync(join(SRC, file), "utf8")),
    );
    expect(casting).toEqual([]);
  });

  it("keeps files, clock, randomness and processes out of the rules", () => {
    const impure = files
      .filter((file) => folderOf(file) === "core")
      .filter((file) =>
        /from "node:|Date\.now|new Date\(\)|Math\.random|process\./.test(
          readFileSync(join(SRC, file), "utf8"),
        ),
      );
    expect(impure).toEqual([]);
  });

  it("loads zod only where a schema is defined or judged", () => {
    const loading = files.filter((file) => /from "zod/.test(readFileSync(join(SRC, file), "utf8")));
    expect(loading.filter((file) => !/^(core\/schema|operations)\//.test(file))).toEqual([]);
  });

  it("prints only at the doors", () => {
    const printing = files.filter((file) =>
      /console\.|process\.std(out|err)/.test(readFileSync(join(SRC, file), "utf8")),
    );
    expect(printing.filter((file) => !/^(cli\/|mcp\/|main\.ts|start\.ts)/.test(file))).toEqual([]);
  });

  it("has no file named for nothing", () => {
    const vague = /(^|\/)(utils?|helpers?|common|types|manager|service|index)\.ts$/;
    expect(files.filter((file) => file !== "index.ts" && vague.test(file))).toEqual([]);
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/\.(test|testsuite)\.ts$/.test(name))
    .toSorted();
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, target = ""]) => ({
    from: file,
    to: relative(SRC, resolve(dirname(join(SRC, file)), target)),
  }));
}

function roomsOf(folder: string): string[] {
  return Object.keys(FOLDERS[folder]?.rooms ?? {});
}

/** The folder of a file below its top folder; "" where it lies in that itself. */
function roomOf(file: string): string {
  return file.split("/").slice(1, -1).join("/");
}

/** The top folder of a source file, or the file itself at the top. */
function folderOf(file: string): string {
  return file.split("/")[0] ?? file;
}
