// Why this system lets an ordinary user make no namespace, where it says so, and what allows it again.
import { readFileSync } from "node:fs";

export interface NamespaceRefusal {
  readonly why: string;
  readonly fix: string;
}

interface Switch extends NamespaceRefusal {
  readonly file: string;
  readonly off: string;
}

/** Files that a distribution sets to forbid it; the first that does is told. */
const SWITCHES: readonly Switch[] = [
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    off: "1",
    why: "AppArmor denies user namespaces to programs without a profile, as on Ubuntu since 24.04 (kernel.apparmor_restrict_unprivileged_userns is 1)",
    fix: "allow bubblewrap alone: a file /etc/apparmor.d/bwrap with `abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }`, then: sudo apparmor_parser -r /etc/apparmor.d/bwrap; or allow all programs: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  },
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    off: "0",
    why: "the kernel denies user namespaces to ordinary users (kernel.unprivileged_userns_clone is 0)",
    fix: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
  },
  {
    file: "/proc/sys/user/max_user_namespaces",
    off: "0",
    why: "the kernel allows no user namespaces (user.max_user_namespaces is 0)",
    fix: "sudo sysctl -w user.max_user_namespaces=15000",
  },
];

/** Null where nothing known forbids it, or to root, whom these do not bind. */
export function namespaceRefusal(
  read: (file: string) => string | null = readIfThere,
  isRoot: boolean = process.getuid?.() === 0,
): NamespaceRefusal | null {
  if (isRoot) return null;
  const found = SWITCHES.find(({ file, off }) => read(file)?.trim() === off);
  return found === undefined ? null : { why: found.why, fix: found.fix };
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
