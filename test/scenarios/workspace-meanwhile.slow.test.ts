// A person who works on in the same checkout while a session is at work: whatever they do, nothing of it
// is lost, undone or taken for the session's, and the session's work comes to its end.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { git } from "../support/git.ts";
import { Meeting } from "../support/meeting.ts";
import { describeDifferences } from "../support/person-state.ts";
import { CHECK, ISOLATIONS, manifestWith, PersonScene } from "../support/person-scene.ts";

const scenes: PersonScene[] = [];
afterAll(() => scenes.forEach((scene) => scene.close()));

const isAll = process.env["STINT_ALL_HOSTILE"] === "1";

interface Person {
  /** What they do, after "a person who …". */
  readonly name: string;
  readonly act: (scene: PersonScene) => void;
  /** What the session does beside its work. */
  readonly session?: string;
  readonly check?: string;
  /** Tried in every run of the tests, not only in all of them. */
  readonly isQuick?: true;
  /** Paths that the session changes too: the checkout keeps what the person made of them. */
  readonly theirs?: readonly string[];
  /** What the delivery is meant to change, beside files. */
  readonly brings?: readonly RegExp[];
}

/** The branch that the work belongs to moves on while the person is on another. */
const BY_REFERENCE = [
  /^ref refs\/heads\/main was \w+, is \w+$/,
  /^reflog refs\/heads\/main was .*stint deliver: fast-forward\\x0a$/,
];

const PEOPLE: readonly Person[] = [
  { name: "does nothing", act: () => {} },
  {
    name: "amends the last commit",
    act: (scene) => void scene.git("commit", "-q", "--amend", "-m", "Said better"),
    isQuick: true,
  },
  {
    name: "commits a file",
    act(scene) {
      scene.put("later.txt", "later\n");
      scene.git("add", "later.txt");
      scene.git("commit", "-q", "-m", "Later", "--", "later.txt");
    },
  },
  {
    name: "stages and unstages",
    act(scene) {
      scene.git("add", "modified.txt", "mine.txt");
      scene.git("restore", "--staged", "staged.txt");
    },
  },
  {
    name: "switches to another branch",
    brings: BY_REFERENCE,
    act: (scene) => void scene.git("switch", "-q", "idea"),
  },
  {
    name: "starts a branch and commits on it",
    brings: BY_REFERENCE,
    act(scene) {
      scene.git("switch", "-q", "-c", "feature");
      scene.git("commit", "-q", "-m", "What was staged");
    },
  },
  {
    name: "stashes",
    act(scene) {
      // Git stashes nothing beside a file that is only intended to be added.
      scene.git("rm", "-q", "--cached", "planned.txt");
      scene.git("stash", "push", "-q", "--", "modified.txt");
    },
  },
  {
    name: "resets to an earlier commit",
    act: (scene) => void scene.git("reset", "-q", "--soft", "HEAD~1"),
  },
  {
    name: "pulls",
    act(scene) {
      const upstream = join(scene.outside, "upstream");
      git(scene.outside, "clone", "-q", "--no-local", scene.root, upstream);
      writeFileSync(join(upstream, "pulled.txt"), "pulled\n");
      git(upstream, "add", "pulled.txt");
      git(upstream, "commit", "-q", "-m", "By a colleague");
      scene.git("pull", "-q", "--ff-only", upstream, "main");
    },
  },
  {
    name: "writes the file that the session writes",
    act: (scene) => scene.put("hello.txt", "Hello from me\n"),
    theirs: ["hello.txt"],
    isQuick: true,
  },
  {
    name: "edits a tracked file that the session edits",
    act: (scene) => scene.put("kept.txt", "by the person\n"),
    session: "echo by the session > kept.txt",
    check: `grep -q session kept.txt && ${CHECK}`,
    theirs: ["kept.txt"],
  },
  {
    name: "removes a file that the session edits",
    act: (scene) => rmSync(join(scene.root, "kept.txt")),
    session: "echo by the session > kept.txt",
    check: `grep -q session kept.txt && ${CHECK}`,
    theirs: ["kept.txt"],
  },
  {
    name: "is in the middle of a merge",
    act(scene) {
      const tree = scene.git("rev-parse", "HEAD^{tree}").trim();
      const other = scene.git("commit-tree", "-p", "HEAD~1", "-m", "other", tree).trim();
      scene.git("restore", "--staged", "staged.txt", "planned.txt");
      scene.git("merge", "-q", "--no-commit", "--no-ff", other);
    },
  },
];

describe.concurrent.each(isAll ? ISOLATIONS : ISOLATIONS.slice(0, 1))("isolation by %s", (isolation) => {
  const people = PEOPLE.filter(({ isQuick }) => isAll || isQuick === true);

  it.for(people.map((person) => [person.name, person] as const))(
    "a person who %s during a session loses nothing",
    async ([, person], { onTestFailed }) => {
      const { act, session = ":", check = CHECK, theirs = [], brings = [] } = person;
      const scene = new PersonScene(isolation, manifestWith(check));
      scenes.push(scene);
      const before = scene.record();
      const meeting = new Meeting(scene.outside);
      const agent = scene.agent(`${session}\n${meeting.script}\necho Hello > hello.txt`);
      const untilThen: string[] = [];
      const { out, err } = await meeting.during(scene.run(agent), () => {
        untilThen.push(...describeDifferences(before, scene.record(), { slug: "prompt" }));
        act(scene);
        scene.personActed(theirs);
      });
      onTestFailed(() => void process.stderr.write(`${person.name}:\n${out}${err}\n`));
      expect({ untilThen, ...(await scene.judge(check)) }).toEqual({
        untilThen: [],
        status: "Done",
        broken: brings.map((line) => expect.stringMatching(line) as string),
      });
    },
  );
});
