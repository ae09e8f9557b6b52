import { describe, expect, test } from "vitest";
import { hasCredentials, shownAddress } from "./shown-address.ts";

describe("an address that is shown", () => {
  test.each([
    ["http://ada:secret@host:80/a?b=c#d", "http://[redacted]@host:80/a?b=c#d"],
    ["https://token@host", "https://[redacted]@host"],
    ["http://a:p@ss@host/x", "http://[redacted]@host/x"],
  ])("%s has no credentials left", (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
    expect(hasCredentials(address)).toBe(true);
  });

  test.each(["http://host/@user", "https://host?mail=a@b.c", "http://host#a@b"])(
    "%s has none to lose",
    (address) => {
      expect(shownAddress(address)).toBe(address);
      expect(hasCredentials(address)).toBe(false);
    },
  );
});
