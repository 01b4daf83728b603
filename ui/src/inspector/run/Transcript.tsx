// The transcript of an agent: what it said, thought, read, ran and edited, and what its program printed on
// standard error.
import { useEffect, useRef } from "react";
import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import noteStyles from "../../components/Note.module.css";
import { Skeletons } from "../../components/Skeletons";
import type { Activity, ActivityKind, TranscriptTurn } from "../../ipc/generated/bindings";
import type { Step } from "../../runs/fold/model";
import { useTranscript } from "../../runs/view/step-transcript";
import { formatCount, plural } from "../../runs/words/format";
import { testIds } from "../../testids";
import styles from "./Transcript.module.css";

/** The distance from the end, in pixels, within which the list follows new entries. */
const NEAR_END = 48;

export function TranscriptTab({ runId, step }: { runId: string; step: Step }) {
  const read = useTranscript(runId, step);
  const isAtWork = step.status === "running";
  if (read.state === "failed") {
    return (
      <p className={classes(noteStyles.note, "text-error")} role="alert">
        <Message text={read.message} />
      </p>
    );
  }
  if (read.state === "loading") return <Skeletons label="Reading the transcript" lines={4} />;
  const { turns } = read.transcript;
  if (turns.length === 0) return <p className={noteStyles.note}>Nothing was recorded.</p>;
  return turns.map((turn, index) => (
    <Turn
      // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no identity except their number.
      key={index}
      turn={turn}
      attempt={turns.length > 1 ? index + 1 : null}
      isAtWork={isAtWork && index === turns.length - 1}
    />
  ));
}

function Turn({
  turn,
  attempt,
  isAtWork,
}: {
  turn: TranscriptTurn;
  attempt: number | null;
  isAtWork: boolean;
}) {
  const printed = turn.entries.filter(({ kind }) => kind === "printed");
  const entries = turn.entries.filter(({ kind }) => kind !== "printed");
  const later = turn.all - turn.entries.length - turn.leftOut;
  const end = useFollowed(isAtWork, turn.all);
  // Once the step has ended, its own figures include the tokens.
  const tokens = !isAtWork || turn.inputTokens === null ? null : turn.inputTokens + (turn.outputTokens ?? 0);
  return (
    <section className={styles.turn} data-testid={testIds.transcript} aria-label="Transcript">
      {attempt !== null && <h4>Attempt {attempt}</h4>}
      <ol>
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only added at the end.
          <Entry key={index} entry={entry} leftOut={index === turn.leftOutAfter ? turn.leftOut : 0} />
        ))}
      </ol>
      {later > 0 && (
        <p className={styles.gap}>
          {plural(later, "later entry", "later entries")}, recorded when the agent ends
        </p>
      )}
      <p className={styles.now} ref={end}>
        {isAtWork && <span>{turn.line}</span>}
        {tokens !== null && <span className="numeric">{formatCount(tokens)} tokens so far</span>}
      </p>
      {printed.map((entry) => (
        <div key={entry.at_ms} className={styles.errors}>
          <h4>Standard error</h4>
          <pre className="mono">{entry.output}</pre>
        </div>
      ))}
    </section>
  );
}

const WORDS: Record<ActivityKind, string> = {
  said: "said",
  thought: "thought",
  read: "read",
  ran: "ran",
  edited: "edited",
  used: "used",
  failed: "failed",
  printed: "printed",
};

function Entry({ entry, leftOut }: { entry: Activity; leftOut: number }) {
  const isProse = entry.kind === "said" || entry.kind === "thought";
  return (
    <>
      {leftOut > 0 && (
        <li className={styles.gap}>{plural(leftOut, "more entry", "more entries")}, not recorded</li>
      )}
      <li data-kind={entry.kind}>
        <span className={classes(styles.time, "numeric")}>{timeWords(entry.at_ms ?? 0)}</span>
        <b className={classes(entry.failed === true && "text-error")}>{WORDS[entry.kind]}</b>
        <div className={styles.content}>
          <span className={classes(styles.text, !isProse && styles.code, !isProse && "mono")}>
            {entry.text}
            {entry.failed === true && <em className="text-error"> failed</em>}
          </span>
          {entry.output != null && <pre className="mono">{entry.output}</pre>}
          {(entry.cut ?? 0) > 0 && <small>{formatCount(entry.cut ?? 0)} bytes cut</small>}
        </div>
      </li>
    </>
  );
}

/** Returns the time since the turn began: `0:07`. */
function timeWords(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * Returns a ref for the element at the end of a list. The element is scrolled into view whenever the list
 * grows, unless the user scrolled away from the end.
 */
function useFollowed(follows: boolean, length: number) {
  const end = useRef<HTMLParagraphElement>(null);
  const wasNear = useRef(true);
  useEffect(() => {
    const box = end.current?.closest('[role="tabpanel"]');
    if (!follows || box == null) return;
    const look = () => {
      wasNear.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
    };
    box.addEventListener("scroll", look);
    return () => box.removeEventListener("scroll", look);
  }, [follows]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list scrolls when its length grows.
  useEffect(() => {
    if (follows && wasNear.current) end.current?.scrollIntoView?.({ block: "nearest" });
  }, [follows, length]);
  return end;
}
