// Whole stories as a person sees them: `stories/*.txt`. STINT_UPDATE_STORIES=1 writes them anew; the
// difference is what changed for whoever uses Stint, and is read as such.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tellAgain } from "../support/tell-story.ts";

const FOLDER = fileURLToPath(new URL("stories/", import.meta.url));
const stories = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));

it("there are stories", () => {
  expect(stories.length).toBeGreaterThan(5);
});

it.each(stories)("%s", async (name) => {
  const path = join(FOLDER, name);
  const story = readFileSync(path, "utf8");
  const now = await tellAgain(story);
  if (process.env["STINT_UPDATE_STORIES"] !== undefined) writeFileSync(path, now);
  expect(now).toBe(process.env["STINT_UPDATE_STORIES"] === undefined ? story : now);
});
