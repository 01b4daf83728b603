// The question of a waiting step: the tool call with all its effects or the value, both editable; a field for
// a reason; and the two answers. The approval sheet and the inspector share it.

import { useId, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { TextArea, TextField } from "../../components/fields";
import { InvalidFields, useInvalidFields } from "../../components/invalid-fields";
import { Message } from "../../components/Message";
import { useKind } from "../../document/kinds";
import { errorMessage } from "../../ipc/client";
import type { ExpiryView, Json, StepAnswer } from "../../ipc/generated/bindings";
import { type AnswerChoice, sendAnswer, useAnswerTo, writeAnswer } from "../../runs/session/answers";
import { requestWords, useSentAnswer } from "../../runs/session/requests";
import type { Asked } from "../../runs/session/run-session";
import { useStepDetail } from "../../runs/view/step-detail";
import { answerWords } from "../../runs/words/answer-words";
import { expiryWords } from "../../runs/words/format";
import { useNow } from "../../session/clock";
import { type ToolRequest, toolRequest } from "../../trust/request";
import { useDescribedCall } from "../../trust/use-described-call";
import styles from "./AnswerForm.module.css";
import { Facts } from "./Facts";
import { RequestForm } from "./RequestForm";
import { valueText } from "./values";

export type AnswerFormProps = {
  runId: string;
  path: string;
  /** The node's kind. */
  type: string;
  /** Whether the form fills a whole sheet instead of being one part of a panel. */
  inSheet?: boolean;
  /** Sends the answer. If absent, the draft of this step is sent immediately. */
  onSend?(choice: AnswerChoice): Promise<Asked>;
};

/**
 * Returns the request as it would be sent now, with the user's edits if there are any; null if `request` is
 * null.
 */
function edited(request: ToolRequest | null, value: Json): ToolRequest | null {
  if (request === null || value === null) return request;
  return { ...request, args: value as ToolRequest["args"] };
}

export function AnswerForm({ runId, path, type, inSheet, onSend }: AnswerFormProps) {
  const id = useId();
  const loaded = useStepDetail(runId, path, "waiting");
  const { draft, comment, value, error } = useAnswerTo(runId, path);
  const branches = useKind(type)?.shape === "branching";
  const sent = useSentAnswer(runId, path);
  const [isSending, setSending] = useState(false);
  const sending = isSending || sent !== null;
  const [failure, setFailure] = useState<string | null>(null);
  const detail = loaded.state === "ready" ? loaded.detail : null;
  const asked = detail?.output ?? null;
  const original = useMemo(
    () => (branches || detail === null ? null : toolRequest(detail)),
    [branches, detail],
  );
  const request = edited(original, value);
  const described = useDescribedCall(runId, path, original, value);
  const words = answerWords(branches, detail?.question ?? null);
  // Permission for the whole run applies to new calls, not to the repetition of a call.
  const mayAllowRun = original !== null && !original.isRepeat;
  // A call that is not displayed cannot be allowed, since its effect is unknown.
  const unseen = !branches && detail === null;
  // While a field is invalid, it shows text that the call would not use.
  const [invalid, reportInvalid] = useInvalidFields();
  const isHeld = error !== null || unseen || invalid.length > 0 || !described.isCurrent;
  const send = async (approved: boolean, scope: StepAnswer["scope"] = "once") => {
    if (approved && isHeld) return;
    setSending(true);
    setFailure(null);
    try {
      const choice = { approved, isCall: !branches, scope };
      const asked = await (onSend?.(choice) ?? sendAnswer(runId, path, choice));
      // A sent answer stays pending until a worker acts on it. Otherwise the form disappears immediately.
      if (asked === "sent") setSending(false);
    } catch (error) {
      setFailure(errorMessage(error));
      setSending(false);
    }
  };
  const change = (args: ToolRequest["args"]) => {
    const isSame = JSON.stringify(args) === JSON.stringify(original?.args);
    writeAnswer(runId, path, { value: isSame ? null : args });
  };
  return (
    <>
      <div className={classes(styles.request, inSheet && styles.inSheet)} data-testid="answer-request">
        {loaded.state === "failed" && (
          <p className={formStyles.fieldError} role="alert">
            The question could not be read: <Message text={loaded.message} />
          </p>
        )}
        {original !== null && request !== null && (
          <>
            <Facts facts={[{ label: "Tool", values: [request.tool] }, ...described.facts]} />
            {described.problem !== null && (
              <p className={formStyles.fieldError} role="alert">
                The call would fail: <Message text={described.problem} />
              </p>
            )}
            <InvalidFields.Provider value={reportInvalid}>
              <RequestForm request={request} original={original.args} onChange={change} />
            </InvalidFields.Provider>
          </>
        )}
        {original === null && asked !== null && (
          <>
            <label htmlFor={`${id}-value`}>{branches ? "Value (editable)" : "Input"}</label>
            {branches ? (
              <TextArea
                id={`${id}-value`}
                rows={5}
                mono={typeof asked !== "string"}
                invalid={error !== null}
                value={draft ?? valueText(asked)}
                onChange={(typed) => writeAnswer(runId, path, { draft: typed, ...readEdit(asked, typed) })}
              />
            ) : (
              <output id={`${id}-value`} className={styles.value}>
                {valueText(asked)}
              </output>
            )}
            {error !== null && <p className={formStyles.fieldError}>{error}</p>}
          </>
        )}
      </div>
      {detail?.expires && <Expires expires={detail.expires} />}
      <label htmlFor={`${id}-comment`}>{words.comment}</label>
      <TextField
        id={`${id}-comment`}
        wide
        placeholder="optional"
        value={comment}
        onChange={(typed) => writeAnswer(runId, path, { comment: typed })}
      />
      {failure !== null && (
        <p className={formStyles.fieldError} role="alert">
          {failure}
        </p>
      )}
      {invalid.length > 0 && (
        <p className={formStyles.fieldError} id={`${id}-invalid`}>
          Correct {invalid.map((title) => `“${title}”`).join(" and ")} before you allow the call.
        </p>
      )}
      <div className={classes(styles.answers, inSheet && styles.inSheet, "row")}>
        <Button
          variant="primary"
          icon="check"
          disabled={sending || isHeld}
          aria-describedby={invalid.length > 0 ? `${id}-invalid` : undefined}
          data-testid="approve"
          onClick={() => void send(true)}
        >
          {sent?.approved === true ? requestWords(sent) : words.yes}
        </Button>
        {mayAllowRun && (
          <Button
            disabled={sending || isHeld}
            aria-describedby={`${id}-run`}
            data-testid="approve-run"
            onClick={() => void send(true, "run")}
          >
            Allow for this run
          </Button>
        )}
        <Button disabled={sending} data-testid="reject" onClick={() => void send(false)}>
          {sent?.approved === false ? requestWords(sent) : words.no}
        </Button>
      </div>
      {mayAllowRun && (
        <p className={formStyles.hint} id={`${id}-run`}>
          “Allow for this run” lets this node use <code>{original.tool}</code> again without asking until the
          run ends, as long as the destination is the same.
        </p>
      )}
    </>
  );
}

/**
 * Parses the edited value as the type of the original. `value` is null if the value is unchanged or invalid;
 * `error` says why it is invalid.
 */
export function readEdit(before: Json, draft: string | null): { value: Json; error: string | null } {
  if (draft === null || draft === valueText(before)) return { value: null, error: null };
  if (typeof before === "string") return { value: draft, error: null };
  try {
    return { value: JSON.parse(draft), error: null };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { value: null, error: `The value must be valid JSON: ${why}` };
  }
}

/** Shows when the question expires, and whether it is then approved or denied. */
function Expires({ expires: { at, approves } }: { expires: ExpiryView }) {
  const now = useNow("panel", true);
  return (
    <p className={formStyles.hint} data-testid="answer-expires">
      {expiryWords(Date.parse(at), approves, now)}
    </p>
  );
}
