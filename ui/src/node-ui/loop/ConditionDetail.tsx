// The condition that ends a loop: whether the loop runs while or until it is true, and when it is checked.

import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Segmented } from "../../components/fields";
import { editData } from "../../document/document";
import { ConditionField } from "../../inspector/condition/ConditionField";
import { useConditionNames } from "../../inspector/condition/use-names";
import type { FlowNode, Json } from "../../ipc/generated/bindings";
import styles from "./ExitModes.module.css";

type Repeat = "while" | "until";
type Test = "before" | "after";

type ConditionData = { readonly [field: string]: Json };

const isHeld = (value: Json): value is ConditionData =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: Json): string => (typeof value === "string" ? value : "");

/**
 * Returns the editable parts of a stored condition, and the condition itself as `held`. Missing parts get
 * defaults.
 */
export function partsOf(value: Json): {
  repeat: Repeat;
  test: Test;
  expression: string;
  held: ConditionData;
} {
  const held = isHeld(value) ? value : {};
  const repeat = textOf(held.while) !== "" ? "while" : "until";
  return {
    held,
    repeat,
    test: held.test === "after" ? "after" : "before",
    expression: textOf(held[repeat]),
  };
}

/**
 * Returns the condition with the other keyword. If that keyword already has an expression, keeps that
 * expression; otherwise moves the present expression there.
 */
export function turned(value: Json, repeat: Repeat): ConditionData {
  const { held, expression } = partsOf(value);
  const { while: _, until: __, ...rest } = held;
  return { ...rest, [repeat]: textOf(held[repeat]) || expression };
}

export function ConditionDetail({ node }: { node: FlowNode }) {
  const { held, repeat, test, expression } = partsOf(node.data.condition);
  const names = useConditionNames(node, test);
  const set = (condition: ConditionData) => editData(node.id, "condition", condition, "Change the exit test");
  return (
    <div className={styles.detail}>
      <div className={classes(formStyles.formRow, "form-row")}>
        <span>Repeat</span>
        <Segmented
          small
          label="Repeat"
          value={repeat}
          options={[
            { value: "while", label: "while", title: "Repeats as long as the test holds" },
            { value: "until", label: "until", title: "Ends as soon as the test holds" },
          ]}
          onChange={(value) => set(turned(node.data.condition, value))}
        />
      </div>
      <ConditionField
        nodeId={node.id}
        names={names}
        expression={expression}
        place={`condition.${repeat}`}
        fields={["condition.until", "condition.while"]}
        placeholder="results | length >= 12"
        onChange={(text) => set({ ...held, [repeat]: text })}
      />
      <div className={classes(formStyles.formRow, "form-row")}>
        <span>Check it</span>
        <Segmented
          small
          label="When the test is checked"
          value={test}
          options={[
            { value: "before", label: "before" },
            { value: "after", label: "after" },
          ]}
          onChange={(value) => set({ ...held, test: value })}
        />
      </div>
      <p className={classes(formStyles.hint, "hint")}>
        {test === "before"
          ? "Checked before each iteration, so the body may never run."
          : "Checked after each iteration, so the body runs at least once."}
      </p>
    </div>
  );
}
