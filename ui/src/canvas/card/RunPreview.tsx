// The result of a node in the shown pass, or what it waits for.

import { retryNode } from "../../commands/retry";
import buttonStyles from "../../components/Button.module.css";
import cardTextStyles from "../../components/CardText.module.css";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { Message } from "../../components/Message";
import { StreamingText } from "../../components/StreamingText";
import { tip } from "../../components/tip";
import { RETRY } from "../../inspector/run/FailureActions";
import { codeWords, firstSentence, plainMessage } from "../../kernels/typeset";
import { type NodeRun, useAwaited } from "../../runs";
import type { QuotaWait, Silence } from "../../runs/fold/model";
import { useRuns } from "../../runs/session/store";
import { formatMoment, quotaWords, retryWords, silenceWords, skipWords } from "../../runs/words/format";
import { useNow } from "../../session/clock";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { AskAgain } from "./AskAgain";
import styles from "./RunPreview.module.css";
import { WaitingActions } from "./WaitingActions";

const line = classes(cardTextStyles.cardBody, styles.line);

interface RunPreviewProps {
  id: string;
  run: NodeRun;
  /** Whether the wheel scrolls the content, as on a selected card. Elsewhere it moves the canvas. */
  selected: boolean;
}

/** Shows the preview of a node's result in the free space of the card. A longer result can be scrolled. */
export function RunPreview({ id, run, selected }: RunPreviewProps) {
  const asks = run.state === "failed" || run.state === "waiting";
  return (
    <div
      className={classes(
        styles.runBody,
        asks && styles.asks,
        selected && styles.scrolls,
        selected && "nowheel",
      )}
    >
      <Content id={id} run={run} scrolls={selected ? FOCUSABLE : undefined} />
    </div>
  );
}

/** Scrollable content can be focused with the keyboard. */
const FOCUSABLE = { tabIndex: 0 };

type ContentProps = Omit<RunPreviewProps, "selected"> & { scrolls: typeof FOCUSABLE | undefined };

function Content({ id, run, scrolls }: ContentProps) {
  if (run.state === "skipped" && !run.stopped)
    return <div className={line}>Skipped: {skipWords(run.skipCause, run.skippedReason ?? "not needed")}</div>;
  if (run.state === "failed") {
    return (
      <>
        {/* The message is shortened; the panel shows all of it. */}
        <div className={classes(line, "text-error")} {...scrolls}>
          <Message text={firstSentence(run.message ?? "Failed.")} />
        </div>
        <div className={classes(styles.actions, "nodrag")}>
          <Retry id={id} />
          <button
            type="button"
            className={classes(buttonStyles.actionButton, styles.action)}
            onClick={() => useSession.getState().openDock("log")}
          >
            Open log
          </button>
        </div>
      </>
    );
  }
  if (run.state === "waiting")
    return <WaitingActions id={id} message={run.message} question={run.question} />;
  if (run.state === "queued") return <Awaited id={id} />;
  const text = run.preview;
  if (run.stopped)
    return (
      <>
        {text && <Value text={text} scrolls={scrolls} />}
        <div className={line}>
          Stopped before it finished{run.activity !== null && `. Last: ${run.activity.line}`}
        </div>
      </>
    );
  if (run.parked !== null) return <Parked id={id} parked={run.parked} />;
  const silent = run.silence !== null && <Silent id={id} silence={run.silence} />;
  if (text === null || text === "") return run.state === "running" ? silent || <UnderWay run={run} /> : null;
  if (!run.streaming) return <Value text={text} scrolls={scrolls} />;
  return (
    <>
      <div className={styles.stream} data-testid={testIds.stream}>
        <StreamingText text={text} />
      </div>
      {silent}
    </>
  );
}

/** Shows a running node that has no output yet. */
function UnderWay({ run: { retried, attempts, preparing, activity } }: { run: NodeRun }) {
  const now = useNow("canvas", retried !== null);
  if (preparing !== null) return <div className={styles.wait}>Preparing its {preparing}…</div>;
  if (activity !== null) {
    return (
      <div className={classes(styles.wait, styles.activity)} data-testid={testIds.activity}>
        {activity.line}
      </div>
    );
  }
  if (retried === null) return <div className={styles.wait}>Working…</div>;
  return (
    <div className={classes(styles.wait, "text-warning")} {...tip(plainMessage(retried.message))}>
      {retryWords(attempts, retried, now)}, after {codeWords(retried.code)}
    </div>
  );
}

/**
 * Shows until when a node waits for a quota. The card has room for one line and a button. The tooltip and the
 * panel say which quota it is.
 */
function Parked({ id, parked }: { id: string; parked: QuotaWait }) {
  const now = useNow("canvas", true);
  return (
    <div
      className={classes(styles.wait, "text-warning")}
      data-testid={testIds.parked(id)}
      {...tip(`${quotaWords(parked, now)}. ${plainMessage(parked.message)}`)}
    >
      Quota until {formatMoment(parked.until, now)}
      <AskAgain id={id} parked />
    </div>
  );
}

/** Shows how long a model has sent no data, and when the call times out. */
function Silent({ id, silence }: { id: string; silence: Silence }) {
  const now = useNow("canvas", true);
  return (
    <div className={classes(styles.wait, "text-warning")} data-testid={testIds.silent(id)}>
      {silenceWords(silence, now)}
      <AskAgain id={id} />
    </div>
  );
}

/**
 * The button that runs the node again immediately and keeps the results before it. A fork also allows changes
 * first.
 */
function Retry({ id }: { id: string }) {
  const starting = useRuns((s) => s.starting);
  return (
    <button
      type="button"
      className={classes(buttonStyles.actionButton, styles.action)}
      disabled={starting}
      {...tip(RETRY)}
      onClick={() => void retryNode(id)}
      data-testid={testIds.retry(id)}
    >
      <Icon name="rotate-ccw" size={12} />
      Retry
    </button>
  );
}

/** The maximum number of names shown. Further ones are counted. */
const NAMED = 2;

function Awaited({ id }: { id: string }) {
  const titles = useAwaited(id);
  const rest = titles.length - NAMED;
  const named = rest > 0 ? [...titles.slice(0, NAMED - 1), `${rest + 1} others`] : titles;
  return (
    <div className={styles.wait}>Waiting for {named.length === 0 ? "its inputs" : named.join(" and ")}</div>
  );
}

function Value({ text, scrolls }: { text: string } & Pick<ContentProps, "scrolls">) {
  return (
    <div className={classes(cardTextStyles.cardPreview, styles.value)} {...scrolls}>
      <div className={styles.valueText}>{text}</div>
    </div>
  );
}
