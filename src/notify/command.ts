// A program of the person's choice: its words stand in the settings, the notice comes on stdin as JSON.
// Nothing of the notice ever becomes a word or part of one.
import { type Channel, lastWords, type RunWords } from "./channel.ts";

const TIMEOUT_MS = 30_000;

export function commandChannel(words: readonly string[], run: RunWords): Channel {
  return {
    name: "command",
    describe: words.join(" "),
    async deliver(notice, signal) {
      const { exitCode, timedOut, output } = await run({
        words,
        stdin: `${JSON.stringify(notice)}\n`,
        env: {
          STINT_NOTICE: notice.kind,
          STINT_NOTICE_ID: notice.id,
          STINT_PROJECT: notice.project,
          ...(notice.quiet === true ? { STINT_NOTICE_QUIET: "1" } : {}),
        },
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      if (exitCode === 0) return;
      const how = timedOut
        ? `did not end within ${TIMEOUT_MS / 1000} s`
        : `exited with ${exitCode}`;
      throw new Error(`${words[0]} ${how}${lastWords(output)}`);
    },
  };
}
