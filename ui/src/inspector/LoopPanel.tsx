// The settings of a Loop: how it ends, what the next iteration starts from, and its limits. Titles, help and bounds
// come from the kind's schema; what the panel adds is the order and the sentences. The rest stands under "More".
import { type ReactNode, useId } from "react";
import { NumberField, Segmented, Select, Stepper, TextArea } from "../components/fields";
import { useNodeProblems } from "../document/analysis";
import { editData, useDocument } from "../document/document";
import type { FlowNode, Json } from "../ipc/generated/bindings";
import { useExitDecider } from "./exit-decider";
import { durationToMs, msToDuration } from "./form/duration";
import { Field, withKey } from "./form/Field";
import { problemsAt, SettingsForm } from "./form/SettingsForm";
import type { FieldSpec } from "./form/schema";
import { VariablesEditor } from "./form/widgets/lists";

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

const FEEDBACK = {
  replace: "Each iteration starts from the last result alone. Earlier ones stay in the timeline.",
  append: "Each iteration starts from everything so far: the last result is added below the input.",
  variables: "Each iteration starts from the loop's own input; what changes is kept in variables.",
} as const;

/** Fields that have their place in this panel; the others are drawn by the form under "More". */
const PLACED = new Set([
  "label",
  "exitCondition",
  "maxIterations",
  "condition",
  "test",
  "stabilityThreshold",
  "patience",
  "minIterations",
  "feedbackMode",
  "variables",
  "limits",
  "onLimit",
  "delay",
]);

type Data = Readonly<Record<string, Json>>;
const asObject = (value: Json): Data =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : {};
const asText = (value: Json): string => (typeof value === "string" ? value : "");
const asNumber = (value: Json): number | null => (typeof value === "number" ? value : null);

export function LoopPanel({ node, fields }: { node: FlowNode; fields: readonly FieldSpec[] }) {
  const more = fields.filter((f) => !PLACED.has(f.name));
  return (
    <>
      <ExitCondition node={node} fields={fields} />
      <Feedback node={node} fields={fields} />
      <Limits node={node} fields={fields} />
      {more.length > 0 && (
        <details className="more">
          <summary>More</summary>
          <SettingsForm node={node} fields={more} />
        </details>
      )}
    </>
  );
}

type PanelProps = { node: FlowNode; fields: readonly FieldSpec[] };

function settingOf({ node, fields }: PanelProps, name: string): Json {
  return node.data[name] ?? fields.find((f) => f.name === name)?.fallback ?? null;
}

function ExitCondition(props: PanelProps) {
  const { node, fields } = props;
  const mode = asText(settingOf(props, "exitCondition")) || "max_iterations";
  const problems = useNodeProblems(node.id);
  const most = asNumber(settingOf(props, "maxIterations")) ?? 5;
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
          e.preventDefault();
          const next = MODES[(at + by + MODES.length) % MODES.length];
          if (next) choose(next.value);
          const radios = e.currentTarget.querySelectorAll<HTMLElement>('[role="radio"]');
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
            {m.value === mode && <ModeDetail mode={m.value} {...props} />}
          </div>
        ))}
      </div>
      {["exitCondition", "condition", "stabilityThreshold"].map((name) => {
        const field = fields.find((f) => f.name === name);
        const found = problemsAt(problems, name);
        return field && found.length > 0 ? (
          <p className="fielderr" key={name}>
            {found.map((p) => p.message).join(" ")}
          </p>
        ) : null;
      })}
    </div>
  );
}

function ModeDetail({ mode, ...props }: PanelProps & { mode: string }) {
  if (mode === "evaluator") return <EvaluatorDetail {...props} />;
  if (mode === "stable_output") return <StableDetail {...props} />;
  if (mode === "condition") return <ConditionDetail {...props} />;
  return null;
}

function EvaluatorDetail({ node }: PanelProps) {
  const decider = useExitDecider(node.id);
  return (
    <div className="sub">
      <Row label="Decided by">
        <span className="t1">{decider ?? "nothing yet"}</span>
      </Row>
      {decider === null && (
        <p className="hint">
          Wire one branch of a Router, a Validator or an Approval to Exit. When it is taken, the loop ends.
        </p>
      )}
      <Row label="Otherwise">
        <span className="t1">run again</span>
      </Row>
    </div>
  );
}

function StableDetail(props: PanelProps) {
  const { node, fields } = props;
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

function ConditionDetail(props: PanelProps) {
  const { node } = props;
  const id = useId();
  const condition = asObject(node.data.condition);
  const repeat = typeof condition.while === "string" ? "while" : "until";
  const test = asText(condition.test) || "before";
  const expression = asText(condition[repeat]);
  const set = (next: { repeat?: string; expression?: string; test?: string }) => {
    const { while: _, until: __, ...rest } = condition;
    const value = {
      ...rest,
      test: next.test ?? test,
      [next.repeat ?? repeat]: next.expression ?? expression,
    };
    editData(node.id, "condition", value, "Change the exit test");
  };
  return (
    <div className="sub" data-field="condition">
      <Row label="Repeat">
        <Segmented
          small
          label="Repeat"
          value={repeat}
          options={[
            { value: "while", label: "while" },
            { value: "until", label: "until" },
          ]}
          onChange={(value) => set({ repeat: value })}
        />
      </Row>
      <div className="formfield wide">
        <label className="flabel" htmlFor={id}>
          Test
        </label>
        <TextArea
          mono
          rows={1}
          id={id}
          value={expression}
          placeholder="results | length >= 12"
          onChange={(text) => set({ expression: text })}
        />
      </div>
      <Row label="Check it">
        <Segmented
          small
          label="When the test is checked"
          value={test}
          options={[
            { value: "before", label: "before" },
            { value: "after", label: "after" },
          ]}
          onChange={(value) => set({ test: value })}
        />
      </Row>
      <p className="hint">
        {test === "before"
          ? "Checked before each iteration, so the body may never run."
          : "Checked after each iteration, so the body runs at least once."}
      </p>
    </div>
  );
}

function Feedback(props: PanelProps) {
  const { node } = props;
  const mode = (asText(settingOf(props, "feedbackMode")) || "replace") as keyof typeof FEEDBACK;
  return (
    <div className="sec" data-field="feedbackMode">
      <h4>Feedback</h4>
      <Segmented
        full
        label="Feedback"
        value={mode}
        options={[
          { value: "replace", label: "Replace" },
          { value: "append", label: "Append" },
          { value: "variables", label: "Variables" },
        ]}
        onChange={(value) => editData(node.id, "feedbackMode", value, "Change feedback")}
      />
      <p className="hint spaced">{FEEDBACK[mode]}</p>
      {mode === "variables" && (
        <VariablesEditor
          value={node.data.variables ?? []}
          onChange={(value) => editData(node.id, "variables", value, "Change variables")}
        />
      )}
    </div>
  );
}

function Limits(props: PanelProps) {
  const { node, fields } = props;
  const limits = asObject(node.data.limits);
  const delay = asObject(node.data.delay);
  const iterations = fields.find((f) => f.name === "maxIterations");
  const ceiling = useDocument((s) => asNumber(s.document.settings?.maxIterationsCeiling));
  const setLimit = (name: string, value: Json) =>
    editData(node.id, "limits", withKey(limits, name, value), "Change limits");
  const interval = durationToMs(asText(delay.interval));
  return (
    <div className="sec">
      <h4>Limits</h4>
      <Row label="Max iterations" field="maxIterations">
        <Stepper
          name="max iterations"
          label="Max iterations"
          testId="max-iterations"
          value={asNumber(node.data.maxIterations)}
          placeholder={asNumber(iterations?.fallback) ?? 5}
          minimum={iterations?.minimum ?? 1}
          maximum={ceiling ?? iterations?.maximum ?? 50}
          onChange={(n) => editData(node.id, "maxIterations", n ?? undefined, "Change max iterations")}
        />
      </Row>
      <Row label="Timeout per iteration" field="limits">
        <Seconds
          label="Timeout per iteration in seconds"
          value={asText(limits.iterationTimeout)}
          onChange={(v) => setLimit("iterationTimeout", v)}
        />
      </Row>
      <Row label="Timeout for all">
        <Seconds
          label="Timeout for all iterations in seconds"
          value={asText(limits.timeout)}
          onChange={(v) => setLimit("timeout", v)}
        />
      </Row>
      <Row label="Delay between" field="delay">
        <NumberField
          label="Delay between iterations in milliseconds"
          minimum={0}
          unit="ms"
          placeholder="0"
          value={interval}
          onChange={(ms) =>
            editData(
              node.id,
              "delay",
              ms ? { type: "fixed", ...delay, interval: msToDuration(ms) } : undefined,
              "Change delay",
            )
          }
        />
      </Row>
      <Row label="Budget">
        <NumberField
          label="Budget in US dollars"
          minimum={0}
          unit="$ per run"
          placeholder="none"
          value={asNumber(limits.budgetUsd)}
          onChange={(v) => setLimit("budgetUsd", v ?? undefined)}
        />
      </Row>
      <Row label="On limit" field="onLimit">
        <Select
          label="On limit"
          value={asText(settingOf(props, "onLimit")) || "return"}
          options={[
            { value: "return", label: "keep the result" },
            { value: "fail", label: "fail the run" },
          ]}
          onChange={(value) => editData(node.id, "onLimit", value, "Change what happens at the limit")}
        />
      </Row>
    </div>
  );
}

function Seconds({ label, value, onChange }: { label: string; value: string; onChange(value: Json): void }) {
  const ms = value === "" ? null : durationToMs(value);
  return (
    <NumberField
      label={label}
      minimum={0}
      unit="s"
      placeholder="none"
      invalid={value !== "" && ms === null}
      value={ms === null ? null : ms / 1000}
      onChange={(s) => onChange(s ? msToDuration(s * 1000) : undefined)}
    />
  );
}

function Row({ label, field, children }: { label: string; field?: string; children: ReactNode }) {
  return (
    <div className="fr" data-field={field}>
      <span>{label}</span>
      {children}
    </div>
  );
}
