// While a step is retried, shows why its last attempt failed. Also shows that a model sends no data, or that
// the step waits for a quota.
import { AskAgain } from "../../canvas/card/AskAgain";
import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import messageStyles from "../../components/RunMessage.module.css";
import { codeWords } from "../../kernels/typeset";
import type { FailedAttempt, QuotaWait, Silence, Step } from "../../runs/fold/model";
import { quotaWords, retryWords, silenceWords } from "../../runs/words/format";
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

/** Shows which quota a step waits for, until when, and the provider's message. */
export function Parked({ id, parked }: { id: string; parked: QuotaWait }) {
  const now = useNow("panel", true);
  return (
    <div className={classes(messageStyles.message, messageStyles.warn)} role="status" data-testid="parked">
      <span>
        <b>{quotaWords(parked, now)}.</b> <Message text={parked.message} />
      </span>
      <AskAgain id={id} parked />
    </div>
  );
}

/** Shows how long a model has sent no data, and when the call times out. */
export function Silent({ id, silence }: { id: string; silence: Silence }) {
  const now = useNow("panel", true);
  return (
    <div className={classes(messageStyles.message, messageStyles.warn)} role="status">
      <span>{silenceWords(silence, now)}.</span>
      <AskAgain id={id} />
    </div>
  );
}
