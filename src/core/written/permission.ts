/**
 * What a session may do. `default`: change files of the work tree, asking nobody. `read-only`: only
 * look. `dangerous`: every tool without asking.
 */
export type Permission = "default" | "read-only" | "dangerous";
