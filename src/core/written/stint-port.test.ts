import { expect, it } from "vitest";
import { filledAddress } from "../words/shown-address.ts";
import { isLoopback } from "./stint-port.ts";

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
