import { workspaceSuite } from "../../test/suites/workspace.testsuite.ts";

workspaceSuite("an own copy", { options: { kind: "own-copy" }, hasGit: true });
workspaceSuite("in place, in a repository", { options: { kind: "in-place" }, hasGit: true });
workspaceSuite("in place, without git", { options: { kind: "in-place" }, hasGit: false });
