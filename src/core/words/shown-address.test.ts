import { describe, expect, test } from "vitest";
import { filledAddress, hasCredentials, shownAddress } from "./shown-address.ts";

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

describe("an address with a variable in place of a password", () => {
  const read = (name: string): string | undefined => ({ WHO: "ada", PASSWORD: "p@ss/1$WHO" })[name];

  test.each([
    ["http://ada:$PASSWORD@host/a?b=$WHO", "http://ada:p%40ss%2F1%24WHO@host/a?b=$WHO"],
    ["https://$WHO@host", "https://ada@host"],
    ["http://host/$WHO", "http://host/$WHO"],
  ])("%s is filled where it is read, and nowhere else", (address, url) => {
    expect(filledAddress(address, read)).toEqual({ ok: true, url });
    expect(hasCredentials(address)).toBe(false);
  });

  test("is not called while the variable is not set", () => {
    expect(filledAddress("http://ada:$NONE@host", read)).toEqual({ ok: false, missing: "NONE" });
  });

  test.each(["http://$WHO:secret@host", "http://ada:x$PASSWORD@host"])(
    "%s has one all the same",
    (address) => {
      expect(hasCredentials(address)).toBe(true);
    },
  );
});
