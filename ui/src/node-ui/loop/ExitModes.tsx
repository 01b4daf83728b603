// The exit conditions of a loop: the list with explanations, and below it the settings of the chosen one.

import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import panelStyles from "../../components/Panel.module.css";
import { useNodeProblems } from "../../document/analysis";
import { editData } from "../../document/document";
import { useKind } from "../../document/kinds";
import { Field, FieldProblem } from "../../inspector/form/Field";
import { withFallback } from "../../inspector/form/schema";
import type { ExitChoice } from "../../ipc/generated/bindings";
import { ConditionDetail } from "./ConditionDetail";
import { Evaluator } from "./Evaluator";
import styles from "./ExitModes.module.css";
import { chosenExit, exitFields, type LoopProps, Row } from "./settings";

const NONE: readonly ExitChoice[] = [];

export function ExitModes(props: LoopProps) {
  const { node, fields } = props;
  const exits = useKind(node.type)?.exits ?? NONE;
  const chosen = chosenExit(props, exits);
  // The problems of the chosen condition's settings are listed below the conditions.
  const places = ["exitCondition", "condition", ...exitFields(fields, chosen).map((f) => f.name)];
  const problems = useNodeProblems(node.id).filter((p) =>
    places.some((place) => p.place === place || p.place?.startsWith(`${place}.`)),
  );
  const choose = (value: string) => editData(node.id, "exitCondition", value, "Change exit condition");
  const at = chosen === undefined ? -1 : exits.indexOf(chosen);
  return (
    <div className={panelStyles.section}>
      <h4>Exit condition</h4>
      <div
        className={styles.modes}
        role="radiogroup"
        aria-label="Exit condition"
        data-field="exitCondition"
        onKeyDown={(e) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
          const heads = [...e.currentTarget.querySelectorAll<HTMLElement>(":scope > div > [role=radio]")];
          if (by === undefined || !heads.includes(e.target as HTMLElement)) return;
          e.preventDefault();
          const to = (at + by + exits.length) % exits.length;
          const next = exits[to];
          if (next) choose(next.value);
          heads[to]?.focus();
        }}
      >
        {exits.map((exit, i) => (
          <div key={exit.value} className={styles.mode} data-current={exit === chosen || undefined}>
            {/* biome-ignore lint/a11y/useSemanticElements: a radio group with roving focus, per the ARIA pattern. */}
            <button
              type="button"
              role="radio"
              aria-checked={exit === chosen}
              tabIndex={i === Math.max(0, at) ? 0 : -1}
              className={styles.head}
              data-testid={`exit-mode-${exit.value}`}
              onClick={() => choose(exit.value)}
            >
              <i className={styles.radioMark} />
              <span>
                <b>{exit.title}</b>
                {exit.meaning}
              </span>
            </button>
            {exit === chosen && <Detail exit={exit} {...props} />}
          </div>
        ))}
      </div>
      {problems.map((p) => (
        <FieldProblem key={`${p.code}:${p.message}`} problem={p} />
      ))}
    </div>
  );
}

function Detail({ exit, ...props }: LoopProps & { exit: ExitChoice }) {
  if (exit.needs === "evaluator") return <EvaluatorDetail {...props} />;
  if (exit.needs === "condition") {
    return (
      <div data-field="condition">
        <ConditionDetail node={props.node} />
      </div>
    );
  }
  return <FieldsDetail exit={exit} {...props} />;
}

function EvaluatorDetail({ node }: LoopProps) {
  return (
    <div className={styles.detail}>
      <Evaluator loopId={node.id} />
      <Row label="Otherwise">
        <span className="text-primary">run again</span>
      </Row>
    </div>
  );
}

/**
 * Shows the fields that apply only to this exit condition. Their problems are listed below the conditions.
 */
function FieldsDetail({ exit, node, fields }: LoopProps & { exit: ExitChoice }) {
  const own = exitFields(fields, exit);
  if (own.length === 0) return null;
  return (
    <div className={styles.detail}>
      {own.map((field) => (
        <Field
          key={field.name}
          field={{ ...withFallback(field, node.data, fields), description: "" }}
          data={node.data}
          nodeId={node.id}
          problems={[]}
          onChange={(v) => editData(node.id, field.name, v, `Change ${field.title.toLowerCase()}`)}
        />
      ))}
      {exit.hint !== null && <p className={classes(formStyles.hint, "hint")}>{exit.hint}</p>}
    </div>
  );
}
