import { expect, it } from "vitest";
import { placeBelow, protectSettings, readShow, readWritable } from "./protect.ts";
import { cachePlaces, secretPlaces, tokenFiles, withoutTokens } from "./wall-places.ts";

it("takes what is written first, key by key, and is home where nothing is", () => {
  const written = [
    { protect: undefined, writable: "~/a" },
    { protect: "strict", writable: "~/b" },
  ];
  expect(protectSettings(...written)).toEqual({
    protect: "strict",
    writable: ["~/a"],
    show: [],
    network: "all",
  });
  expect(protectSettings()).toEqual({ protect: "home", writable: [], show: [], network: "all" });
});

it("reads a path or a list of them, as plain paths", () => {
  expect(readShow("~/./x//")).toEqual({ ok: true, value: ["~/x"] });
  expect(readWritable(["/srv/cache/", "~"])).toEqual({ ok: true, value: ["/srv/cache", "~"] });
});

it.each([
  ["x", '"x" is neither absolute nor below ~/'],
  ["~ada/x", '"~ada/x" is neither absolute nor below ~/'],
  ["~/../x", '"~/../x" contains ".."'],
  ["/a\nb", "the path contains a control character"],
  ["/", '"/" is everything; write protect: off'],
  [7, "expected a path, or a list of them, each absolute or below ~/"],
  [[], "expected a path, or a list of them, each absolute or below ~/"],
])("says why %j cannot be read", (value, reason) => {
  expect(readWritable(value)).toEqual({ ok: false, reason });
});

it("puts what is below ~/ into the home", () => {
  expect(["~", "~/x", "/x"].map((path) => placeBelow("/home/ada", path))).toEqual([
    "/home/ada",
    "/home/ada/x",
    "/x",
  ]);
  expect(placeBelow("/", "~/x")).toBe("/x");
});

it("finds caches where variables moved them", () => {
  const env = { CARGO_HOME: "/big/cargo", npm_config_cache: "relative" };
  const paths = cachePlaces("/home/ada", env).map(({ path }) => path);
  expect(paths).toContain("/big/cargo/registry");
  expect(paths).toContain("/home/ada/.npm");
  expect(paths).not.toContain("/home/ada/.cargo/registry");
});

it("hides what variables name: a list of files, and the path in an address", () => {
  const env = {
    KUBECONFIG: "/k/one:/k/two",
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/7/bus,guid=1",
    DOCKER_HOST: "unix:///d.sock",
    CONTAINER_HOST: "tcp://example.com",
  };
  const paths = secretPlaces(["/home/ada", "/root"], env, 7);
  for (const path of ["/k/one", "/k/two", "/run/user/7/bus", "/d.sock", "/run/user/7"])
    expect(paths).toContain(path);
  expect(paths).toContain("/home/ada/.ssh");
  expect(paths).toContain("/root/.ssh");
});

it("leaves out the lines of npm's settings that hold a token", () => {
  const [npm] = tokenFiles("/home/ada", {});
  if (npm === undefined) throw new Error("there is no npm");
  const text = "registry=https://r/\n//r/:_authToken=abc\n//r/:_password=x\nsave-exact=true\n";
  expect(withoutTokens(text, npm.token)).toBe("registry=https://r/\nsave-exact=true\n");
  expect(withoutTokens("registry=https://r/\n", npm.token)).toBeNull();
});
