// The refs that a workspace keeps in the person's repository, each written only over the value it knows.
import { checked } from "../../git/refs.ts";
import type { PersonRepository } from "../repository/person-repository.ts";
import type { WorkspaceOptions } from "../repository/workspace-options.ts";

export interface OwnRefs {
  /** Where the work started: without it, an amended start could be collected. */
  readonly base: string;
  /** The last verified commit. */
  readonly tip: string;
  /** The same, for a person: `stint/<slug>`. */
  readonly branch: string;
}

export function ownRefs({ project, slug }: WorkspaceOptions): OwnRefs {
  return {
    base: checked(`refs/stint/${project}/base`),
    tip: checked(`refs/stint/${project}/tip`),
    branch: `refs/heads/stint/${slug}`,
  };
}

export interface RefMove {
  readonly ref: string;
  /** Null removes it. */
  readonly to: string | null;
  /** Null: it must not be there yet. Undefined: whatever is there. */
  readonly from?: string | null;
}

/** All of them or none. */
export async function moveRefs(
  { git }: PersonRepository,
  moves: readonly RefMove[],
): Promise<void> {
  if (moves.length === 0) return;
  await git.run(["update-ref", "-m", "stint", "--stdin"], {
    input: moves.map(instruction).join(""),
  });
}

function instruction({ ref, to, from }: RefMove): string {
  const old = from === undefined ? "" : ` ${from ?? "0".repeat(to?.length ?? 40)}`;
  return to === null ? `delete ${ref}${old}\n` : `update ${ref} ${to}${old}\n`;
}

export async function isAncestor(
  { git, commits }: PersonRepository,
  older: string,
  younger: string,
): Promise<boolean> {
  if (older === younger || commits.get(younger)?.parents.includes(older) === true) return true;
  const args = ["merge-base", "--is-ancestor", older, younger];
  return (await git.run(args, { accept: [0, 1] })).code === 0;
}
