import { expect, it } from "vitest";
import { namespaceRefusal } from "./namespace-refusal.ts";

const APPARMOR = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
const CLONE = "/proc/sys/kernel/unprivileged_userns_clone";

function reading(files: Record<string, string>): (file: string) => string | null {
  return (file) => files[file] ?? null;
}

it("explains a refusal by AppArmor, and what allows it", () => {
  const found = namespaceRefusal(reading({ [APPARMOR]: "1\n" }), false);
  expect(found?.why).toContain("kernel.apparmor_restrict_unprivileged_userns is 1");
  expect(found?.fix).toContain("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
});

it("names the switch of the kernel that is off, and none that is on", () => {
  const files = { [APPARMOR]: "0\n", [CLONE]: "0\n" };
  expect(namespaceRefusal(reading(files), false)?.fix).toContain("unprivileged_userns_clone=1");
  expect(namespaceRefusal(reading({ [APPARMOR]: "0\n", [CLONE]: "1\n" }), false)).toBeNull();
});

it("says nothing to root, whom these do not bind", () => {
  expect(namespaceRefusal(reading({ [APPARMOR]: "1\n" }), true)).toBeNull();
});
