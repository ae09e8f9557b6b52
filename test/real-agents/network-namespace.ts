// A network of its own with nothing but loopback, as a wrapper around a command. Names are found in a file of its own,
// which takes the place of /etc/hosts there and nowhere else.
import { spawnSync } from "node:child_process";

export type Wrapper = { readonly words: readonly string[] } | { readonly why: string };

/** The variable that names the file of names. */
export const OWN_HOSTS = "STINT_AGENTS_HOSTS";

const SET_UP = `ip link set lo up && { [ -z "$${OWN_HOSTS}" ] || mount --bind "$${OWN_HOSTS}" /etc/hosts; }`;
const WITH_LOOPBACK = ["sh", "-c", `${SET_UP} && exec "$@"`, "sh"];
/** An ordinary user stays one: the right to bring it up is given back at once. */
const WITHOUT_RIGHTS = ["setpriv", "--inh-caps=-all", "--ambient-caps=-all", "--"];

/** Whether it works is tried: containers and distributions forbid namespaces in many ways. */
export function onlyLoopback(): Wrapper {
  if (process.platform !== "linux") return { why: "they exist on Linux only" };
  const ofRoot = ["unshare", "--net", "--mount", "--", ...WITH_LOOPBACK];
  const user = ["unshare", "--user", "--net", "--mount"];
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
