import { expect, test } from "vitest";
import { isDestructive } from "./destructive.ts";

test.each([
  "Delete the old fixtures",
  "overwrite the lock file",
  "Reset the database",
  "Uninstall the plugin",
  "Fix the seed and reset the database",
  "Tidy up: wipe build/",
  "Use the new cache, then purge the old one",
  "Make room by erasing nothing, or delete the logs",
])("S2-15 %j asks for something to go", (words) => {
  expect(isDestructive(words)).toBe(true);
});

test.each([
  "Add a delete button",
  "Delete button: use the new colour",
  "Add an undo and reset link",
  "Fix the reset of the form",
  "Say that nothing is deleted",
  "Undelete the old fixtures",
  "",
])("S2-15 %j does not", (words) => {
  expect(isDestructive(words)).toBe(false);
});
