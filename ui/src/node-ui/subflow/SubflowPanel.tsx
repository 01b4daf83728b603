// The settings of a Subflow: whether its flow is stored in the node or in a file, buttons that move it
// between the two, and its inputs and outputs.

import { openSubflow } from "../../commands/node";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import panelStyles from "../../components/Panel.module.css";
import { tip } from "../../components/tip";
import { useHandles, useNodeProblems } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { heldFlow, refOf } from "../../document/inside";
import { beginInline, chooseFile, saveToFile, takeIn } from "../../document/subflow";
import { CommonFields } from "../../inspector/form/CommonFields";
import { FieldProblem } from "../../inspector/form/Field";
import { SettingsForm } from "../../inspector/form/SettingsForm";
import type { FieldSpec } from "../../inspector/form/schema";
import type { FlowNode, HandleInfo } from "../../ipc/generated/bindings";
import { plural } from "../../runs/words/format";
import styles from "./SubflowPanel.module.css";

type PanelProps = { node: FlowNode; fields: readonly FieldSpec[] };

/** The fields that say where the flow is stored. Only the buttons write them. */
const PLACED = new Set(["ref", "flow", "from"]);

export function SubflowPanel({ node, fields }: PanelProps) {
  const rest = fields.filter((f) => !PLACED.has(f.name));
  const common = rest.filter((f) => f.common);
  return (
    <>
      <Held node={node} />
      <Boundary node={node} />
      <SettingsForm node={node} fields={rest.filter((f) => !f.common)} />
      {common.length > 0 && <CommonFields node={node} fields={common} />}
    </>
  );
}

function Held({ node }: { node: FlowNode }) {
  const flow = heldFlow(node);
  const reference = refOf(node);
  const readOnly = useDocument((s) => s.suspended !== null);
  const problems = useNodeProblems(node.id).filter((p) => p.node !== node.id || PLACED.has(p.place ?? ""));
  return (
    <div className={panelStyles.section} data-field="ref">
      <h4>Flow</h4>
      <p className={styles.file} data-testid="subflow-held">
        <Icon name={reference !== null ? "file-json" : "workflow"} size={14} />
        {reference !== null ? (
          <b {...tip(reference)}>{reference}</b>
        ) : flow !== null ? (
          <>
            <b>In this node</b>
            <span className="text-tertiary">{plural(flow.nodes.length, "node")}</span>
          </>
        ) : (
          <span className="text-tertiary">No flow yet</span>
        )}
      </p>
      <div className={styles.actions}>
        {(flow !== null || reference !== null) && (
          <Button
            small
            variant="primary"
            icon="workflow"
            data-testid="subflow-open"
            onClick={() => void openSubflow(node.id)}
          >
            Open
          </Button>
        )}
        {!readOnly && <Moves id={node.id} inline={flow !== null} file={reference !== null} />}
      </div>
      <p className={classes(formStyles.hint, "hint", formStyles.spaced)}>
        {reference !== null
          ? "The flow has its own file, in this workflow's folder or a subfolder. Other workflows can use it too."
          : flow !== null
            ? "The flow is saved in this workflow. Save it to a file to use it in other workflows too."
            : "Create a flow inside this node, or choose a file in this workflow's folder or a subfolder."}
      </p>
      {problems.map((p) => (
        <FieldProblem key={`${p.code}:${p.node}:${p.message}`} problem={p} />
      ))}
    </div>
  );
}

function Moves({ id, inline, file }: { id: string; inline: boolean; file: boolean }) {
  return (
    <>
      {!inline && !file && (
        <Button
          small
          variant="primary"
          icon="plus"
          data-testid="subflow-begin"
          onClick={() => void beginInline(id)}
        >
          Create a flow
        </Button>
      )}
      {inline && (
        <Button small icon="save" data-testid="subflow-save" onClick={() => void saveToFile(id)}>
          Save to a file…
        </Button>
      )}
      {file && (
        <Button small icon="log-in" data-testid="subflow-take-in" onClick={() => void takeIn(id)}>
          Copy into this node
        </Button>
      )}
      <Button small icon="folder-open" data-testid="subflow-choose" onClick={() => void chooseFile(id)}>
        Choose a file…
      </Button>
    </>
  );
}

function Boundary({ node }: { node: FlowNode }) {
  const { inputs, outputs } = useHandles(node.id, node.type);
  if (inputs.length === 0 && outputs.length === 0) return null;
  return (
    <div className={panelStyles.section}>
      <h4>Inputs and outputs</h4>
      <Handles title="In" handles={inputs} />
      <Handles title="Out" handles={outputs} />
    </div>
  );
}

function Handles({ title, handles }: { title: string; handles: readonly HandleInfo[] }) {
  return (
    <>
      {handles.map((handle) => (
        <div className={classes(formStyles.formRow, "form-row")} key={handle.name}>
          <span>
            <i className={classes(styles.side, "text-tertiary")}>{title}</i> {handle.label}
          </span>
          <code className="text-tertiary">{handle.valueType}</code>
        </div>
      ))}
    </>
  );
}
