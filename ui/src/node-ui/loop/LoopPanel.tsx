// The settings of a Loop: its exit condition, the input of the next iteration, and its limits. Settings that
// are used less often are in a collapsed section. Titles, help and bounds come from the kind's schema; the
// panel defines the order and adds explanatory sentences.

import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import formListsStyles from "../../components/FormLists.module.css";
import { Segmented } from "../../components/fields";
import panelStyles from "../../components/Panel.module.css";
import { tip } from "../../components/tip";
import { useNodeProblems } from "../../document/analysis";
import { editData, useDocument } from "../../document/document";
import { useKind } from "../../document/kinds";
import { Names } from "../../inspector/form/code/Names";
import { FieldProblem } from "../../inspector/form/Field";
import { Fold } from "../../inspector/form/Fold";
import { problemsAt } from "../../inspector/form/problems-at";
import { SettingsForm } from "../../inspector/form/SettingsForm";
import type { FieldSpec } from "../../inspector/form/schema";
import { ExitModes } from "./ExitModes";
import styles from "./LoopPanel.module.css";
import {
  asObject,
  chosenExit,
  exitFields,
  InnerSetting,
  isOfExit,
  type LoopProps,
  NoProgress,
  Setting,
  settingOf,
} from "./settings";
import { OutputsTable, VariablesTable } from "./tables";

const FEEDBACK = {
  replace: "Each iteration starts from the last result only. Earlier results stay in the timeline.",
  append: "Each iteration starts from everything so far: each result is appended to the input.",
  variables: "Each iteration starts from the loop's own input. Values that change are kept in variables.",
} as const;

/**
 * The fields that this panel lays out itself, in addition to those of an exit condition. All other fields are
 * shown under "More".
 */
const PLACED = new Set([
  ...["label", "exitCondition", "maxIterations", "feedbackMode", "keep", "variables", "limits", "onLimit"],
  ...["onError", "delay", "result", "score", "outputs", "workspace"],
]);

/** Returns the fields of the chosen exit condition. */
function useExitFields(props: LoopProps): FieldSpec[] {
  const exits = useKind(props.node.type)?.exits ?? [];
  return exitFields(props.fields, chosenExit(props, exits));
}

export function LoopPanel(props: LoopProps) {
  return (
    <>
      <ExitModes {...props} />
      <Feedback {...props} />
      <ReadNames {...props} />
      <Limits {...props} />
      <Result {...props} />
      <Workspace {...props} />
      <More {...props} />
    </>
  );
}

function useProblemsAt(nodeId: string, names: readonly string[]) {
  const problems = useNodeProblems(nodeId);
  return names.flatMap((name) => problemsAt(problems, name));
}

/**
 * Shows those problems of these fields that no inner field shows: problems of a field as a whole, or of an
 * unknown part of it.
 */
function Others({ node, fields, of }: LoopProps & { of: readonly string[] }) {
  const problems = useProblemsAt(node.id, of).filter((p) => {
    const place = p.place ?? "";
    if (place.includes("[")) return false;
    const [outer, inner] = place.split(".");
    const field = fields.find((f) => f.name === outer);
    return inner === undefined || !field?.fields.some((f) => f.name === inner);
  });
  return problems.map((p) => <FieldProblem key={`${p.code}:${p.place}:${p.message}`} problem={p} />);
}

function Feedback(props: LoopProps) {
  const { node, fields } = props;
  const mode = String(settingOf(props, "feedbackMode") ?? "replace");
  const variables = fields.find((f) => f.name === "variables");
  const problems = useProblemsAt(node.id, ["variables"]);
  // Existing variables are shown in every mode, because the loop updates them in every mode.
  const shown =
    mode === "variables" || (Array.isArray(node.data.variables) && node.data.variables.length > 0);
  return (
    <div className={panelStyles.section} data-field="feedbackMode">
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
      <p className={classes(formStyles.hint, "hint", formStyles.spaced)}>
        {FEEDBACK[mode as keyof typeof FEEDBACK] ?? ""}
      </p>
      {shown && variables && (
        <VariablesTable
          nodeId={node.id}
          field={variables}
          value={node.data.variables}
          problems={problems}
          onChange={(value) => editData(node.id, "variables", value, "Change variables")}
        />
      )}
      {mode === "append" && (
        <>
          <InnerSetting {...props} of="keep" name="last" />
          <InnerSetting {...props} of="keep" name="summarise" />
        </>
      )}
      <Others {...props} of={["feedbackMode", "variables", "keep"]} />
    </div>
  );
}

/**
 * Lists the names that the loop's condition and variables can read. Shows nothing if the loop has neither a
 * condition nor variables.
 */
function ReadNames(props: LoopProps) {
  const { node } = props;
  const exits = useKind(node.type)?.exits ?? [];
  const tested = chosenExit(props, exits)?.needs === "condition";
  const varied = Array.isArray(node.data.variables) && node.data.variables.length > 0;
  if (!tested && !varied) return null;
  const repeat = asObject(node.data.condition).while === undefined ? "until" : "while";
  return <Names nodeId={node.id} field={tested ? `condition.${repeat}` : "variables[0].next"} />;
}

function Limits(props: LoopProps) {
  const { node } = props;
  const delayed = asObject(node.data.delay).interval !== undefined;
  return (
    <Fold title="Limits" open>
      <div className={classes(panelStyles.section, styles.limits)}>
        <MaxIterations {...props} />
        <InnerSetting {...props} of="limits" name="iterationTimeout" />
        <InnerSetting {...props} of="limits" name="timeout" />
        <InnerSetting {...props} of="delay" name="interval" />
        {delayed && (
          <div className={formListsStyles.nestedFields}>
            <InnerSetting {...props} of="delay" name="type" />
            <InnerSetting {...props} of="delay" name="maxInterval" />
            <InnerSetting {...props} of="delay" name="jitter" />
          </div>
        )}
        <InnerSetting {...props} of="limits" name="budgetUsd" />
        <InnerSetting {...props} of="limits" name="budgetTokens" />
        <NoProgress {...props} />
        <Setting {...props} name="onLimit" />
        <Setting {...props} name="onError" />
        <Others {...props} of={["limits", "delay"]} />
      </div>
    </Fold>
  );
}

/**
 * Shows the iteration limit of the loop. If the workflow has a limit for all loops, a hint names that limit
 * as long as the loop's value does not exceed it.
 */
function MaxIterations(props: LoopProps) {
  const ceiling = useDocument((s) => {
    const own = s.document.settings?.maxIterationsCeiling;
    return typeof own === "number" ? own : null;
  });
  const asked = settingOf(props, "maxIterations");
  return (
    <>
      <Setting {...props} name="maxIterations" />
      {ceiling !== null && typeof asked === "number" && asked <= ceiling && (
        <p className={classes(formStyles.hint, styles.ceiling, "hint")}>
          This workflow allows up to {ceiling} iterations.
        </p>
      )}
    </>
  );
}

function Result(props: LoopProps) {
  const { node, fields } = props;
  const outputs = fields.find((f) => f.name === "outputs");
  const problems = useProblemsAt(node.id, ["result", "score", "outputs"]);
  const best = settingOf(props, "result") === "best";
  const scoredAbove = useExitFields(props).some((f) => f.name === "score");
  const further = Array.isArray(node.data.outputs) ? node.data.outputs.length : 0;
  const note = [
    best ? `best${typeof node.data.score === "string" ? ` by ${node.data.score}` : ""}` : "the last",
    further > 0 ? `${further} more` : "",
  ];
  return (
    <Fold title="Result" note={note.filter(Boolean).join(", ")} open={problems.length > 0}>
      <div className={panelStyles.section}>
        <Setting {...props} name="result" />
        {!scoredAbove && <Setting {...props} name="score" />}
        {outputs && (
          <>
            <p className={styles.moreOutputs} {...tip(outputs.description)}>
              More outputs
            </p>
            <OutputsTable
              nodeId={node.id}
              field={outputs}
              value={node.data.outputs}
              problems={problems.filter((p) => p.place?.startsWith("outputs"))}
              onChange={(value) => editData(node.id, "outputs", value, "Change outputs")}
            />
          </>
        )}
      </div>
    </Fold>
  );
}

/**
 * Shows the folder that the loop copies for its work. The other settings of that copy appear once a folder is
 * set.
 */
function Workspace(props: LoopProps) {
  const { node, fields } = props;
  const problems = useProblemsAt(node.id, ["workspace"]);
  const { source } = asObject(node.data.workspace);
  const folder = typeof source === "string" ? source.trim() : "";
  const help = fields.find((f) => f.name === "workspace")?.description;
  return (
    <Fold title="Workspace" note={folder} open={problems.length > 0}>
      <div className={classes(panelStyles.section, styles.limits)}>
        {folder === "" && help && (
          <p className={classes(formStyles.hint, "hint", formStyles.spaced)}>{help}</p>
        )}
        <InnerSetting {...props} of="workspace" name="source" />
        {folder !== "" && (
          <>
            <InnerSetting {...props} of="workspace" name="base" />
            <InnerSetting {...props} of="workspace" name="protect" />
            <InnerSetting {...props} of="workspace" name="prepare" />
            <InnerSetting {...props} of="workspace" name="onFailedIteration" />
            <InnerSetting {...props} of="workspace" name="confine" />
          </>
        )}
        <Others {...props} of={["workspace"]} />
      </div>
    </Fold>
  );
}

function More(props: LoopProps) {
  const { node } = props;
  const withExit = useExitFields(props);
  const fields = props.fields.filter((f) => !PLACED.has(f.name) && !isOfExit(f) && !withExit.includes(f));
  const problems = useProblemsAt(
    node.id,
    fields.map((f) => f.name),
  );
  if (fields.length === 0) return null;
  const set = fields.filter((f) => node.data[f.name] !== undefined).map((f) => f.title.toLowerCase());
  return (
    <Fold title="More" note={set.join(", ")} open={problems.length > 0}>
      <SettingsForm node={node} fields={fields.map((f) => ({ ...f, group: null }))} all={props.fields} />
    </Fold>
  );
}
