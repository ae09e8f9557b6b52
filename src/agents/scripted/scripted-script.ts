// The script of the scripted agent: what to do, per task and attempt. A person writes it, so every
// problem is collected and named by its place.
import { objectIn, stringIn } from "../../core/json-line.ts";

/** What a field of an act can hold. */
interface FieldTypes {
  readonly text: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly texts: readonly string[];
  readonly object: Readonly<Record<string, unknown>>;
  readonly which: "own" | "other" | "all";
}

type FieldType = keyof FieldTypes;

/** Every act with its fields; a question mark makes one optional. File acts stay inside the work tree unless `hostile`. */
const FIELDS = {
  write: { path: "text", text: "text", hostile: "boolean?" },
  append: { path: "text", text: "text", hostile: "boolean?" },
  delete: { path: "text", hostile: "boolean?" },
  move: { from: "text", to: "text", hostile: "boolean?" },
  run: { command: "text", mayFail: "boolean?" },
  git: { args: "texts", mayFail: "boolean?" },
  commit: { message: "text", paths: "texts?" },
  "flip-box": { which: "which" },
  "edit-manifest": { replace: "text", with: "text" },
  marker: { text: "text?", keys: "object?" },
  say: { text: "text" },
  emit: { event: "object" },
  print: { bytes: "number", invalid: "boolean?" },
  sleep: { ms: "number" },
  hang: {},
  "hang-after-result": {},
  chatter: { everyMs: "number?" },
  "ignore-sigterm": {},
  background: { command: "text" },
  exit: { code: "number" },
  die: { signal: "text?" },
  "kill-parent": { signal: "text?" },
  "delete-state": {},
  "forge-state": { fields: "object" },
  fill: { path: "text", bytes: "number", hostile: "boolean?" },
} as const satisfies Record<string, Record<string, FieldType | `${FieldType}?`>>;

type Kind = keyof typeof FIELDS;

/** An object with the fields that the table says. */
type Holding<Fields> = {
  readonly [F in keyof Fields as Fields[F] extends FieldType ? F : never]: FieldTypes[Fields[F] &
    FieldType];
} & {
  readonly [
    F in keyof Fields as Fields[F] extends `${string}?` ? F : never
  ]?: Fields[F] extends `${infer T extends FieldType}?` ? FieldTypes[T] : never;
};

export type Act = { [K in Kind]: { readonly act: K } & Holding<(typeof FIELDS)[K]> }[Kind];

const IS_TYPE: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && value >= 0 && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  texts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  object: (value) => objectIn(value) !== undefined,
  which: (value) => value === "own" || value === "other" || value === "all",
};

const TYPE_WORDS: Readonly<Record<FieldType, string>> = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  texts: "a list of texts",
  object: "an object",
  which: `"own", "other" or "all"`,
};

export interface Script {
  /** Relative to the work tree; `$STINT_MANIFEST` else. */
  readonly manifest: string | undefined;
  /** Per task, one list of acts per attempt; the last one serves every later attempt. */
  readonly tasks: ReadonlyMap<string, readonly (readonly Act[])[]>;
}

export type ParsedScript =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly string[] };

export function parseScript(text: string): ParsedScript {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return { ok: false, problems: [cause instanceof Error ? cause.message : "no JSON"] };
  }
  const root = objectIn(value);
  const named = objectIn(root?.["tasks"]);
  if (root === undefined || named === undefined) {
    return { ok: false, problems: [`a script is {"tasks": {"<name or *>": [ …acts ]}}`] };
  }
  const problems: string[] = [];
  const tasks = new Map<string, readonly (readonly Act[])[]>();
  for (const [name, acts] of Object.entries(named)) {
    tasks.set(name, readAttempts(acts, `tasks.${name}`, problems));
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, script: { manifest: stringIn(root["manifest"]), tasks } };
}

/** The acts for one attempt at a task, found by id, by name, or under `*`. */
export function actsFor(script: Script, names: readonly string[], attempt: number): readonly Act[] {
  const known = [...names, "*"].find((name) => script.tasks.has(name)) ?? "*";
  const attempts = script.tasks.get(known) ?? [];
  return attempts[Math.min(attempt, attempts.length) - 1] ?? [];
}

function readAttempts(
  value: unknown,
  place: string,
  problems: string[],
): readonly (readonly Act[])[] {
  if (!Array.isArray(value)) {
    problems.push(`${place} is not a list of acts`);
    return [];
  }
  const items: readonly unknown[] = value;
  const isPerAttempt = items.length > 0 && items.every((item) => Array.isArray(item));
  if (!isPerAttempt) return [readActs(items, place, problems)];
  return items.map((acts, n) => readActs(acts as readonly unknown[], `${place}[${n}]`, problems));
}

function readActs(items: readonly unknown[], place: string, problems: string[]): readonly Act[] {
  return items.flatMap((item, n) => {
    const found = problemsOf(item).map((problem) => `${place}[${n}]: ${problem}`);
    problems.push(...found);
    return found.length === 0 ? [item as Act] : [];
  });
}

function problemsOf(item: unknown): readonly string[] {
  const fields = objectIn(item);
  const kind = stringIn(fields?.["act"]);
  if (fields === undefined || kind === undefined) return [`an act is {"act": "…", …}`];
  if (!isKind(kind)) return [`there is no act "${kind}"; known: ${Object.keys(FIELDS).join(", ")}`];
  const expected: Readonly<Record<string, string>> = FIELDS[kind];
  const unknown = Object.keys(fields)
    .filter((key) => key !== "act" && !Object.hasOwn(expected, key))
    .map((key) => `"${kind}" has no field "${key}"`);
  const wrong = Object.entries(expected).flatMap(([key, written]) => {
    const type = written.replace("?", "") as FieldType;
    if (fields[key] === undefined && written.endsWith("?")) return [];
    return IS_TYPE[type](fields[key]) ? [] : [`"${kind}" needs ${key}: ${TYPE_WORDS[type]}`];
  });
  return [...unknown, ...wrong];
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(FIELDS, kind);
}
