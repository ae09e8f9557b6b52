// Keeps the beginning and the end of a text and counts what was between them.

export class HeadAndTail {
  readonly #half: number;
  #head = "";
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #cutBytes = 0;

  constructor(maxBytes: number) {
    this.#half = Math.floor(maxBytes / 2);
  }

  push(text: string): void {
    const bytes = Buffer.from(text, "utf8");
    const room = this.#half - this.#headBytes;
    // Whole pieces only, so that no character is cut in the head.
    if (bytes.length <= room && this.#tail.length === 0) {
      this.#head += text;
      this.#headBytes += bytes.length;
      return;
    }
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    this.#shorten();
  }

  get text(): string {
    const tail = Buffer.concat(this.#tail);
    // A character that the cut halved begins with bytes that continue nothing.
    let from = 0;
    while (this.#cutBytes > 0 && from < tail.length && ((tail[from] ?? 0) & 0xc0) === 0x80) from++;
    const cut = this.#cutBytes + from;
    const note = cut > 0 ? `[stint: ${cut} bytes cut here]\n` : "";
    return `${this.#head}${note}${tail.toString("utf8", from)}`;
  }

  #shorten(): void {
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      const excess = this.#tailBytes - this.#half;
      if (excess <= 0) return;
      const cut = Math.min(excess, first.length);
      if (cut === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(cut);
      this.#tailBytes -= cut;
      this.#cutBytes += cut;
    }
  }
}
