// The format of an answer: text, any JSON, or JSON that matches a schema. A field that requires a schema
// offers only the schema.
import { Segmented } from "../../../components/fields";
import type { WidgetProps } from "../widget-props";
import { JsonWidget } from "./JsonWidget";
import styles from "./SchemaWidget.module.css";

const START = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };

export function SchemaWidget(props: WidgetProps) {
  const { field, value, onChange } = props;
  const current = value ?? field.fallback;
  // A field whose default is the name of a format ("text") selects a format. Any other field contains only a
  // schema.
  if (typeof field.fallback !== "string" && typeof value !== "string") return <JsonWidget {...props} />;
  const form = typeof current === "string" ? current : "schema";
  return (
    <>
      <Segmented
        full
        label={field.title}
        value={form}
        options={[
          { value: "text", label: "text" },
          { value: "json", label: "JSON" },
          { value: "schema", label: "schema" },
        ]}
        onChange={(next) => onChange(next === "schema" ? START : next === field.fallback ? undefined : next)}
      />
      {form === "schema" && (
        <div className={styles.schema}>
          <JsonWidget {...props} />
        </div>
      )}
    </>
  );
}
