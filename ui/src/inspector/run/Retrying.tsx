// What an attempt failed of, while the step is tried again.
import { Message } from "../../components/Message";
import { codeWords } from "../../kernels/typeset";
import { retryWords } from "../../runs/format";
import type { FailedAttempt, Step } from "../../runs/model";
import { useNow } from "../../session/clock";

export function Retrying({ step, retried }: { step: Step; retried: FailedAttempt }) {
  const now = useNow("panel", true);
  return (
    <div className="run-message warn">
      <span>
        <b>{retryWords(step.attempts, retried, now)}</b> after {codeWords(retried.code)}.{" "}
        <Message text={retried.message} />
      </span>
    </div>
  );
}
