// A value is a command only when it is one whole code span, by CommonMark's rules: as many
// backticks at the end as at the start, none of that length between, one space of padding dropped.

/** The content of the code span that makes up the whole value, if it does. */
export function wholeCodeSpan(value: string): string | undefined {
  const fence = /^`+/.exec(value)?.[0];
  if (fence === undefined || value.length <= 2 * fence.length) return undefined;
  for (const run of value.slice(fence.length).matchAll(/`+/g)) {
    if (run[0].length !== fence.length) continue;
    const end = fence.length + run.index;
    if (end + fence.length !== value.length) return undefined;
    const content = unpadded(value.slice(fence.length, end).replace(/\r\n|\n|\r/g, " "));
    return content.trim() === "" ? undefined : content;
  }
  return undefined;
}

function unpadded(content: string): string {
  const isPadded = content.startsWith(" ") && content.endsWith(" ") && content.trim() !== "";
  return isPadded ? content.slice(1, -1) : content;
}
