// A network of its own with nothing but loopback, as a wrapper around a command.
import { spawnSync } from "node:child_process";

export type Wrapper = { readonly words: readonly string[] } | { readonly why: string };

const WITH_LOOPBACK = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
/** An ordinary user stays one: the right to bring it up is given back at once. */
const WITHOUT_RIGHTS = ["setpriv", "--inh-caps=-all", "--ambient-caps=-all", "--"];

/** Whether it works is tried: containers and distributions forbid namespaces in many ways. */
export function onlyLoopback(): Wrapper {
  if (process.platform !== "linux") return { why: "they exist on Linux only" };
  const ofRoot = ["unshare", "--net", "--", ...WITH_LOOPBACK];
  const user = ["unshare", "--user", "--net"];
  const ofUser = [...user, "--map-current-user", "--keep-caps", "--", ...WITH_LOOPBACK];
  const likeRoot = [...user, "--map-root-user", "--", ...WITH_LOOPBACK];
  const isRoot = process.getuid?.() === 0;
  let why = "";
  for (const words of isRoot ? [ofRoot, likeRoot] : [[...ofUser, ...WITHOUT_RIGHTS], likeRoot]) {
    const [first = "", ...rest] = words;
    const { status, stderr, error } = spawnSync(first, [...rest, "true"], { encoding: "utf8" });
    if (status === 0) return { words };
    why = error?.message ?? stderr.trim();
  }
  return { why };
}
