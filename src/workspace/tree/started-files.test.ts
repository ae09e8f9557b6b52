import { describe, expect, it } from "vitest";
import { wordsStarted } from "./started-files.ts";

const CHECKOUT = "/home/ada/shop";

describe("the files of a repository that git settings name as programs", () => {
  it.each([
    ["filter.x.clean", "./tools/clean.sh", ["tools/clean.sh"]],
    ["filter.x.smudge", "tools/clean.sh %f", ["tools/clean.sh"]],
    ["filter.x.process", "python3 clean.py --process", ["clean.py"]],
    [
      "filter.x.clean",
      "/home/ada/shop/tools/clean.sh",
      ["tools/clean.sh", "home/ada/shop/tools/clean.sh"],
    ],
    ["filter.x.clean", '"$(git rev-parse --show-toplevel)/tools/clean.sh" %f', ["tools/clean.sh"]],
    ["diff.x.textconv", "sh -c 'tools/show.sh \"$1\"'", ["tools/show.sh"]],
    ["merge.x.driver", "./tools/merge.sh %O %A %B", ["tools/merge.sh"]],
    ["credential.helper", "!tools/secret.sh", ["tools/secret.sh"]],
    ["gpg.ssh.program", "./tools/sign.sh", ["tools/sign.sh"]],
    ["core.sshCommand", "ssh -F tools/ssh.config", ["tools/ssh.config"]],
    ["filter.lfs.clean", "git-lfs clean -- %f", []],
    ["filter.lfs.process", "git-lfs filter-process", []],
    ["credential.helper", "store --file ../secrets", []],
    ["filter.x.clean", "/usr/bin/../bin/cat", ["usr/bin/cat"]],
    ["core.editor", "./tools/edit.sh", []],
    ["user.name", "./tools/clean.sh", []],
    ["filter.x.clean", "", []],
    ["filter.x.clean", ".git/tools/clean.sh", []],
  ])("%s = %s", (key, value, files) => {
    const found = wordsStarted([{ key, value }], CHECKOUT);
    // Words that are no files are left out where files are looked at.
    expect(found.filter((path) => path !== "git" && !path.endsWith("rev-parse"))).toEqual(files);
  });
});
