// Git that answers nothing, fails, or cannot read: at any command of a run, and at any read of one. Nothing
// is called done that is not, no commit loses a file, nothing of the person's is another; the run says in
// three lines what happened and what to do, and the next one goes on from there.
import { afterAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { DeliveredScene } from "../support/delivered-scene.ts";
import { LANES, toTheEnd } from "../support/kill-each.ts";
import { evenly } from "../support/kill-window.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  canTrace,
  type SystemCall,
  type Trouble,
  type TroubledGit,
  troubledGit,
} from "../support/troubled-git.ts";

const LONG_MS = 1_800_000;
const SAMPLE = 3;
const ERRORS = ["EIO", "EACCES", "EMFILE"];
const folder = temporaryFolder();

afterAll(() => folder.remove());

interface Fault {
  readonly trouble: Trouble;
  readonly where: string;
}

async function counted(what: "none" | "trace"): Promise<TroubledGit> {
  const whole = new DeliveredScene(folder.path);
  const git = troubledGit(whole.base, { what });
  expect(await whole.run(git).ended).toMatchObject({ code: 0, stderr: "" });
  expect(whole.broken()).toEqual([]);
  return git;
}

async function tryEach(faults: readonly Fault[]): Promise<void> {
  const failures: string[] = [];
  await inParallel(evenly(faults.length, SAMPLE), LANES, async (index) => {
    const fault = faults[index];
    if (fault === undefined) return;
    const broken = await brokenBy(fault.trouble);
    if (broken.length > 0) failures.push(`${fault.where}: ${broken.join("; ")}`);
  });
  expect(failures).toEqual([]);
}

async function brokenBy(trouble: Trouble): Promise<string[]> {
  const scene = new DeliveredScene(folder.path);
  try {
    const { code, signal, stderr } = await scene.run(troubledGit(scene.base, trouble)).ended;
    const then = [
      ...(signal === null ? [] : [`it died by ${signal}`]),
      ...scene.lostFiles(),
      ...(code === 0 ? falseDone(scene) : unhelpful(stderr, code)),
    ];
    await toTheEnd(scene);
    return [...then, ...scene.broken().map((what) => `in the end: ${what}`)];
  } catch (error) {
    return [String(error)];
  } finally {
    scene.remove();
  }
}

function falseDone(scene: DeliveredScene): string[] {
  return scene.isTrueInClone() ? [] : ["it says done, and a clone fails the check"];
}

/** What happened, with what git said, and what to do: never a trace of the program. */
function unhelpful(stderr: string, code: number | null): string[] {
  const lines = stderr.trimEnd().split("\n");
  if (code === 3 || code === 4) return [];
  const isSaid = lines[0]?.startsWith("stint: ") === true && lines.length >= 2 && lines.length <= 3;
  return isSaid ? [] : [`exit ${code} says: ${stderr}`];
}

describe("S3 git in trouble", () => {
  it.each(["empty", "fails"])(
    "a command that does what is called %s",
    async (what) => {
      const commands = (await counted("none")).commands();
      expect(commands.length).toBeGreaterThan(25);
      await tryEach(
        commands.map((command, index) => ({
          trouble: { at: index + 1, what },
          where: `git ${command} ${what}`,
        })),
      );
    },
    LONG_MS,
  );

  it.skipIf(!canTrace)(
    "a read that fails",
    async () => {
      const git = await counted("trace");
      const faults = git.commands().flatMap((command, index) =>
        git
          .calls(index + 1)
          .filter(isReadOfRepository)
          .map(({ name, number, line }, at) => {
            const error = ERRORS[(index + at) % ERRORS.length];
            return {
              trouble: { at: index + 1, what: `error:${name}:${number}:${error}` },
              where: `${error} of ${line} in git ${command}`,
            };
          }),
      );
      expect(faults.length).toBeGreaterThan(300);
      await tryEach(faults);
    },
    LONG_MS,
  );
});

/** Opens, looks and listings that find something; those of the linker and of settings are no concern. */
function isReadOfRepository({ line }: SystemCall): boolean {
  if (!/^(?:openat|newfstatat|lstat|stat|access)\(/.test(line) || / = -1 /.test(line)) return false;
  return line.includes(folder.path) || /"(?!\/)[^"]*"/.test(line);
}
