// The kept JSON files of a project, read and written in one way: judged by their schema when they are read,
// and written only where they say something else than before.
import type { ProjectId } from "../../core/ids.ts";
import { judgeKept, type KeptSchema } from "../../core/json-line.ts";
import { shellWord } from "../../core/written/commands.ts";
import { StintError } from "../../core/stint-error.ts";
import type { Holder, KeptPath, Store } from "../../store/store.ts";

/** Undefined where nothing was kept. @throws state-corrupt where it cannot be trusted */
export function readKept<T>(
  store: Store,
  id: ProjectId,
  path: KeptPath,
  schema: KeptSchema<T>,
): T | undefined {
  const bytes = store.kept(id, path);
  if (bytes === undefined) return undefined;
  const judged = judgeKept(bytes.toString("utf8"), schema);
  if (judged.ok) return judged.value;
  throw damaged(store, id, path, { schema, why: judged.why });
}

/** Durable when it returns. */
export function keepRecord(holder: Holder, store: Store, path: KeptPath, value: unknown): void {
  const text = changedText(holder, store, path, value);
  if (text !== null) holder.keep(path, text);
}

/** Durable with the next revision: a loss of power before that takes it as if it had never been. */
export function keepRecordWithNext(
  holder: Holder,
  store: Store,
  path: KeptPath,
  value: unknown,
): void {
  const text = changedText(holder, store, path, value);
  if (text !== null) holder.keepWithNext(path, text);
}

function changedText(holder: Holder, store: Store, path: KeptPath, value: unknown): string | null {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const before = store.kept(holder.state.project_id, path);
  return before?.toString("utf8") === text ? null : text;
}

/** Nothing is forgotten in silence: what it says may be all that tells done from not done. */
function damaged<T>(
  store: Store,
  id: ProjectId,
  path: KeptPath,
  { schema, why }: { readonly schema: KeptSchema<T>; readonly why: string },
): StintError {
  const place = store.keptPlace(id, path);
  const whole = store
    .keptCopies(id, path)
    .find(({ bytes }) => judgeKept(bytes.toString("utf8"), schema).ok);
  const hint =
    whole === undefined
      ? `No whole copy of it is left. Put it right by hand, or give the project up: stint abandon ${id}`
      : `A copy that is whole is at ${whole.place}; look at it, put it in its place and go on: cp ${shellWord(whole.place)} ${shellWord(place)} && stint resume ${id}`;
  return new StintError("state-corrupt", `${place} is damaged: ${why}`, hint);
}
