import { describe, expect, test } from "vitest";
import { readReviewAnswer } from "./json-line.ts";

const PASS = '{"review":"n1","verdict":"pass","reasons":["every row is kept"]}';

describe("the answer of a reviewing agent", () => {
  test.each([
    PASS,
    `I looked at it.\n\n${PASS}`,
    `${PASS}\n\n`,
    `\`\`\`json\n${PASS}\n\`\`\``,
    '{"reasons":["every row is kept", 3, " "],"review":"n1","verdict":"pass","more":1}',
  ])("is read from %j", (text) => {
    expect(readReviewAnswer(text, "n1")).toEqual({
      ok: true,
      verdict: "pass",
      reasons: ["every row is kept"],
    });
  });

  test.each([
    [null, "it said nothing"],
    ["  \n", "it said nothing"],
    ["pass", "its last line is not a JSON object"],
    ["VERDICT: PASS", "its last line is not a JSON object"],
    [
      `${PASS.replace('"pass"', '"fail"')}\nOn second thought:\n${PASS}`,
      "it answers both pass and fail",
    ],
    [`${PASS}\nThat is all.`, "its last line is not a JSON object"],
    ['["pass"]', "its last line is not a JSON object"],
    [PASS.replace("n1", "n2"), "its answer does not have the number of this review"],
    [PASS.replace('"review":"n1",', ""), "its answer does not have the number of this review"],
    [PASS.replace('"pass"', '"PASS"'), 'its verdict is neither "pass" nor "fail"'],
    [PASS.replace('"pass"', "true"), 'its verdict is neither "pass" nor "fail"'],
    [PASS.replace('["every row is kept"]', "[]"), "it gave no reasons"],
    [PASS.replace('["every row is kept"]', '"good"'), "it gave no reasons"],
    [PASS.replace('["every row is kept"]', '[" "]'), "it gave no reasons"],
  ])("is none in %j", (text, why) => {
    expect(readReviewAnswer(text, "n1")).toEqual({ ok: false, why });
  });
});
