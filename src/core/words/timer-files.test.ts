import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  cronLine,
  launchdAgent,
  sealed,
  splitCrontab,
  systemdService,
  whoseText,
  withCronLines,
} from "./timer-files.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const ODD = `/a b/$HOME/100%/"q"/it's/\\n/<x>&`;
const command = { words: ["/usr/bin/node", ODD, "watchdog", "tick"], env: { PATH: ODD } };

describe("a command with everything in it that means something somewhere", () => {
  it("is one argument of a unit, without specifiers, variables and escapes", () => {
    const service = systemdService(command);
    expect(service).toContain(
      String.raw`ExecStart="/usr/bin/node" "/a b/$$HOME/100%%/\"q\"/it's/\\n/<x>&" "watchdog" "tick"`,
    );
    expect(service).toContain(String.raw`Environment="PATH=/a b/$HOME/100%%/\"q\"/it's/\\n/<x>&"`);
  });

  it("is text of an agent of launchd", () => {
    const agent = launchdAgent(command, "/log & more");
    expect(agent).toContain(`<string>/a b/$HOME/100%/"q"/it's/\\n/&lt;x&gt;&amp;</string>`);
    expect(agent).toContain("<string>/log &amp; more</string>");
    expect(agent).toContain("<integer>300</integer>");
  });

  it("is one word of a crontab's line, as the shell reads it", () => {
    const line = cronLine({ words: ["/usr/bin/printf", "%s", ODD], env: { PATH: "/usr/bin" } });
    expect(line.startsWith("*/5 * * * * /usr/bin/env PATH=")).toBe(true);
    expect(line).not.toMatch(/[^\\]%/);
    // Cron takes the backslash before a percent sign away and gives the rest to a shell.
    const text = line.slice("*/5 * * * * ".length).replaceAll("\\%", "%");
    expect(spawnSync("sh", ["-c", text], { encoding: "utf8" }).stdout).toBe(ODD);
  });
});

describe("a sealed text", () => {
  it.each(["#", "xml"] as const)("is Stint's own until a byte of it changes (%s)", (comment) => {
    const text = sealed("one\ntwo\n", digest, comment);
    expect(whoseText(text, digest)).toBe("own");
    expect(whoseText(text.replace("two", "too"), digest)).toBe("edited");
    expect(whoseText(`${text}three\n`, digest)).toBe("edited");
    expect(whoseText("one\ntwo\n", digest)).toBe("other");
  });

  it("stands in a crontab beside what a person has there, and leaves it as it was", () => {
    const theirs = "MAILTO=me\n0 3 * * * backup\n";
    const both = withCronLines(theirs, "ours\n");
    expect(splitCrontab(both)).toEqual({ before: theirs, own: "ours\n", after: "" });
    const more = `${both}# later\n`;
    expect(withCronLines(more, "new\n")).toContain("# later\n");
    expect(splitCrontab(withCronLines(more, "new\n")).own).toBe("new\n");
    expect(withCronLines(more, null)).toBe(`${theirs}# later\n`);
  });
});
