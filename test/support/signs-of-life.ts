// A run says that it is still at work when something takes longer than a second, such as a proof on a busy machine. Whether
// it does so depends on the machine, so what is compared line by line is compared without these lines.

const SIGN_OF_LIFE = /^(?:notice|stint): .+ …$/;

export function withoutSignsOfLife(lines: readonly string[]): string[] {
  return lines.filter((line) => !SIGN_OF_LIFE.test(line));
}
