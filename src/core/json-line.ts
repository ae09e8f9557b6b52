// One line of a JSON stream, read with distrust: anything may be missing or of another type.

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object on a line; undefined for what is cut off, damaged or no object. */
export function parseJsonLine(line: string): JsonObject | undefined {
  try {
    return objectIn(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export function objectIn(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.map(objectIn).filter((item) => item !== undefined);
}

export function stringIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
