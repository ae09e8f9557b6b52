import { describe, expect, it } from "vitest";
import { parseMarker } from "./marker.ts";
import {
  LONGEST_WORD,
  readWord,
  sessionOfName,
  whyUnsayable,
  withWords,
  wordName,
  wordText,
} from "./session-words.ts";

describe("the name of a word", () => {
  it("tells its session, and sorts in the order in which things were said", () => {
    const names = [wordName(3, 1000, "ffffffff"), wordName(3, 1001, "00000000")];
    expect(names.map(sessionOfName)).toEqual([3, 3]);
    expect(names.toSorted()).toEqual(names);
  });

  it.each([
    "d1.json",
    "s0-000000000001-ab.json",
    "s1.json",
    "s1-../x.json",
    "s1-00000000.json.tmp",
    "status.json",
  ])("%s is that of no session", (name) => {
    expect(sessionOfName(name)).toBeNull();
  });
});

describe("what can be said", () => {
  it.each([
    ["", "there is no text"],
    [" \n", "there is no text"],
    ["x".repeat(LONGEST_WORD + 1), "it is longer than 4000 characters"],
    ["a\u0000b", "it contains control characters"],
    ["\u001B[2J", "it contains control characters"],
    ["a\u009Bb", "it contains control characters"],
    ["a\rb", "it contains control characters"],
  ])("is not %j", (text, why) => {
    expect(whyUnsayable(text)).toBe(why);
  });

  it("is any other text, in lines", () => {
    expect(whyUnsayable("Größe?\r\n\tor 大?\n")).toBeNull();
  });
});

describe("a word in the inbox", () => {
  it("is read as it was written, with its seal beside it", () => {
    const word = { verb: "dispatch", text: "ci", returns: "message", look: "5m" } as const;
    expect(readWord(wordText(word, "sealed"))).toEqual({ word, seal: "sealed" });
    const whole = { verb: "propose", text: "x".repeat(9000), is_whole: true } as const;
    expect(readWord(wordText(whole, ""))).toEqual({ word: whole, seal: "" });
    expect(readWord(wordText({ verb: "done", text: "" }, "s"))).toMatchObject({ seal: "s" });
  });

  it.each([
    ["[]", "it is not a JSON object"],
    ['{"verb":"approve","text":"a1"}', "it is not a verb of a session"],
    ['{"verb":"answer","text":"q1"}', "it is not a verb of a session"],
    ['{"verb":"ask"}', "it has no text"],
    ['{"verb":"ask","text":"\\u001b[2J"}', "it contains control characters"],
    [JSON.stringify({ verb: "ask", text: "x".repeat(4001) }), "it is too long"],
    [JSON.stringify({ verb: "ask", text: "" }), "there is no text"],
  ])("is none where it is %s", (text, why) => {
    expect(readWord(text)).toBe(why);
  });
});

describe("what a session said", () => {
  const marker = (text: string) => parseMarker(Buffer.from(text));

  it("is its marker where it used no verb, and nothing where it left neither", () => {
    expect(withWords(null, [])).toBeNull();
    expect(withWords(null, [{ verb: "note", text: "x" }])).toBeNull();
    const own = marker("remaining_steps: true");
    expect(withWords(own, [{ verb: "note", text: "x" }])).toBe(own);
  });

  it("is by ask and block the same as by a marker", () => {
    const asked = withWords(null, [{ verb: "ask", text: "Which port?" }]);
    expect(asked).toEqual(marker("question: Which port?"));
    expect(withWords(null, [{ verb: "block", text: "no network" }])).toEqual(
      marker("reason: no network"),
    );
  });

  it("is by dispatch the same as delegate: in a marker, whose own word comes first", () => {
    const word = { verb: "dispatch", text: "ci", returns: "message", deadline: "3d" } as const;
    const said = marker("delegate: ci\nreturns: message\ndeadline: 3d");
    expect(withWords(null, [word])).toEqual(said);
    expect(withWords(marker("delegate: ada\nreturns: file a"), [word])?.others).toMatchObject({
      delegate: "ada",
      returns: "file a",
    });
  });

  it("is asked once, in order, and a reason is one whatever the marker says remains", () => {
    const words = [
      { verb: "ask", text: "B?" },
      { verb: "ask", text: "A?" },
      { verb: "block", text: "stuck" },
    ] as const;
    const all = withWords(marker("question: A?\nremaining_steps: false"), words);
    expect(all).toMatchObject({ questions: ["A?", "B?"], reason: "stuck", remainingSteps: null });
  });

  it("decides nothing by done", () => {
    expect(withWords(null, [{ verb: "done", text: "" }])).toEqual(marker(""));
  });
});
