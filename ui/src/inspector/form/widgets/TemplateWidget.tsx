// Templates, expressions and scripts: a code field, and below it the result with the last run's values.
import { useState } from "react";
import { enlargeCommand } from "../../../commands/enlarge";
import { hintOf } from "../../../commands/keyboard";
import { IconButton } from "../../../components/Button";
import type { Language } from "../../../components/CodeEditor";
import { FieldCode } from "../code/FieldCode";
import { LargeEditor } from "../code/LargeEditor";
import { Preview } from "../code/Preview";
import { asText, type WidgetProps } from "../widget-props";
import styles from "./CodeWidget.module.css";

/** Returns the placeholder of an empty field, which shows the default. */
const shownDefault = (fallback: unknown): string =>
  typeof fallback === "string" || typeof fallback === "number" ? String(fallback) : "";

type CodeWidgetProps = WidgetProps & { language: Language; rows: number; placeholder?: string };

function CodeWidget(props: CodeWidgetProps) {
  const { id, field, value, onChange, describedBy, invalid, nodeId, place, language, rows } = props;
  const [isLarge, setLarge] = useState(false);
  const shown = shownDefault(field.fallback) || (props.placeholder ?? "");
  const change = (text: string) => onChange(text === "" ? undefined : text);
  return (
    <div className={styles.code} data-widget="code">
      <FieldCode
        id={id}
        label={field.title}
        language={language}
        rows={rows}
        nodeId={nodeId}
        place={place}
        value={asText(value)}
        placeholder={shown}
        onChange={change}
        {...(describedBy ? { describedBy } : {})}
        invalid={invalid}
      />
      {nodeId !== null && <Preview nodeId={nodeId} place={place} value={value} />}
      {nodeId !== null && rows > 1 && (
        <IconButton
          icon="maximize"
          size={13}
          className={styles.enlarge}
          small
          // A key inside the field opens the same editor, so Tab skips this button.
          tabIndex={-1}
          label="Large editor"
          hint={hintOf(enlargeCommand)}
          onClick={() => setLarge(true)}
        />
      )}
      {nodeId !== null && isLarge && (
        <LargeEditor
          title={field.title}
          language={language}
          nodeId={nodeId}
          place={place}
          value={asText(value)}
          placeholder={shown}
          onChange={change}
          onClose={() => setLarge(false)}
        />
      )}
    </div>
  );
}

export function TemplateWidget(props: WidgetProps) {
  return <CodeWidget {...props} language="template" rows={3} />;
}

export function ExpressionWidget(props: WidgetProps) {
  return <CodeWidget {...props} language="expression" rows={1} placeholder="score >= 8" />;
}

export function ScriptWidget(props: WidgetProps) {
  return (
    <CodeWidget {...props} language={props.field.language ?? "luau"} rows={5} placeholder="return input" />
  );
}
