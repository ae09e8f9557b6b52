// Colours as plain functions. Without a terminal every one of them returns its text unchanged.

type Colour = (text: string) => string;

export interface Paint {
  readonly bold: Colour;
  readonly dim: Colour;
  readonly green: Colour;
  readonly yellow: Colour;
  readonly red: Colour;
  readonly cyan: Colour;
}
