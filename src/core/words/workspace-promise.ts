// What a kind of workspace promises under an isolation, and which promises do not hold, for a person.

export interface WorkspaceFacts {
  readonly kind: "own-copy" | "in-place";
  /** Sessions find a copy at the path of the checkout. */
  readonly isAtCheckout: boolean;
  readonly isolation: "bwrap" | "unshare" | "group";
}

export interface WorkspacePromise {
  /** Which kind it is, in a few words. */
  readonly name: string;
  readonly holds: string;
  /** What does not hold, each a sentence without its end. */
  readonly missing: readonly string[];
}

export function workspacePromise({
  kind,
  isAtCheckout,
  isolation,
}: WorkspaceFacts): WorkspacePromise {
  const unhidden = isolation === "group" ? ["Stint's state is not hidden from sessions"] : [];
  if (kind === "in-place") {
    return {
      name: "in place",
      holds: "sessions work in the folder itself",
      missing: [
        "what you change there during a session counts as the session's work",
        "there is no delivery: a session's changes are in your files at once",
        ...unhidden,
      ],
    };
  }
  if (isAtCheckout) {
    return {
      name: "own copy at the repository's path",
      holds:
        "sessions work in a copy that they see at the path of the checkout; nothing they do there reaches your files, your index or your repository before it is verified",
      missing: [],
    };
  }
  return {
    name: "own copy at its own path",
    holds: "sessions work in a copy, and only verified work is brought to your checkout",
    missing: [
      "nothing stops a session that writes to the checkout by its absolute path",
      "tools that depend on the path of the checkout (virtual environments, an agent's memory of the project) do not find their files",
      ...unhidden,
    ],
  };
}
