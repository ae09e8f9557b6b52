// A manifest of two tasks that writes two files, and the story of a session for each.
import type { Story } from "./run-scene.ts";

export const ONE_GREETING = `# Goal

Greet.

# Steps

- [ ] english - Write the English greeting
  - check: \`grep -q Hello english.txt\`
`;

export const TWO_GREETINGS = `${ONE_GREETING}- [ ] german - Write the German greeting
  - check: \`grep -q Hallo german.txt\`
`;

export const GREETINGS: Story = {
  manifest: TWO_GREETINGS,
  words: ["--isolation", "off"],
  script: () => ({
    english: [{ act: "write", path: "english.txt", text: "Hello\n" }],
    german: [{ act: "write", path: "german.txt", text: "Hallo\n" }],
  }),
};
