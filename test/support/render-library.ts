// The table of docs/library.md: every name of the library, its kind, and the first sentence that its own file says of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const START = "<!-- generated:surface -->";
const END = "<!-- /generated:surface -->";
const KINDS: Readonly<Record<string, string>> = { interface: "type", const: "constant" };

/** The document with its table renewed. */
export function withLibrary(now: string, source: string): string {
  const [before = "", rest = ""] = now.split(START);
  const [, after = ""] = rest.split(END);
  const rows = surface(source).map(
    ({ name, kind, says }) => `| \`${name}\` | ${kind} | ${says.replaceAll("|", "\\|")} |`,
  );
  const table = ["| name | kind | what it is |", "|---|---|---|", ...rows].join("\n");
  return `${before}${START}\n\n${table}\n\n${END}${after}`;
}

interface Exported {
  readonly name: string;
  readonly kind: string;
  readonly says: string;
}

function surface(source: string): Exported[] {
  const index = readFileSync(join(source, "index.ts"), "utf8");
  const lists = [...index.matchAll(/^export (?:type )?\{([^}]*)\} from "\.\/([^"]+)";$/gm)];
  const statements = index.match(/^export /gm) ?? [];
  if (lists.length !== statements.length) throw new Error("src/index.ts holds re-exports only");
  return lists
    .flatMap(([, names = "", file = ""]) => {
      const text = readFileSync(join(source, file), "utf8");
      return names
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""))
        .filter((name) => name !== "")
        .map((name) => described(name, file, text));
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

function described(name: string, file: string, text: string): Exported {
  const declared = new RegExp(
    String.raw`/\*\*((?:(?!\*/)[^])*)\*/\nexport (?:async )?(interface|type|class|function|const) ${name}\b`,
  ).exec(text);
  if (declared === null)
    throw new Error(`${file} says nothing of ${name}: write /** … */ above it`);
  const [, comment = "", word = ""] = declared;
  const plain = comment.replaceAll(/\s*\n \* ?/g, " ").trim();
  return { name, kind: KINDS[word] ?? word, says: plain.replace(/\s@\w[^]*$/, "") };
}
