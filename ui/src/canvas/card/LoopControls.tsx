// A Loop's settings on its card: the iteration limit, the end condition and the carried values. They are
// plain text while a run is shown.

import { classes } from "../../components/classes";
import { Stepper } from "../../components/fields";
import { Select } from "../../components/Select";
import { tip } from "../../components/tip";
import { editData } from "../../document/document";
import type { KindInfo } from "../../ipc/generated/bindings";
import { shownCondition } from "../../kernels/condition";
import { testIds } from "../../testids";
import styles from "./LoopControls.module.css";

interface Field {
  default?: unknown;
  enum?: string[];
  "x-enum-labels"?: Record<string, string>;
  minimum?: number;
  maximum?: number;
}

function fieldOf(kind: KindInfo, name: string): Field {
  const schema = kind.schema as { properties?: Record<string, Field> };
  return schema.properties?.[name] ?? {};
}

interface LoopControlsProps {
  id: string;
  data: Record<string, unknown>;
  kind: KindInfo;
  plain: boolean;
}

/** Returns a choice's title in lower case, like the other words of a card. */
const readable = (field: Field, value: string): string =>
  (field["x-enum-labels"]?.[value] ?? value.replaceAll("_", " ")).toLowerCase();

export function LoopControls({ id, data, kind, plain }: LoopControlsProps) {
  const value = (name: string) => data[name] ?? fieldOf(kind, name).default ?? "";
  const count = fieldOf(kind, "maxIterations");
  const own = data.maxIterations;
  const choices = [
    { name: "exitCondition", label: "Exit" },
    { name: "feedbackMode", label: "Feedback" },
  ] as const;
  return (
    <div className={classes(styles.fields, plain && styles.plain, "nodrag")}>
      <div className={styles.field}>
        <span>Max iterations</span>
        {plain ? (
          <span className={styles.value}>{String(value("maxIterations"))}</span>
        ) : (
          <Stepper
            className={classes(styles.control, styles.stepper)}
            name="max iterations"
            label="Max iterations"
            value={typeof own === "number" ? own : null}
            placeholder={typeof count.default === "number" ? count.default : null}
            minimum={count.minimum}
            maximum={count.maximum}
            onChange={(next) => editData(id, "maxIterations", next, "Change max iterations")}
          />
        )}
      </div>
      {choices.map(({ name, label }) => (
        <div className={styles.field} key={name}>
          <span>{label}</span>
          {plain ? (
            <span className={styles.value}>{readable(fieldOf(kind, name), String(value(name)))}</span>
          ) : (
            <Select
              className={classes(styles.control, styles.select)}
              label={label}
              value={String(value(name))}
              options={(fieldOf(kind, name).enum ?? [String(value(name))]).map((option) => ({
                value: option,
                label: readable(fieldOf(kind, name), option),
              }))}
              onChange={(next) => editData(id, name, next, `Change ${label.toLowerCase()}`)}
            />
          )}
        </div>
      ))}
      {kind.exits.find((exit) => exit.value === value("exitCondition"))?.needs === "condition" && (
        <ExitTest condition={data.condition} />
      )}
    </div>
  );
}

/** Shows the condition that ends the loop in readable form: "until len(results) ≥ 12". */
function ExitTest({ condition }: { condition: unknown }) {
  const held = (typeof condition === "object" && condition !== null ? condition : {}) as {
    until?: unknown;
    while?: unknown;
  };
  const repeat = typeof held.while === "string" && held.while !== "" ? "while" : "until";
  const expression = held[repeat];
  if (typeof expression !== "string" || expression.trim() === "") return null;
  return (
    <div
      className={classes(styles.field, styles.test)}
      data-testid={testIds.exitTest}
      {...tip(`${repeat} ${expression}`)}
    >
      <span>{repeat === "while" ? "While" : "Until"}</span>
      <code>{shownCondition(expression)}</code>
    </div>
  );
}
