// The version in what a program prints about itself, such as `codex-cli 0.166.0`.

export function versionIn(stdout: string): string | null {
  return /\b\d+\.\d+\.\d+(?:-[\w.]*\w)?/.exec(stdout)?.[0] ?? null;
}
