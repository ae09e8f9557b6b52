// Places below a folder where something else is mounted. Removing such a folder would remove what is
// mounted there, and a bind mount cannot be told from a folder by looking at it.
import { readFileSync } from "node:fs";

export function mountsBelow(folder: string): readonly string[] {
  return mountPoints().filter((point) => point === folder || point.startsWith(`${folder}/`));
}

/** Empty where the system does not tell, as on macOS. */
function mountPoints(): string[] {
  let text: string;
  try {
    text = readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const point = line.split(" ")[4];
    return point === undefined ? [] : unescaped(point);
  });
}

/** Blanks and the like are written as three octal digits. */
function unescaped(text: string): string {
  const bytes = text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return bytes;
}
