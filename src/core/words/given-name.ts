// Whether a person named a task. A name that Stint made of the title says nothing that the title does not say.
import { parseSlug, slugify, type Slug } from "../ids.ts";
import type { Task } from "../schema/task.ts";

/** What a title without Latin letters and digits is named by, with its number. */
const WITHOUT_LETTERS = parseSlug("task") as Slug;

/** The name that stands in the manifest before the title; null where Stint derived it. */
export function givenName({ name, title }: Pick<Task, "name" | "title">): string | null {
  const derived = slugify(title, WITHOUT_LETTERS);
  const more = name.startsWith(derived) ? name.slice(derived.length) : null;
  return more !== null && /^(?:-\d+)*$/.test(more) ? null : name;
}
