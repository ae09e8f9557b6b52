import { describe, expect, it } from "vitest";
import { looksSecret } from "./changed-paths.ts";

describe("names", () => {
  it.each(
    [
      [
        ".env",
        ".ENV",
        "a/.env.local",
        "prod.env",
        "x.pem",
        "id_rsa",
        "credentials",
        "Credentials.json",
      ],
      ["secrets.yaml", "a/.ssh/config", ".npmrc", "key.p12", "service-account-1.json", "x.tfstate"],
    ].flat(),
  )("%s looks secret", (path) => expect(looksSecret(path)).toBe(true));
  it.each([".env.example", "id_rsa.pub", "src/env.ts", "keyboard.ts", "secret-paths.ts", "monkey"])(
    "%s does not look secret",
    (path) => expect(looksSecret(path)).toBe(false),
  );
});
