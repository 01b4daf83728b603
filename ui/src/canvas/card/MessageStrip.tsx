// The first problem of a node, along its lower edge; the rest are in the problems panel.
import { Icon } from "../../components/Icon";
import type { Problem } from "../../ipc/generated/bindings";
import { useSession } from "../../session/session";

/** A strip has room for a few words: the message up to its first stop. */
export const firstSentence = (message: string): string => /^.*?[.!?](?=\s|$)/.exec(message)?.[0] ?? message;

export function MessageStrip({ problems }: { problems: Problem[] }) {
  const problem = problems.find((p) => p.severity === "error") ?? problems[0];
  if (!problem) return null;
  const warning = problem.severity === "warning";
  return (
    <button
      type="button"
      className={`nodemsg nodrag${warning ? " warn" : ""}`}
      title={problem.message}
      onClick={() => useSession.getState().openDock("problems")}
    >
      <Icon name={warning ? "triangle-alert" : "circle-alert"} size={13} />
      <span>{firstSentence(problem.message)}</span>
    </button>
  );
}
