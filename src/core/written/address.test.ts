import { describe, expect, test, it } from "vitest";
import { filledAddress, hasCredentials, shownAddress, isLoopback } from "./address.ts";

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

it.each([
  "http://localhost:3000/",
  "http://localhost:$STINT_PORT/health",
  "https://LOCALHOST./",
  "http://127.0.0.1",
  "http://127.1:80/",
  "http://[::1]:8080/",
  "http://0.0.0.0:8080/",
  "http://app.localhost:8080/",
  "http://ada:$PASSWORD@localhost/",
])("%s leads to this machine", (address) => {
  expect(isLoopback(address)).toBe(true);
});

it.each([
  "https://example.com/",
  "https://localhost.example.com/",
  "http://localhost@example.com/",
  "http://10.0.0.1/",
  "nothing",
])("%s does not", (address) => {
  expect(isLoopback(address)).toBe(false);
});

it("an address is called with the port of the workspace's server", () => {
  const read = (name: string) => ({ STINT_PORT: "4711", P: "s" })[name];
  expect(filledAddress("http://localhost:$STINT_PORT/a", read)).toEqual({
    ok: true,
    url: "http://localhost:4711/a",
  });
  expect(filledAddress("http://a:$P@localhost:${STINT_PORT}/", read)).toEqual({
    ok: true,
    url: "http://a:s@localhost:4711/",
  });
  expect(filledAddress("http://localhost:$STINT_PORT/", () => undefined)).toEqual({
    ok: false,
    missing: "STINT_PORT",
  });
});
