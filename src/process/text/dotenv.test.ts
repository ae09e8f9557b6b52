import { describe, expect, it } from "vitest";
import { makeRedactor } from "./redact.ts";
import { assignmentsIn, secretsIn } from "./dotenv.ts";

describe("assignments of a file of settings", () => {
  it.each([
    ["A=1", "A", "1"],
    ["export A=1", "A", "1"],
    ["  A = two words  ", "A", "two words"],
    ['A="a \\"quote\\" and\\na line"', "A", 'a "quote" and\na line'],
    ["A='$NOT #expanded'", "A", "$NOT #expanded"],
    ["A=`back`", "A", "back"],
    ["A=value # a comment", "A", "value"],
    ["A=with#hash", "A", "with#hash"],
    ["A=", "A", ""],
    ["A=1\r", "A", "1"],
  ])("%j gives %s", (line, name, value) => {
    expect(assignmentsIn(`# first\n${line}\nB=2\n`)).toEqual([
      { name, value },
      { name: "B", value: "2" },
    ]);
  });

  it("of a quoted value over lines are one", () => {
    expect(assignmentsIn('KEY="one\ntwo"\nB=2\n')).toEqual([
      { name: "KEY", value: "one\ntwo" },
      { name: "B", value: "2" },
    ]);
  });

  it("of what is no such file are none", () => {
    expect(assignmentsIn("just words\n= x\n1A=2\n")).toEqual([]);
  });

  it.each(["A=", 'A="', "A='x", "=".repeat(8), "A=#", " #"])(
    "come to an end on a megabyte of %s",
    (piece) => {
      expect(Array.isArray(assignmentsIn(piece.repeat(1_000_000 / piece.length)))).toBe(true);
    },
  );
});

describe("a value is a secret", () => {
  it("also where it begins as a certificate does", () => {
    const value = "-----BEGIN THING\nline-one-of-it\n-----END THING";
    expect(secretsIn(`THE_KEY="${value}"\n`)).toEqual([value]);
    expect(makeRedactor({}, [value])("got line-one-of-it")).toBe("got [redacted]");
  });

  it.each([
    ["DB_PASSWORD", "hunter2"],
    ["SESSION_SECRET", "correct horse battery staple"],
    ["STRIPE", ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_")],
    ["DATABASE_URL", "postgres://app:pa55word@db.example.com/app"],
    ["ANALYTICS", "9f86d081884c7d659a2feaa0c55ad015"],
  ])("%s=%s", (name, value) => {
    expect(secretsIn(`${name}=${value}\n`)).toEqual([value]);
  });

  it.each([
    ["PORT", "3000"],
    ["NODE_ENV", "development"],
    ["API_URL", "http://localhost:8080/api"],
    ["DEBUG", "true"],
    ["APP_NAME", "my-long-application-name"],
    ["LOG_FILE", "/var/log/my-app/2026.log"],
    ["AUTH", "disabled"],
    ["SECRET_NAME", "prod/app"],
    ["API_KEY", ""],
    ["TOKEN_TTL", "3600"],
  ])("not %s=%s", (name, value) => {
    expect(secretsIn(`${name}=${value}\n`)).toEqual([]);
  });
});
