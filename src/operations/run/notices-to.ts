// The notices of a run as plain words, for a verb that does one act of it and shows no run.
import type { News } from "../../core/news.ts";

export function noticesTo(tell: (text: string) => void): (news: News) => void {
  return (news) => {
    if (news.kind === "notice") tell(news.text);
  };
}
