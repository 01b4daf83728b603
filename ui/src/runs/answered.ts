// Two people may answer the same question of a run in a shared store. One answer is taken; whoever gave the other is told.
import { useSession } from "../session/session";
import type { RunRequest } from "./requests";

/** Somebody else answered a question that this window shows. */
export function tellAnswered(title: string): void {
  useSession.getState().toast({
    tone: "info",
    stays: true,
    title: "It is answered already",
    detail: `Somebody else answered “${title}”. The run continues with that answer.`,
  });
}

/** The branches of a question. An answer that led to the other one was not this window's. */
export function tellOtherAnswer(
  title: string,
  { approved }: Pick<RunRequest, "approved">,
  branch: string | null,
): void {
  if (branch === "approved" ? approved === false : branch === "rejected" && approved === true)
    tellAnswered(title);
}
