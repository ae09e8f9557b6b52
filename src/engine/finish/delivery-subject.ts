// What exactly a person says yes to where they are asked about a delivery: from where to where, with the
// commits that it brings.
import { gitLines, runGit } from "../../git/run-git.ts";
import type { RunContext } from "../base/run-context.ts";

/** Commits that a question names one by one. */
const MOST_SHOWN = 50;

/** Null where there is nothing to bring, or no branch to bring it to. */
export async function deliverySubject({
  space,
  holder,
}: Pick<RunContext, "space" | "holder">): Promise<string | null> {
  const { root, slug } = holder.entry;
  const target = space.deliversTo();
  const { commit } = await space.tip();
  if (target === null || commit === null) return null;
  const ref = `refs/heads/${target}`;
  const { code, stdout } = await runGit(root, ["rev-parse", "--verify", "--quiet", ref], {
    accept: "any",
  });
  const from = code === 0 ? stdout.trim() : null;
  const range = from === null ? [commit] : [commit, "--not", from];
  const how = ["--no-show-signature", "--format=%H %s"];
  const lines = await gitLines(root, ["log", ...how, ...range]);
  if (lines.length === 0) return null;
  const more = lines.length - MOST_SHOWN;
  return [
    `deliver stint/${slug} into ${target}`,
    `from ${from ?? "no commit"} to ${commit}`,
    ...lines.slice(0, MOST_SHOWN).map((line) => line.replace(/^(.{10})\S*/, "$1")),
    ...(more > 0 ? [`and ${more} before them`] : []),
  ].join("\n");
}
