// `deliver:` says whether verified work goes into the branch that the project was started on by itself, `push:`
// whether it leaves the machine by itself. In one sentence: into that branch, unless it is the shared default
// branch of a remote.

export const DELIVER_MODES = ["auto", "checkout", "branch", "ask"] as const;
export type DeliverMode = (typeof DELIVER_MODES)[number];

/** What is known of the branch that the work belongs to. */
export interface TargetFacts {
  /** Without refs/heads/; null: the project was started on no branch. */
  readonly branch: string | null;
  /** The remote of its upstream; null where it has none. */
  readonly upstreamRemote: string | null;
  /** By remote, the branch that its `HEAD` names. */
  readonly remoteDefaults: ReadonlyMap<string, string>;
}

export type DeliveryChoice =
  /** Verified work goes there by itself. */
  | { readonly kind: "deliver" }
  /** It stays on its own branch until a person brings it in. */
  | { readonly kind: "wait"; readonly why: string }
  /** A person is asked once, when nothing else is left to do. */
  | { readonly kind: "ask" };

export function chooseDelivery(mode: DeliverMode, target: TargetFacts): DeliveryChoice {
  if (target.branch === null) {
    return { kind: "wait", why: "the checkout was on no branch when the work began" };
  }
  switch (mode) {
    case "checkout":
      return { kind: "deliver" };
    case "ask":
      return { kind: "ask" };
    case "branch":
      return { kind: "wait", why: "deliver: branch is set" };
    case "auto": {
      const why = whyShared(target);
      return why === null ? { kind: "deliver" } : { kind: "wait", why };
    }
    default:
      return mode satisfies never;
  }
}

/** Names that a default branch has where no remote says which it is. */
const USUAL = new Set(["main", "master", "trunk"]);

/** Why others build on the branch too; null where nothing says so. */
function whyShared({ branch, upstreamRemote, remoteDefaults }: TargetFacts): string | null {
  const asked =
    upstreamRemote ?? (remoteDefaults.has("origin") ? "origin" : [...remoteDefaults.keys()][0]);
  const named = asked === undefined ? undefined : remoteDefaults.get(asked);
  if (named !== undefined) {
    return named === branch ? `${branch} is the shared default branch of ${asked}` : null;
  }
  return upstreamRemote !== null && USUAL.has(branch ?? "")
    ? `${branch} is shared through ${upstreamRemote}, and its name is that of a default branch`
    : null;
}

export interface WorkPlaces {
  /** The branch that the work belongs to; null where there is none. */
  readonly target: string | null;
  /** Its own, as `stint/<slug>`. */
  readonly own: string;
  readonly project: string;
}

/** What brings waiting work in; where it belongs to no branch, a person names one. */
export function deliverCommand({ target, project }: Omit<WorkPlaces, "own">): string {
  return `stint deliver ${project}${target === null ? " --into <branch>" : ""}`;
}

/** Where verified work will be, in one sentence, for whoever is about to start it. */
export function whereWorkGoes(choice: DeliveryChoice, places: WorkPlaces): string {
  const { target, own } = places;
  switch (choice.kind) {
    case "deliver":
      return `verified work goes to ${target}`;
    case "wait":
      return `verified work waits on ${own}, because ${choice.why}; bring it in: ${deliverCommand(places)}`;
    case "ask":
      return `verified work waits on ${own}; you are asked at the end, before it goes to ${target}`;
    default:
      return choice satisfies never;
  }
}

/** `default`: nobody wrote anything. It is `auto`, but you are asked about a new branch. */
export type PushPolicy = "default" | "auto" | "ask" | "never";
