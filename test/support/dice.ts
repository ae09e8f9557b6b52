// Randomness that repeats: the same seed gives the same story.

export interface Dice {
  /** A number from 0 up to and without `sides`. */
  roll(sides: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  bytes(count: number): Uint8Array;
}

/** The generator known as mulberry32: 32 bits of state, ample for choosing what happens next. */
export function seededDice(seed: number): Dice {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const roll = (sides: number): number => Math.floor(next() * sides);
  return {
    roll,
    pick: (items) => items[roll(items.length)] ?? items[0],
    bytes: (count) => Uint8Array.from({ length: count }, () => roll(256)),
  };
}
