import { expect, test } from "vitest";
import { isDocs } from "../files.ts";
import { changesOnlyDocs } from "./about-docs.ts";

test.each([
  "Update LICENSE",
  "Fix typos in CONTRIBUTING",
  "Add an AUTHORS file",
  "Add NOTICE and CREDITS",
  "Write the README",
  "Update the changelog",
  "Document the API and its tests",
  "Update README with install and usage instructions",
  "Write docs for the tests",
])("%j changes documents only", (title) => {
  expect(changesOnlyDocs(title)).toBe(true);
});

test.each([
  "Write tests and docs",
  "Write docs, tests",
  "Update LICENSE and src/app.ts",
  "Document the API in src/api.ts",
  "Remove the TODO",
  "Install the tool",
  "Add a license check",
  "Parse JSON",
])("%j changes more", (title) => {
  expect(changesOnlyDocs(title)).toBe(false);
});

test("a name in capitals is a document where the judge takes it for one", () => {
  const names = ["CHANGES", "COPYING", "NEWS", "HISTORY", "FAQ", "Makefile", "API", "SQL"];
  for (const name of names) expect(changesOnlyDocs(`Update ${name}`)).toBe(isDocs(name));
});
