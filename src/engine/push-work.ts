// Where verified work is pushed, and how: to the upstream of the branch that it was delivered to.
import { describeWorkTree } from "../git/describe-work-tree.ts";
import { type PushTarget, pushTarget, pushVerified } from "../git/push.ts";
import type { RunId } from "../core/ids.ts";
import type { StopWanted } from "./run-context.ts";
import { RUN_ID_VARIABLE } from "./run-marks.ts";
import { whileWanted } from "./while-wanted.ts";

export type PushOutcome =
  | { readonly kind: "pushed" | "not-needed" }
  /** `subject` is what exactly a person has to say yes to. */
  | { readonly kind: "ask"; readonly why: string; readonly subject: string }
  | { readonly kind: "refused"; readonly why: string }
  | {
      readonly kind: "failed";
      readonly why: string;
      readonly stderr: string;
      readonly hint: string;
    };

export interface WorkPush {
  /** What will become of verified work, told before any starts; null where none is pushed. */
  announce(): Promise<string | null>;
  /**
   * Pushes verified work to the branch's upstream. `known` are the commits of Stint; with others among
   * them, and wherever else it is to ask, it does what `isAllowed` says yes to.
   */
  push(
    commit: string,
    known: readonly string[],
    isAllowed: (subject: string) => boolean,
  ): Promise<PushOutcome>;
}

export interface PushOptions {
  readonly root: string;
  readonly policy: "auto" | "ask" | "never";
  readonly runId: RunId;
  readonly stopWanted: () => StopWanted | null;
}

export const NO_PUSH: WorkPush = {
  announce: async () => null,
  push: async () => ({ kind: "not-needed" }),
};

export function workPush({ root, policy, runId, stopWanted }: PushOptions): WorkPush {
  let known: Promise<PushTarget | null> | undefined;
  /** As it is when somebody first asks, which is before the first session. */
  const target = async (): Promise<PushTarget | null> => {
    known ??= describeWorkTree(root, { exclude: [] }).then(async (tree) =>
      tree.kind === "none" || tree.upstream === null ? null : await pushTarget(root, tree.upstream),
    );
    return await known;
  };
  return {
    async announce() {
      const to = policy === "never" ? null : await target();
      if (to === null) return null;
      const how = policy === "ask" ? "you are asked, at the end, before" : "when it is verified,";
      return `${how} work is pushed to ${to.remote}/${to.branch} (${to.url})`;
    },
    async push(commit, knownCommits, isAllowed) {
      const to = await target();
      if (to === null) return { kind: "not-needed" };
      const env = { [RUN_ID_VARIABLE]: runId };
      return await whileWanted(stopWanted, "the push", async (signal) =>
        pushVerified(root, { policy, target: to, commit, knownCommits, isAllowed, env, signal }),
      );
    },
  };
}
