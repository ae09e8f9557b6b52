// What the front matter says of the workspace, typed. Values that cannot be read were reported when
// the manifest was, and are passed over here.
import { type Bring, readBring } from "../core/written/bring.ts";
import { readDir } from "../core/written/path-below.ts";
import type { ReadValue } from "../core/written/read-value.ts";
import { readServe, type Serve } from "../core/written/serve.ts";
import { readSetup } from "../core/written/setup.ts";
import { readWorkspaceWord, type WorkspaceWish } from "../core/written/workspace-choice.ts";

export interface WorkspaceSettings {
  readonly workspace?: WorkspaceWish;
  readonly bring?: Bring;
  readonly setup?: readonly string[];
  readonly serve?: Serve;
  /** Below the root, as a plain path. */
  readonly dir?: string;
}

/** Of front matter, or of the settings of a repository: both say these things in the same words. */
export function workspaceSettings(written: Readonly<Record<string, unknown>>): WorkspaceSettings {
  return {
    ...wishIn(written["workspace"]),
    ...valueOf("bring", readBring, written["bring"]),
    ...valueOf("setup", readSetup, written["setup"]),
    ...valueOf("serve", readServe, written["serve"]),
    ...valueOf("dir", readDir, written["dir"]),
  };
}

/** Every command that is executed for the workspace itself, in the order in which they start. */
export function workspaceCommands({
  setup = [],
  serve,
}: {
  readonly setup?: readonly string[];
  readonly serve?: Serve | undefined;
}): string[] {
  return [...setup, ...(serve === undefined ? [] : [serve.command])];
}

function wishIn(written: unknown): Pick<WorkspaceSettings, "workspace"> {
  const word = readWorkspaceWord(written);
  if (word.ok) return { workspace: { kind: word.value } };
  return typeof written === "object" && written !== null
    ? { workspace: written satisfies WorkspaceWish }
    : {};
}

function valueOf<K extends string, T>(
  key: K,
  read: (value: unknown) => ReadValue<T>,
  written: unknown,
): { readonly [name in K]?: T } {
  const judged = written === undefined ? undefined : read(written);
  if (judged?.ok !== true) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key widens to string
  return { [key]: judged.value } as { readonly [name in K]?: T };
}
