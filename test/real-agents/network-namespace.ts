// A network of its own with nothing but loopback, as a wrapper around a command.
import { spawnSync } from "node:child_process";

export type Wrapper = { readonly words: readonly string[] } | { readonly why: string };

const WITH_LOOPBACK = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** Whether it works is tried: containers and distributions forbid namespaces in many ways. */
export function onlyLoopback(): Wrapper {
  if (process.platform !== "linux") return { why: "they exist on Linux only" };
  const plain = ["unshare", "--net", "--"];
  const mapped = ["unshare", "--user", "--map-root-user", "--net", "--"];
  const order = process.getuid?.() === 0 ? [plain, mapped] : [mapped];
  let why = "";
  for (const unshare of order) {
    const words = [...unshare, ...WITH_LOOPBACK];
    const [first = "", ...rest] = words;
    const { status, stderr, error } = spawnSync(first, [...rest, "true"], { encoding: "utf8" });
    if (status === 0) return { words };
    why = error?.message ?? stderr.trim();
  }
  return { why };
}
