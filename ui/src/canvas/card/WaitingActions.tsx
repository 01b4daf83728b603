// The two answers on the card of a node that waits for a person. Only the sheet accepts an edited value and
// shows the effect of a tool call, so on the card a call can be denied or reviewed, but not allowed.

import { useRef, useState } from "react";
import buttonStyles from "../../components/Button.module.css";
import cardTextStyles from "../../components/CardText.module.css";
import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import { errorMessage } from "../../ipc/client";
import type { Question } from "../../ipc/generated/bindings";
import { type AnswerChoice, sendAnswer } from "../../runs/session/answers";
import { requestWords, useSentAnswer } from "../../runs/session/requests";
import type { Asked } from "../../runs/session/run-session";
import { useRuns } from "../../runs/session/store";
import { runHere } from "../../runs/view/level";
import { shownPath } from "../../runs/view/view";
import { useAnswerWords, useAsksForCall } from "../../runs/words/answer-words";
import { canvasView } from "../../session/canvas-view";
import { useChosenIteration } from "../../session/chosen-iteration";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { openApproval } from "../../trust/approval-sheet";
import { isFocusLost } from "../view/focus";
import styles from "./RunPreview.module.css";

function questionOf(nodeId: string) {
  const run = runHere(useRuns.getState())?.state;
  const path = run ? shownPath(run, useChosenIteration.getState().chosen, nodeId) : null;
  return run && path !== null ? { runId: run.runId, path } : null;
}

async function answer(nodeId: string, choice: AnswerChoice): Promise<Asked> {
  const question = questionOf(nodeId);
  return question ? sendAnswer(question.runId, question.path, choice) : "done";
}

function review(nodeId: string): void {
  const question = questionOf(nodeId);
  if (question) openApproval(question);
}

/** Returns the user's answer to the shown question while a worker has not handled it yet. */
function useSentHere(nodeId: string) {
  const choice = useChosenIteration((s) => s.chosen);
  const key = useRuns((s) => {
    const run = runHere(s)?.state;
    return run ? `${run.runId}|${shownPath(run, choice, nodeId)}` : "";
  });
  const [runId = "", path = ""] = key.split("|");
  return useSentAnswer(runId, path);
}

export type WaitingActionsProps = {
  id: string;
  /** The text of the question; null if it has no text. */
  message: string | null;
  question: Question | null;
};

export function WaitingActions({ id, message, question }: WaitingActionsProps) {
  const actions = useRef<HTMLDivElement>(null);
  const [isSending, setSending] = useState(false);
  const sent = useSentHere(id);
  const sending = isSending || sent !== null;
  const words = useAnswerWords(id, question);
  const isCall = useAsksForCall(id, question);
  const send = async (approved: boolean) => {
    setSending(true);
    try {
      // An answer sent to a worker stays pending, and `useSentHere` reports it. Any other answer makes the
      // buttons disappear.
      if ((await answer(id, { approved, isCall })) === "sent") setSending(false);
      // The buttons disappear with the question, so the card takes the focus. If the next question has opened
      // meanwhile, that question keeps the focus.
      if (isFocusLost() || actions.current?.contains(document.activeElement)) canvasView()?.focus(id);
    } catch (error) {
      setSending(false);
      useSession
        .getState()
        .toast({ tone: "error", title: "The answer was not accepted", detail: errorMessage(error) });
    }
  };
  return (
    <>
      <div className={classes(cardTextStyles.cardBody, styles.line)}>
        <Message text={message ?? "Waiting for a person"} />
      </div>
      <div ref={actions} className={classes(styles.actions, "nodrag")}>
        <button
          type="button"
          className={classes(buttonStyles.actionButton, buttonStyles.lead, styles.action)}
          disabled={sending}
          data-testid={testIds.approve(id)}
          onClick={() => (isCall ? review(id) : void send(true))}
        >
          {sent?.approved === true ? requestWords(sent) : isCall ? "Review…" : words.yes}
        </button>
        <button
          type="button"
          className={classes(buttonStyles.actionButton, styles.action)}
          disabled={sending}
          data-testid={testIds.reject(id)}
          onClick={() => void send(false)}
        >
          {sent?.approved === false ? requestWords(sent) : words.no}
        </button>
      </div>
    </>
  );
}
