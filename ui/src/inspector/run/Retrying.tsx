// The failure of the last attempt while a step is retried, and the notice of an answer without progress.
import { AskAgain } from "../../canvas/card/AskAgain";
import { Message } from "../../components/Message";
import { codeWords } from "../../kernels/typeset";
import type { FailedAttempt, Silence, Step } from "../../runs/fold/model";
import { retryWords, silenceWords } from "../../runs/words/format";
import { useNow } from "../../session/clock";

export function Retrying({ step, retried }: { step: Step; retried: FailedAttempt }) {
  const now = useNow("panel", true);
  return (
    <div className="run-message warn">
      <span>
        <b>{retryWords(step.attempts, retried, now)}</b>, after {codeWords(retried.code)}.{" "}
        <Message text={retried.message} />
      </span>
    </div>
  );
}

/** An answer that makes no progress, with the time it is waited for. */
export function Silent({ id, silence }: { id: string; silence: Silence }) {
  const now = useNow("panel", true);
  return (
    <div className="run-message warn" role="status">
      <span>{silenceWords(silence, now)}.</span>
      <AskAgain id={id} />
    </div>
  );
}
