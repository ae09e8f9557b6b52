// Secrets that a person wrote into a manifest. It is read by every session, repeated in state and briefs, and most often
// committed. The secret itself is never repeated here.
import { looksSecret, SECRET_SHAPES } from "../../core/written/secret-shapes.ts";
import type { ManifestDocument } from "../manifest-document.ts";
import { type Problem, warningAt } from "../problem.ts";

const SHAPES = SECRET_SHAPES.map(({ what, pattern }) => ({
  what,
  isAddress: what.includes("address"),
  pattern: new RegExp(pattern, "g"),
}));

export function secretProblems({ text }: Pick<ManifestDocument, "text">): Problem[] {
  return text.split(/\r\n|\n|\r/).flatMap((line, index) => {
    const kinds = kindsIn(line);
    if (kinds.length === 0) return [];
    return warningAt(index + 1, "secret-in-manifest", {
      message: `this line seems to hold a secret (${kinds.join(", ")}), and the manifest, the state and the briefs repeat it; name a variable of the environment instead`,
      example: "",
      found: withoutSecrets(line).trim(),
    });
  });
}

function kindsIn(line: string): string[] {
  const shapes = SHAPES.filter(
    ({ pattern, isAddress }) => line.search(pattern) !== -1 && (!isAddress || holdsPassword(line)),
  );
  const variables = assignedSecrets(line).map(({ name }) => `the value of ${name}`);
  return [...new Set([...shapes.map(({ what }) => what), ...variables])];
}

/** What is told of the address of a check or a webhook already, and what lets nobody in elsewhere. */
const TOLD_ELSEWHERE = /^\s*[-*+]\s+(?:check|returns|webhook):\s*[^\s`]/i;
const HARMLESS = /^:\/\/[^:]*:(?:\$|[^@]*@(?:localhost|127\.|\[::1\]|0\.0\.0\.0))/;

function holdsPassword(line: string): boolean {
  if (TOLD_ELSEWHERE.test(line)) return false;
  const addresses = line.match(/:\/\/[^\s/:@"'\\]{1,64}:[^\s/@"'\\]{1,256}@\S*/g) ?? [];
  return addresses.some((address) => !HARMLESS.test(address));
}

/** `API_TOKEN=abc123…`: a variable by its name, with a value that is neither a word nor another variable. */
const ASSIGNED = /(?<![\w$])([A-Z][A-Z0-9_]{2,64})=["']?([\w.~+/=-]{8,256})/g;

function assignedSecrets(line: string): { readonly name: string; readonly value: string }[] {
  return [...line.matchAll(ASSIGNED)]
    .map(([, name = "", value = ""]) => ({ name, value }))
    .filter(({ name, value }) => looksSecret(name) && /\d/.test(value));
}

const BLOT = "[redacted]";

function withoutSecrets(line: string): string {
  const named = assignedSecrets(line).reduce(
    (text, { value }) => text.replaceAll(value, BLOT),
    line,
  );
  return SHAPES.reduce(
    (text, { pattern }) =>
      text.replace(
        pattern,
        (_, before: unknown) => `${typeof before === "string" ? before : ""}${BLOT}`,
      ),
    named,
  );
}
