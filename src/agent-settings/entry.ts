// What is found of Stint in the settings of an agent.

export type Look =
  | { readonly state: "absent" | "current" }
  /** There is an entry of this name, and it is not what Stint writes. */
  | { readonly state: "edited" }
  /** The agent itself may not be able to read it. */
  | { readonly state: "unreadable"; readonly why: string };
