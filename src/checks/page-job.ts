// What the check and the program that drives the browser say to each other: a job on stdin, an answer
// and a picture in a folder.

export interface PageWanted {
  readonly page:
    | { readonly kind: "address"; readonly url: string }
    /** A file of the work tree, relative to it. */
    | { readonly kind: "file"; readonly path: string };
  readonly sees: string;
}

export type PageShown =
  | {
      readonly kind: "shown";
      readonly isSeen: boolean;
      /** What the page shows, as text; bounded. */
      readonly text: string;
      readonly title: string;
      /** Of the answer that brought the page, where there was one. */
      readonly status: number | null;
      readonly picture: Uint8Array | null;
    }
  | { readonly kind: "not-shown"; readonly why: string }
  | { readonly kind: "unavailable"; readonly why: string; readonly hint: string };

/** Where the browser itself comes from. */
export type BrowserSource =
  | { readonly kind: "program"; readonly path: string }
  /** The npm package that holds a packed Chromium, and the folder it is unpacked to, once. */
  | { readonly kind: "package"; readonly path: string; readonly unpackTo: string }
  /** The one that Playwright itself downloaded. */
  | { readonly kind: "playwright" };

export interface PageJob extends PageWanted {
  /** The main file of playwright-core. */
  readonly driver: string;
  readonly browser: BrowserSource;
  /** Chromium cannot use its own sandbox as root. */
  readonly sandbox: boolean;
  /** Real path. */
  readonly workTree: string;
  /** Where answer and picture go, and everything the browser writes. */
  readonly folder: string;
  readonly loadMs: number;
  /** How long a page that is loaded may take to show it. */
  readonly appearMs: number;
}

/** The picture lies beside it. */
export type PageAnswer =
  | Omit<Extract<PageShown, { kind: "shown" }>, "picture">
  | Extract<PageShown, { kind: "not-shown" }>
  | { readonly kind: "no-browser"; readonly why: string };

export const ANSWER_FILE = "answer.json";
export const PICTURE_FILE = "page.png";
