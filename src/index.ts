// The library's surface; re-exports only.
export { createProject } from "./core/step/manifest.ts";
export type { ProjectEvent } from "./core/events.ts";
export type { ProjectState, ProjectStatus } from "./core/schema/project.ts";
export type { Task, TaskStatus } from "./core/schema/task.ts";
export { step, type StepResult } from "./core/step/step.ts";
export { StintError, type ErrorCode } from "./core/stint-error.ts";
export { lintManifest } from "./manifest/lint/lint-manifest.ts";
export { parseManifest } from "./manifest/parse-manifest.ts";
export { projectPages } from "./report/pages.ts";
export { sha256Of } from "./store/digest.ts";
export { FileStore, type FileStoreOptions } from "./store/file-store.ts";
export { type Files, realFiles } from "./store/files.ts";
export type { Host } from "./store/host.ts";
export { MemoryShelf, MemoryStore } from "./store/memory-store.ts";
export type { Holder, Snapshot, Store } from "./store/store.ts";
export { thisHost } from "./store/host.ts";
export { openSystem } from "./wire.ts";
