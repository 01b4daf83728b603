// While a step is retried, shows why its last attempt failed. If an answer makes no progress, says so.
import { AskAgain } from "../../canvas/card/AskAgain";
import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import messageStyles from "../../components/RunMessage.module.css";
import { codeWords } from "../../kernels/typeset";
import type { FailedAttempt, Silence, Step } from "../../runs/fold/model";
import { retryWords, silenceWords } from "../../runs/words/format";
import { useNow } from "../../session/clock";

export function Retrying({ step, retried }: { step: Step; retried: FailedAttempt }) {
  const now = useNow("panel", true);
  return (
    <div className={classes(messageStyles.message, messageStyles.warn)} data-testid="retrying">
      <span>
        <b>{retryWords(step.attempts, retried, now)}</b>, after {codeWords(retried.code)}.{" "}
        <Message text={retried.message} />
      </span>
    </div>
  );
}

/** Shows that an answer makes no progress, and how long the step has waited for it. */
export function Silent({ id, silence }: { id: string; silence: Silence }) {
  const now = useNow("panel", true);
  return (
    <div className={classes(messageStyles.message, messageStyles.warn)} role="status">
      <span>{silenceWords(silence, now)}.</span>
      <AskAgain id={id} />
    </div>
  );
}
