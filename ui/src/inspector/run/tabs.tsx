// The other tabs of the run inspector: the inputs, the prompt as sent, the raw answer, the events.

import { classes } from "../../components/classes";
import { Message } from "../../components/Message";
import noteStyles from "../../components/Note.module.css";
import { Skeletons } from "../../components/Skeletons";
import type { Json, RunEvent } from "../../ipc/generated/bindings";
import { codeWords } from "../../kernels/typeset";
import { checkedText } from "../../runs/fold/checks";
import { type RunClock, type Step, timeOf } from "../../runs/fold/model";
import { type Loaded, useStepDetail } from "../../runs/view/step-detail";
import { exitTitle, formatDuration, quotaWords } from "../../runs/words/format";
import { CopyButton } from "./DiffView";
import diffStyles from "./DiffView.module.css";
import styles from "./Events.module.css";
import { StillReading } from "./StillReading";
import { FormChoice, ValueView } from "./ValueView";
import { valueText } from "./values";

type StepProps = { runId: string; step: Step };

/**
 * Loads a step's stored values. Until they are loaded, the result is the loading state, or the error. A
 * skipped step has no values.
 */
function useDetail({ runId, step }: StepProps) {
  const asks = step.status !== "skipped";
  return useStepDetail(runId, step.path, asks ? step.status : null);
}

export function InputTab(props: StepProps) {
  const loaded = useDetail(props);
  if (loaded.state !== "ready") return <Waiting state={loaded} preview={props.step.inputPreview} />;
  const inputs = Object.entries(loaded.detail.inputs);
  if (inputs.length === 0) return <p className={noteStyles.note}>This node has no wired inputs.</p>;
  return inputs.map(([name, value]) => <Named key={name} name={name} value={value} />);
}

const NOT_KEPT = "No prompt was recorded, because the model gave no answer. The Input tab shows the inputs.";

export function PromptTab(props: StepProps) {
  const loaded = useDetail(props);
  if (loaded.state !== "ready") return <Waiting state={loaded} preview={null} />;
  const { prompt } = loaded.detail;
  return prompt === null ? (
    <p className={noteStyles.note}>
      {props.step.status === "completed" ? "This node sends no prompt." : NOT_KEPT}
    </p>
  ) : (
    <Named name="Prompt, with its variables filled in" value={prompt} />
  );
}

export function RawTab(props: StepProps) {
  const loaded = useDetail(props);
  if (loaded.state !== "ready") return <Waiting state={loaded} preview={null} />;
  const { raw, handles } = loaded.detail;
  return <Named mono name={raw === null ? "Values at the handles" : "Raw value"} value={raw ?? handles} />;
}

/**
 * Shows a placeholder until the value is loaded: its preview if there is one, otherwise the reason why there
 * is no value, or grey lines.
 */
function Waiting({ state, preview }: { state: Loaded; preview: string | null }) {
  if (preview !== null) {
    return (
      <>
        <StillReading of={[state]} />
        <Named name="Input" value={preview} />
      </>
    );
  }
  if (state.state === "failed") {
    return (
      <p className={classes(noteStyles.note, "text-error")} role="alert">
        <Message text={state.message} />
      </p>
    );
  }
  // A skipped node has no stored values to load.
  if (state.state === "none") return <p className={noteStyles.note}>The node did not run.</p>;
  return <Skeletons label="Reading the value" lines={4} />;
}

function Named({ name, value, mono }: { name: string; value: Json; mono?: boolean }) {
  const isCode = mono || typeof value !== "string";
  return (
    <div>
      <div className={diffStyles.summary}>
        <span>{name}</span>
        <span className={diffStyles.space} />
        <FormChoice value={value} />
        <CopyButton text={valueText(value)} />
      </div>
      <section
        className={classes(diffStyles.diff, isCode && diffStyles.code, isCode && "mono")}
        aria-label={name}
        data-text=""
      >
        <ValueView value={value} />
      </section>
    </div>
  );
}

/** Shows the events of one step, each with the time since the step's first event. */
export function EventsTab({ run, events }: { run: RunClock; events: readonly RunEvent[] }) {
  return <EventList run={run} events={events} begin={events[0] ? timeOf(run, events[0]) : 0} />;
}

type EventListProps = {
  run: RunClock;
  events: readonly RunEvent[];
  begin?: number;
  /** Whether there is enough space for the path of each event. */
  wide?: boolean;
};

/**
 * Lists events, the newest last, each with the time since the run began or since `begin` milliseconds after
 * that.
 */
export function EventList({ run, events, begin = 0, wide }: EventListProps) {
  if (events.length === 0)
    return <p className={classes(noteStyles.note, wide && styles.none)}>No events yet.</p>;
  return (
    <ol className={classes(styles.events, wide && styles.wide)}>
      {events.map((e) => (
        <li key={e.seq}>
          <span className={classes(styles.time, "numeric text-tertiary")}>
            {((timeOf(run, e) - begin) / 1000).toFixed(3)} s
          </span>
          <code>{e.type.replace(/^workflow\./, "")}</code>
          <span className={styles.path}>{e.path}</span>
          <span className={styles.text} data-testid="event-text">
            {isMessage(e) ? <Message text={eventText(e)} /> : eventText(e)}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Returns whether an event's text is written by the program, with code in backticks, and not by a model. */
const isMessage = ({ type }: RunEvent): boolean => MESSAGES.has(type);
const MESSAGES: ReadonlySet<RunEvent["type"]> = new Set([
  "workflow.node.failed",
  "workflow.failed",
  "workflow.node.waiting",
  "workflow.node.skipped",
]);

/** Returns the most relevant fact of an event as text. */
export function eventText(event: RunEvent): string {
  switch (event.type) {
    case "workflow.node.iteration":
      return `iteration ${event.index + 1}${event.total === null ? "" : ` of ${event.total}`}`;
    case "workflow.loop.preparing":
      return event.resource;
    case "workflow.loop.prepared":
      return setupText(event.details);
    case "workflow.loop.condition":
      return `check ${event.index + 1}: ${event.result ? "met" : "not met"}`;
    case "workflow.loop.iteration_completed":
      return [
        `iteration ${event.index + 1} ${event.status}`,
        event.similarity === null ? "" : `similarity ${event.similarity.toFixed(2)}`,
        event.score === null ? "" : `score ${event.score}`,
      ]
        .filter(Boolean)
        .join(", ");
    case "workflow.node.completed":
      if (event.checked !== null) return checkedText(event.checked);
      if (event.exit_reason !== null) return exitTitle(event.exit_reason);
      return event.branch ?? event.preview;
    case "workflow.node.retried":
      return `attempt ${event.attempt}${event.attempts == null ? "" : ` of ${event.attempts}`} failed (${codeWords(event.code)}), retried after ${(event.after_ms / 1000).toFixed(1)} s`;
    case "workflow.node.parked":
      return `${quotaWords({ name: event.name, until: Date.parse(event.until) }, Date.parse(event.at))} (${codeWords(event.code)})`;
    case "workflow.node.failed":
    case "workflow.failed":
    case "workflow.node.waiting":
    case "workflow.slept":
      return event.message;
    case "workflow.node.activity":
      return event.line;
    case "workflow.node.skipped":
      return event.reason;
    case "workflow.trust":
      return [event.verdict, event.items.join(", "), event.reason].filter(Boolean).join(", ");
    default:
      return "";
  }
}

/** Describes how a workspace was set up: the copied files, and each command with its duration. */
function setupText(details: Json): string {
  const object = (value: Json): Readonly<Record<string, Json>> =>
    typeof value === "object" && value !== null ? (value as Record<string, Json>) : {};
  const list = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
  const setup = object(object(details).setup);
  const copied = list(setup.copied).map((path) => `copied ${path}`);
  const ran = list(setup.commands).map((of) => {
    const { command, durationMs } = object(of);
    return `${command}${typeof durationMs === "number" ? ` (${formatDuration(durationMs)})` : ""}`;
  });
  const notes = list(object(details).notes).filter((note) => typeof note === "string");
  return [...notes, ...copied, ...ran].join(", ");
}
