// How a loop ends: the list of ways with what each means, and below the chosen one what matters for it.
import { useNodeProblems } from "../../document/analysis";
import { editData } from "../../document/document";
import { Field, FieldProblem } from "../../inspector/form/Field";
import { ConditionDetail } from "./ConditionDetail";
import { Decider } from "./Decider";
import { type LoopProps, Row, settingOf } from "./settings";

const MODES = [
  { value: "max_iterations", title: "Max iterations" },
  { value: "evaluator", title: "Evaluator", says: "Stop when the body reaches Exit" },
  { value: "stable_output", title: "Stable output", says: "Stop when the result barely changes" },
  {
    value: "condition",
    title: "Condition",
    says: "While or until a test holds, checked before or after each iteration",
  },
] as const;

/** Places of problems that stand under the list: what the chosen way asks for. */
const PLACES = ["exitCondition", "condition", "stabilityThreshold", "patience"];

export function ExitModes(props: LoopProps) {
  const { node } = props;
  const mode = String(settingOf(props, "exitCondition") ?? "max_iterations");
  const most = settingOf(props, "maxIterations");
  const problems = useNodeProblems(node.id).filter((p) =>
    PLACES.some((place) => p.place === place || p.place?.startsWith(`${place}.`)),
  );
  const choose = (value: string) => editData(node.id, "exitCondition", value, "Change exit condition");
  const at = MODES.findIndex((m) => m.value === mode);
  return (
    <div className="sec">
      <h4>Exit condition</h4>
      <div
        className="modes"
        role="radiogroup"
        aria-label="Exit condition"
        data-field="exitCondition"
        onKeyDown={(e) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
          if (by === undefined || (e.target as HTMLElement).getAttribute("role") !== "radio") return;
          if ((e.target as HTMLElement).closest(".sub")) return;
          e.preventDefault();
          const next = MODES[(at + by + MODES.length) % MODES.length];
          if (next) choose(next.value);
          const radios = e.currentTarget.querySelectorAll<HTMLElement>(".modehead");
          radios[(at + by + MODES.length) % MODES.length]?.focus();
        }}
      >
        {MODES.map((m) => (
          <div key={m.value} className={`mode${m.value === mode ? " on" : ""}`}>
            {/* biome-ignore lint/a11y/useSemanticElements: a radio group with roving focus, per the ARIA pattern. */}
            <button
              type="button"
              role="radio"
              aria-checked={m.value === mode}
              tabIndex={m.value === mode ? 0 : -1}
              className="modehead"
              data-testid={`exit-mode-${m.value}`}
              onClick={() => choose(m.value)}
            >
              <i className="rad" />
              <span>
                <b>{m.title}</b>
                {"says" in m ? m.says : `Always run all ${most}`}
              </span>
            </button>
            {m.value === mode && <Detail mode={m.value} {...props} />}
          </div>
        ))}
      </div>
      {problems.map((p) => (
        <FieldProblem key={`${p.code}:${p.message}`} problem={p} />
      ))}
    </div>
  );
}

function Detail({ mode, ...props }: LoopProps & { mode: string }) {
  if (mode === "evaluator") return <EvaluatorDetail {...props} />;
  if (mode === "stable_output") return <StableDetail {...props} />;
  return mode === "condition" ? (
    <div data-field="condition">
      <ConditionDetail node={props.node} />
    </div>
  ) : null;
}

function EvaluatorDetail({ node }: LoopProps) {
  return (
    <div className="sub">
      <Decider loopId={node.id} />
      <Row label="Otherwise">
        <span className="t1">run again</span>
      </Row>
    </div>
  );
}

function StableDetail({ node, fields }: LoopProps) {
  return (
    <div className="sub">
      {["stabilityThreshold", "patience", "minIterations"].map((name) => {
        const field = fields.find((f) => f.name === name);
        return (
          field && (
            <Field
              key={name}
              field={{ ...field, description: "", showIf: null }}
              data={node.data}
              nodeId={node.id}
              problems={[]}
              onChange={(v) => editData(node.id, name, v, `Change ${field.title.toLowerCase()}`)}
            />
          )
        );
      })}
      <p className="hint">
        Compares each result with the one before: 1 means identical, 0.95 a few words apart.
      </p>
    </div>
  );
}
