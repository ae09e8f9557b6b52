// The skill is installed for the person: the CLI lists it to its model, once, and brings its text along only when asked.
import type { Scenario } from "../scenario.ts";

const DESCRIPTION = "Takes work that is larger than one session to verified Done";
const BODY = "Files are the store; chat is not.";
/** This one tells its model names alone. */
const NAMES_ALONE = { cline: "Available skills: stint" } as const;

export const skillListed: Scenario = {
  name: "skill listed",
  async play(scene, findings) {
    findings.exits(await scene.stint("skills", "install", "--user"), 0, "skills install");
    findings.exits(await scene.runStint("--sessions", "1"), 1, "run");
    const words = scene.agent === "cline" ? NAMES_ALONE.cline : DESCRIPTION;
    const times = Math.max(0, ...scene.model.bodies.map((body) => body.split(words).length - 1));
    findings.expect(times === 1, `the skill was listed ${times} times in one request`);
    const isWhole = scene.model.bodies.some((body) => body.includes(BODY));
    findings.expect(!isWhole, "the text of the skill was sent unasked");
    findings.exits(await scene.stint("skills", "remove", "--user"), 0, "skills remove");
  },
};
