// What became of a value that a person wrote: what it means, or why it cannot be read. The reason
// follows the name of the key, as in `serve: the command is empty`.

export type ReadValue<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export function readable<T>(value: T): ReadValue<T> {
  return { ok: true, value };
}

export function unreadable(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
