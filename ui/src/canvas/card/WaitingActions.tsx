// The two answers to a node that waits for a person, on its card. The sheet also takes an edited value, and shows what a tool call
// would do: from the card it is only denied, or reviewed.
import { useState } from "react";
import { Message } from "../../components/Message";
import { errorMessage } from "../../ipc/client";
import { useAnswerWords } from "../../runs/answer-words";
import { sendAnswer } from "../../runs/answers";
import { runHere } from "../../runs/level";
import { useRuns } from "../../runs/store";
import { shownPath } from "../../runs/view";
import { canvasView } from "../../session/canvas-view";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { openApproval } from "../../trust/approval-sheet";
import { toolAsked } from "../../trust/request";

function questionOf(nodeId: string) {
  const run = runHere(useRuns.getState())?.state;
  const path = run ? shownPath(run, useChosenIteration.getState().chosen, nodeId) : null;
  return run && path !== null ? { runId: run.runId, path } : null;
}

async function answer(nodeId: string, approved: boolean): Promise<void> {
  const question = questionOf(nodeId);
  if (question) await sendAnswer(question.runId, question.path, approved);
}

function review(nodeId: string): void {
  const question = questionOf(nodeId);
  if (question) openApproval(question);
}

export function WaitingActions({ id, message }: { id: string; message: string | null }) {
  const [sending, setSending] = useState(false);
  const words = useAnswerWords(id);
  const isCall = toolAsked(message) !== null;
  const send = async (approved: boolean) => {
    setSending(true);
    try {
      await answer(id, approved);
      // The buttons go with the question.
      canvasView()?.focus(id);
    } catch (error) {
      setSending(false);
      useSession
        .getState()
        .toast({ tone: "error", title: "The answer was not taken", detail: errorMessage(error) });
    }
  };
  return (
    <>
      <div className="card-body">
        <Message text={message ?? "Waits for a person"} />
      </div>
      <div className="node-actions nodrag">
        <button
          type="button"
          className="action-button lead"
          disabled={sending}
          data-testid={testIds.approve(id)}
          onClick={() => (isCall ? review(id) : void send(true))}
        >
          {isCall ? "Review…" : words.yes}
        </button>
        <button
          type="button"
          className="action-button"
          disabled={sending}
          data-testid={testIds.reject(id)}
          onClick={() => void send(false)}
        >
          {words.no}
        </button>
      </div>
    </>
  );
}
