// A story as a person would see it: what was typed, what was said, how it ended. What differs from one
// run to the next (ids, times, digests, names) is replaced by a word.
import type { Said, Scenario } from "./scenario.ts";
import { withoutSignsOfLife } from "./signs-of-life.ts";

export class Transcript {
  readonly #scenario: Scenario;
  readonly #lines: string[] = [];

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** What a person types, with everything that is said. */
  async type(...words: string[]): Promise<Said> {
    const said = await this.#scenario.say(...words);
    this.add(words, said, () => true);
    return said;
  }

  /** A run, of which only the lines about people are told. */
  async run(...words: string[]): Promise<Said> {
    const said = await this.#scenario.say(...words);
    this.add(words, said, (line) => SAID_TO_PEOPLE.test(line));
    return said;
  }

  /** What happens beside the keyboard. */
  note(what: string): void {
    this.#lines.push(`# ${what}`);
  }

  add(words: readonly string[], said: Said, isTold: (line: string) => boolean): void {
    const typed = words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : `"${word}"`)).join(" ");
    const told = `${said.out}${said.err}`.split("\n").filter((line) => line !== "" && isTold(line));
    this.#lines.push(
      `$ stint ${typed}`,
      ...withoutSignsOfLife(told),
      `→ ${said.code ?? said.signal}`,
    );
  }

  get text(): string {
    return `\n${this.#lines.map((line) => this.#plain(line)).join("\n")}\n`;
  }

  /** Where somebody acts; a person may be called "nobody", which is a word too. */
  #named(): RegExp {
    const name = this.#scenario.person.replaceAll(/\W/g, String.raw`\$&`);
    const acts =
      "granted|denied|approved|answered|wants|skipped|accepted|abandoned|paused|reopened|stopped";
    return new RegExp(String.raw`(?<=\bby )${name}\b|\b${name}(?= (?:${acts})\b)`, "g");
  }

  #plain(line: string): string {
    return line
      .replaceAll(/\bp-[0-9a-z]{10}\b/g, "ID")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/\b\w{3} \d+ \w{3}, \d\d:\d\d\b/g, "TIME")
      .replaceAll(/\b[0-9a-f]{64}\b/g, "DIGEST")
      .replaceAll(/\b[0-9a-f]{40}\b/g, "COMMIT")
      .replaceAll(this.#scenario.path, "PLACE")
      .replaceAll(this.#named(), "ada");
  }
}

const SAID_TO_PEOPLE =
  /approv|denied|granted|^check (?:passed|failed)|^done |waits for|stint:|answer|^ {2}(?:Next|Then)|proposal|set aside|manifest:|attempt \d/;
