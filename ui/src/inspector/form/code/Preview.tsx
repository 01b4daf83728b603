// Shows the result of a field with the values of the shown run: the text, the value, or which values that run
// lacks.

import { useEffect, useState } from "react";
import { classes } from "../../../components/classes";
import formStyles from "../../../components/Form.module.css";
import { Message } from "../../../components/Message";
import { tip } from "../../../components/tip";
import { useAnalysis } from "../../../document/analysis";
import { useDocument } from "../../../document/document";
import { api } from "../../../ipc/client";
import type { FieldPreview, Json } from "../../../ipc/generated/bindings";
import { fieldPlace, useWhatIsShown } from "./at";
import styles from "./FieldPreview.module.css";

/** The delay between the last key and the request, in milliseconds. */
const PAUSE_MS = 250;

function usePreview(nodeId: string, place: string, text: Json): FieldPreview | null {
  const [found, setFound] = useState<{ of: string; preview: FieldPreview | null } | null>(null);
  const of = `${nodeId} ${place}`;
  const checked = useAnalysis((s) => s.checkedAt);
  const shown = useWhatIsShown();
  // biome-ignore lint/correctness/useExhaustiveDependencies: requested again when the text, the flow or the shown pass changes.
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => {
      const { document, path } = useDocument.getState();
      api()
        .previewField(document, path, fieldPlace(nodeId, place))
        .then(
          (preview) => {
            if (!gone) setFound({ of, preview });
          },
          () => {
            if (!gone) setFound({ of, preview: null });
          },
        );
    }, PAUSE_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [nodeId, place, text, checked, shown]);
  return found?.of === of ? found.preview : null;
}

/** Describes the iteration in which the values were recorded, for a path such as `refine[3]/draft`. */
export function whereOf(path: string): string {
  const passes = [...path.matchAll(/\[(\d+)\]/g)].map((match) => match[1]);
  if (passes.length === 0) return "last run";
  return `last run, iteration ${passes.join(" › ")}`;
}

/** Returns whether a preview only repeats the text itself. */
const repeats = ({ reads, text, mode }: FieldPreview, value: string): boolean =>
  reads.length === 0 && mode === "template" && text === value;

interface PreviewProps {
  nodeId: string;
  place: string;
  value: Json;
  /** Whether to show a preview that only repeats the text. */
  always?: boolean;
  /** The text shown if there is no preview. */
  otherwise?: string;
  /** Whether the preview fills the space next to a large editor. */
  large?: boolean;
}

export function Preview(props: PreviewProps) {
  const { nodeId, place, value, otherwise, large } = props;
  const preview = usePreview(nodeId, place, value);
  const shown = preview !== null && typeof value === "string" && isTelling(preview, value, props.always);
  const look = classes(styles.preview, large && styles.large);
  if (shown) return <Shown preview={preview} look={look} />;
  if (otherwise === undefined) return null;
  return (
    <section className={look} aria-label="Preview">
      <header>
        <b>Preview</b>
      </header>
      <p className={formStyles.hint}>{otherwise}</p>
    </section>
  );
}

function isTelling(preview: FieldPreview, value: string, always = false): boolean {
  if (value === "" || (!always && repeats(preview, value))) return false;
  // A syntax error is already shown as a problem.
  if (preview.error?.code === "template_syntax" || preview.mode === "script") return false;
  // A run without any of the values has nothing to show for this field.
  return preview.reads.length === 0 || preview.reads.some((read) => read.value !== null || read.hasDefault);
}

function Shown({ preview, look }: { preview: FieldPreview; look: string }) {
  const missing = preview.reads.filter((read) => read.value === null && !read.hasDefault);
  const condition = preview.mode === "condition";
  // In a condition a missing value is not an error and is informative.
  const operands = condition ? preview.reads : [];
  return (
    <section className={look} aria-label="Preview" data-testid="field-preview">
      <header>
        <b>Preview</b>
        <span {...tip(preview.from.path)}>{whereOf(preview.from.path)}</span>
        {condition && preview.text !== null && <em data-verdict={preview.text}>{preview.text}</em>}
        {!condition && preview.valueKind !== null && preview.valueKind !== "text" && (
          <em>{preview.valueKind}</em>
        )}
      </header>
      {!condition && preview.text !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
        <pre tabIndex={0}>
          {preview.text === "" ? <i>empty text</i> : preview.text}
          {preview.cut && "…"}
        </pre>
      )}
      {operands.length > 0 && (
        <dl>
          {operands.map((read) => (
            <div key={read.name}>
              <dt>{read.name}</dt>
              <dd className={read.value === null ? styles.missing : undefined}>{read.value ?? "missing"}</dd>
            </div>
          ))}
        </dl>
      )}
      {preview.error !== null && missing.length > 0 && (
        <p className={styles.missing}>No value in that run: {missing.map((read) => read.name).join(", ")}</p>
      )}
      {preview.error !== null && missing.length === 0 && (
        <p className={styles.missing}>
          <Message text={preview.error.message} />
        </p>
      )}
    </section>
  );
}
