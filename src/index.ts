// The library's surface; re-exports only.
export { StintError, type ErrorCode } from "./core/stint-error.ts";
