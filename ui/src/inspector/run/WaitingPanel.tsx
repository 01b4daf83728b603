// A step that waits for a person: the question, the value that may be edited, a comment, and the two answers.
import { useId, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { TextArea, TextField } from "../../components/fields";
import { useFocusBack } from "../../components/use-focus-back";
import { errorMessage } from "../../ipc/client";
import type { Json } from "../../ipc/generated/bindings";
import { useAnswerWords } from "../../runs/answer-words";
import { sendAnswer, useAnswerTo, writeAnswer } from "../../runs/answers";
import type { Step } from "../../runs/model";
import { storeOf } from "../../runs/place";
import { requestWords, useRequest } from "../../runs/requests";
import { useStepDetail } from "../../runs/step-detail";
import { canvasView } from "../../session/canvas-view";
import { valueText } from "./values";

export function WaitingPanel({ runId, step }: { runId: string; step: Step }) {
  const id = useId();
  const loaded = useStepDetail(runId, step.path, step.status);
  const given = loaded.state === "ready" ? (Object.values(loaded.detail.inputs)[0] ?? null) : null;
  const { draft, comment, error } = useAnswerTo(runId, step.path);
  const words = useAnswerWords(step.nodeId);
  const request = useRequest(runId);
  // A worker has the answer, and has not acted on it yet.
  const sent = request?.kind === "answer" && request.path === step.path ? request : null;
  const [isSending, setSending] = useState(false);
  const sending = isSending || sent !== null;
  const [failure, setFailure] = useState<string | null>(null);
  const box = useRef<HTMLElement>(null);
  // The panel goes with the question.
  useFocusBack(box, () => canvasView()?.focus(step.nodeId));
  const send = async (approved: boolean) => {
    if (error !== null) return;
    setSending(true);
    setFailure(null);
    try {
      await sendAnswer(runId, step.path, approved);
      // A worker takes it in a while; elsewhere the panel goes at once.
      if (storeOf(runId) !== null) setSending(false);
    } catch (error) {
      setFailure(errorMessage(error));
      setSending(false);
    }
  };
  return (
    <section ref={box} className="wait-panel" aria-label="Waits for your answer" data-testid="waiting-panel">
      <b>{step.reason || "Waits for your answer"}</b>
      {given !== null && (
        <>
          <label htmlFor={`${id}-value`}>Value, which you may edit</label>
          <TextArea
            id={`${id}-value`}
            rows={5}
            mono={typeof given !== "string"}
            invalid={error !== null}
            value={draft ?? valueText(given)}
            onChange={(typed) => writeAnswer(runId, step.path, { draft: typed, ...readEdit(given, typed) })}
          />
          {error !== null && <p className="field-error">{error}</p>}
        </>
      )}
      <label htmlFor={`${id}-comment`}>Comment</label>
      <TextField
        id={`${id}-comment`}
        wide
        placeholder="optional"
        value={comment}
        onChange={(typed) => writeAnswer(runId, step.path, { comment: typed })}
      />
      {failure !== null && (
        <p className="field-error" role="alert">
          {failure}
        </p>
      )}
      <div className="row">
        <Button
          variant="primary"
          icon="check"
          disabled={sending || error !== null}
          data-testid="approve"
          onClick={() => void send(true)}
        >
          {sent?.approved === true ? requestWords(sent) : words.yes}
        </Button>
        <Button disabled={sending || error !== null} data-testid="reject" onClick={() => void send(false)}>
          {sent?.approved === false ? requestWords(sent) : words.no}
        </Button>
      </div>
    </section>
  );
}

/** The edited value in the type of the given one; null where it was left as it is. */
export function readEdit(given: Json, draft: string | null): { value: Json; error: string | null } {
  if (draft === null || draft === valueText(given)) return { value: null, error: null };
  if (typeof given === "string") return { value: draft, error: null };
  try {
    return { value: JSON.parse(draft), error: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { value: null, error: `The value is JSON, and this is not: ${why}` };
  }
}
