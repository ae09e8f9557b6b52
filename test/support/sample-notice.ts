import { notice, type Notice } from "../../src/core/schema/notice.ts";

export function sampleNotice(change: Partial<Notice> = {}): Notice {
  return notice.parse({
    id: "p-0123456789-7",
    kind: "done",
    project: "p-0123456789",
    slug: "hello",
    revision: 7,
    at: "2026-01-01T00:00:00.000Z",
    title: "Done: hello",
    text: "every task is done: Say hello.",
    next: "stint verify p-0123456789",
    ...change,
  });
}
