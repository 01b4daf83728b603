// The message about concurrent answers. When two people answer the same question of a run in a shared store,
// one answer is accepted and the other person is notified.
import { useSession } from "../../session/session";

/** Shows a notification that someone else answered a question shown in this window. */
export function tellAnswered(title: string): void {
  useSession.getState().toast({
    tone: "info",
    stays: true,
    title: "The question is already answered",
    detail: `Somebody else answered “${title}”. The run continues with that answer.`,
  });
}
