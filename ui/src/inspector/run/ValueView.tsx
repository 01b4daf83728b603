// Shows a value as text, as Markdown, or as collapsible JSON. Only the beginning of a long value is drawn
// until the user asks for all of it.
import { useState } from "react";
import { Button } from "../../components/Button";
import { Markdown } from "../../components/Markdown";
import type { Json } from "../../ipc/generated/bindings";
import { formatBytes } from "../../runs/words/bytes";
import { useInspectorView, type ValueForm } from "../../session/inspector-view";
import styles from "./ValueView.module.css";
import { formsOf, parsed, valueText } from "./values";

/** The number of characters drawn at first: about ten screens. */
export const MAX_VISIBLE_CHARACTERS = 20_000;

export function LongText({ text, markdown }: { text: string; markdown?: boolean }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > MAX_VISIBLE_CHARACTERS;
  const visible = cut ? text.slice(0, MAX_VISIBLE_CHARACTERS) : text;
  return (
    <>
      {markdown ? <Markdown text={visible} /> : visible}
      {cut && (
        <span className={styles.cut}>
          … The beginning of {formatBytes(text.length)}.
          <Button small onClick={() => setWhole(true)}>
            Show all
          </Button>
        </span>
      )}
    </>
  );
}

/**
 * Offers the display formats of a value as a row of buttons. Nothing is shown if the value has only one
 * format.
 */
export function FormChoice({ value }: { value: Json }) {
  const { form, setForm } = useInspectorView();
  const forms = formsOf(value);
  const shown = shownForm(value, form);
  if (forms.length < 2) return null;
  return (
    <fieldset className={styles.forms} aria-label="Format of the value">
      {forms.map((f) => (
        <button type="button" key={f} aria-pressed={f === shown} onClick={() => setForm(f)}>
          {NAMES[f]}
        </button>
      ))}
    </fieldset>
  );
}

const NAMES: Record<ValueForm, string> = { text: "Text", markdown: "Markdown", json: "JSON" };

/** Returns the chosen format if it suits the value, otherwise the value's default format. */
export function shownForm(value: Json, chosen: ValueForm): ValueForm {
  const forms = formsOf(value);
  return forms.includes(chosen) ? chosen : (forms[0] ?? "text");
}

export function ValueView({ value }: { value: Json }) {
  const chosen = useInspectorView((s) => s.form);
  const form = shownForm(value, chosen);
  const text = valueText(value);
  if (text === "") return <span className="text-tertiary">empty</span>;
  if (form === "json") return <JsonNode value={parsed(value)} depth={0} />;
  if (form === "markdown") return <LongText text={text} markdown />;
  const isJson = typeof parsed(value) !== "string";
  return (
    <span className={isJson ? "mono" : undefined}>
      <LongText text={text} />
    </span>
  );
}

/** The number of levels that are open at first. */
const OPEN_LEVELS = 2;
/** The number of entries of one level drawn at first. */
const MAX_VISIBLE_ENTRIES = 100;

function JsonNode({ value, name, depth }: { value: Json; name?: string; depth: number }) {
  const [all, setAll] = useState(false);
  const label = name === undefined ? null : <b className={styles.key}>{name}: </b>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className={styles.leaf}>
        {label}
        <span data-type={value === null ? "null" : typeof value}>
          {typeof value === "string" ? <LongText text={JSON.stringify(value)} /> : String(value)}
        </span>
      </div>
    );
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value as Record<string, Json>);
  const visible = all ? entries : entries.slice(0, MAX_VISIBLE_ENTRIES);
  if (entries.length === 0) {
    return (
      <div className={styles.leaf}>
        {label}
        {isList ? "[]" : "{}"}
      </div>
    );
  }
  return (
    <details className={styles.node} open={depth < OPEN_LEVELS}>
      <summary>
        {label}
        <span className="text-tertiary">
          {isList ? "[" : "{"} {entries.length} {isList ? "]" : "}"}
        </span>
      </summary>
      {visible.map(([key, entry]) => (
        <JsonNode key={key} name={key} value={entry} depth={depth + 1} />
      ))}
      {visible.length < entries.length && (
        <Button small onClick={() => setAll(true)}>
          Show all {entries.length}
        </Button>
      )}
    </details>
  );
}
