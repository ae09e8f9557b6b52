// `push:` says whether verified work leaves the machine by itself.

/** `default`: nobody wrote anything. It is `auto`, but a new branch is asked about. */
export type PushPolicy = "default" | "auto" | "ask" | "never";
