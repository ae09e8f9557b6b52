// Linting a manifest of 10,000 tasks against parsing it alone.
import { lintManifest, parseManifest } from "./internals.mjs";
import { medians, row } from "./measure.mjs";

const TASKS = 10_000;

export async function benchLint() {
  const text = manifest();
  // What was parsed last is remembered, so every time it is another text.
  let count = 0;
  const fresh = () => `${text}\n<!-- ${++count} -->\n`;
  const result = medians(
    { parse: () => parseManifest(fresh()), lint: () => lintManifest(fresh()) },
    15,
  );
  console.log(`Lint of ${TASKS} tasks (${(text.length / 1024).toFixed(0)} KiB)`);
  row("  lint", result.lint, "parse", result.parse, 1.5);
}

function manifest() {
  const tasks = Array.from(
    { length: TASKS },
    (_, index) =>
      `- [ ] thing-${index + 1} - Write the module number ${index + 1} of the new parser\n  - keep the old one working\n  - check: \`npm test -- thing-${index + 1}\`\n`,
  );
  return `# Goal\n\nMeasure.\n\n# Steps\n\n${tasks.join("")}`;
}
