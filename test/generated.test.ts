import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { VERSION } from "../src/core/words/version.ts";
import { GENERATED, REPOSITORY } from "./support/generated-files.ts";

const isUpdating = process.env["UPDATE_GENERATED"] === "1";

describe("generated files", () => {
  for (const { path, render } of GENERATED) {
    it(`${path} is what the code says (npm run generate)`, () => {
      const file = join(REPOSITORY, path);
      const now = readOrEmpty(file);
      const wanted = render(now);
      if (isUpdating) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, wanted);
      }
      expect(readOrEmpty(file)).toBe(wanted);
    });
  }

  it("the version in the code is that of the package", () => {
    const packaged = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as object;
    expect(packaged).toMatchObject({ version: VERSION });
  });
});

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
