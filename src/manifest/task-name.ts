// A task's short name: written before its title (`name - title`, `name: title`) or derived from it.
import { parseSlug, slugify, type Slug } from "../core/ids.ts";

const WRITTEN_NAME = /^([a-z0-9]+(?:-[a-z0-9]+)*)(?:\s+[-–—]\s+|:\s+)(\S.*)$/s;

export interface NamedTitle {
  readonly name: string | undefined;
  readonly title: string;
}

export function splitName(text: string): NamedTitle {
  const match = WRITTEN_NAME.exec(text);
  const name = match?.[1] === undefined ? undefined : parseSlug(match[1]);
  return name === undefined || match?.[2] === undefined
    ? { name: undefined, title: text }
    : { name, title: match[2] };
}

/** One name per title, in order; a name already taken gets -2, -3 and so on. */
export function nameTasks(titles: readonly NamedTitle[]): string[] {
  const taken = new Set<string>();
  const lastNumber = new Map<string, number>();
  // Written names go first, so that a derived one never pushes a written one aside.
  const names: (string | undefined)[] = titles.map(({ name }) => {
    if (name === undefined || taken.has(name)) return undefined;
    taken.add(name);
    return name;
  });
  return names.map((given, index) => {
    if (given !== undefined) return given;
    const base =
      titles[index]?.name ?? slugify(titles[index]?.title ?? "", numberedName(index + 1));
    let name = base;
    for (let n = lastNumber.get(base) ?? 2; taken.has(name); n++) {
      name = `${base}-${n}`;
      lastNumber.set(base, n + 1);
    }
    taken.add(name);
    return name;
  });
}

function numberedName(n: number): Slug {
  const name = parseSlug(`task-${n}`);
  if (name === undefined) throw new Error(`task-${n} is no slug`);
  return name;
}
