// What there is to prove where the workspace went with the work: the branch that has the work by now, with all that came
// after it; else what was delivered.
import { gitLines } from "../../git/run-git.ts";
import type { Tip } from "../../workspace/workspace.ts";
import type { RunContext } from "../base/run-context.ts";
import { deliveryNow } from "../space/delivery-now.ts";

export async function deliveredTip({ holder, space }: RunContext): Promise<Tip> {
  const { entry, state } = holder;
  const now = await deliveryNow(entry.root, state);
  if (now?.kind === "delivered") {
    const words = ["rev-parse", "--verify", `refs/heads/${now.branch}^{commit}`];
    const [commit = ""] = await gitLines(entry.root, words);
    return tipAt(commit);
  }
  const { delivery } = state;
  const commit = delivery?.kind === "delivered" ? delivery.commit : null;
  return commit === null ? await space.tip() : tipAt(commit);
}

function tipAt(commit: string): Tip {
  return { commit, tree: `${commit}^{tree}` };
}
