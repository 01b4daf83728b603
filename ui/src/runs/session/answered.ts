// Two people may answer the same question of a run in a shared store. One answer is taken; whoever gave the other gets a message.
import { useSession } from "../../session/session";

/** Somebody else answered a question that this window shows. */
export function tellAnswered(title: string): void {
  useSession.getState().toast({
    tone: "info",
    stays: true,
    title: "It is answered already",
    detail: `Somebody else answered “${title}”. The run continues with that answer.`,
  });
}
