// Edit mode: the settings of the selected node, under a header that names it and can rename it.

import { useRef } from "react";
import { classes } from "../components/classes";
import formStyles from "../components/Form.module.css";
import { TextField } from "../components/fields";
import { Icon } from "../components/Icon";
import iconTileStyles from "../components/IconTile.module.css";
import { Message } from "../components/Message";
import panelStyles from "../components/Panel.module.css";
import { tip } from "../components/tip";
import { useAnalysis, useNodeProblems, useRegionOf } from "../document/analysis";
import { editData, useFlowNode, useRunDocument } from "../document/document";
import { isLoopFamily, useKind } from "../document/kinds";
import type { Estimate, FlowNode, KindInfo } from "../ipc/generated/bindings";
import { plainMessage } from "../kernels/typeset";
import { type NodePanelProps, nodePanels } from "../node-ui/panels";
import { costWords, useBudget, useEstimate } from "../runs/inputs/estimate";
import { RUN_VALUE } from "../runs/inputs/inputs";
import { plural } from "../runs/words/format";
import { CommonFields } from "./form/CommonFields";
import { FieldProblem } from "./form/Field";
import { useFocusField } from "./form/focus";
import { SettingsForm } from "./form/SettingsForm";
import { type FieldSpec, fieldsOf } from "./form/schema";
import styles from "./NodeSettings.module.css";
import titleStyles from "./PanelTitle.module.css";
import { RunInputField } from "./RunInputs";

export function NodeSettings({ nodeId }: { nodeId: string }) {
  const node = useFlowNode(nodeId);
  const kind = useKind(node?.type ?? "");
  const form = useRef<HTMLDivElement>(null);
  useFocusField(form, nodeId);
  if (!node) return null;
  const fields = kind ? formFields(kind) : [];
  const Panel = kind && nodePanels[kind.type];
  return (
    <div className={panelStyles.form} ref={form} data-node={nodeId}>
      <NodeHeader node={node} kind={kind} />
      {!kind && (
        <p className={classes(panelStyles.section, formStyles.hint)}>
          This program does not know the node kind “{node.type}”. The node is kept unchanged, and fails when
          it runs.
        </p>
      )}
      <NodeProblems node={node} fields={fields} />
      {kind?.shape === "input" && (
        <div className={panelStyles.section} data-field={RUN_VALUE}>
          <h4>Your value for the next run</h4>
          <RunInputField nodeId={node.id} />
        </div>
      )}
      {Panel ? <Panel node={node} fields={fields} /> : <NodeForm node={node} fields={fields} />}
      {kind && fields.length === 0 && (
        <p className={classes(panelStyles.section, formStyles.hint)}>
          <Message text={kind.doc || "This node has no settings."} />
        </p>
      )}
      <EstimateFoot />
    </div>
  );
}

/**
 * Shows the problems of the whole node, and those at a place without a form field, such as a wire or a
 * branch.
 */
function NodeProblems({ node, fields }: NodePanelProps) {
  const names = new Set(fields.map((f) => f.name));
  const problems = useNodeProblems(node.id).filter((p) => {
    const [name] = p.place?.split(/[.[]/) ?? [];
    return p.node === node.id && (name === undefined || !names.has(name));
  });
  if (problems.length === 0) return null;
  return (
    <div className={panelStyles.section} data-testid="node-problems">
      {problems.map((p) => (
        <FieldProblem key={`${p.code}:${p.place}:${p.message}`} problem={p} />
      ))}
    </div>
  );
}

/** Returns the fields of the form: all fields of the kind except the label, which is edited in the header. */
export function formFields(kind: KindInfo): FieldSpec[] {
  return fieldsOf(kind.schema).filter((f) => f.name !== "label");
}

/** Shows a kind's own fields, followed by the common ones in a collapsible section. */
function NodeForm({ node, fields }: NodePanelProps) {
  const common = fields.filter((f) => f.common);
  return (
    <>
      <SettingsForm node={node} fields={fields.filter((f) => !f.common)} />
      {common.length > 0 && <CommonFields node={node} fields={common} />}
    </>
  );
}

export function NodeTile({ kind, size = 18 }: { kind: KindInfo | undefined; size?: number }) {
  const loops = kind !== undefined && isLoopFamily(kind);
  return (
    <span
      className={classes(
        iconTileStyles.iconTile,
        `category-${loops ? "loop" : (kind?.category ?? "io")}`,
        size > 14 && iconTileStyles.lg,
      )}
    >
      <Icon name={kind?.icon ?? "box"} size={size} />
    </span>
  );
}

function NodeHeader({ node, kind }: { node: FlowNode; kind: KindInfo | undefined }) {
  const region = useRegionOf(node.id);
  const label = typeof node.data.label === "string" ? node.data.label : "";
  const title = kind?.title ?? node.type;
  return (
    <header {...tip(kind && plainMessage(kind.doc))}>
      <NodeTile kind={kind} />
      <div className="grow">
        <TextField
          className={titleStyles.title}
          label="Label"
          testId="node-label"
          value={label}
          placeholder={node.id}
          onChange={(text) => editData(node.id, "label", text === "" ? undefined : text, "Rename")}
        />
        <span className={classes(panelStyles.caption, "text-tertiary")}>
          {title}
          {region ? ` · ${plural(region.body.length, "node")} in body` : kind ? ` · ${kind.summary}` : ""}
        </span>
      </div>
    </header>
  );
}

/**
 * Formats the iterations of a workflow's only loop: "5 iterations", or "5 iterations × 2 calls" if the loop
 * makes all calls, and the same number in each iteration.
 */
function partsOf(iterations: number, { perIteration, maxCalls }: Estimate): string {
  const times = plural(iterations, "iteration");
  return perIteration !== null && perIteration > 0 && iterations * perIteration === maxCalls
    ? `${times} × ${plural(perIteration, "call")}`
    : times;
}

/** Shows the maximum cost of a run before it starts. */
export function EstimateFoot() {
  const estimate = useAnalysis((s) => s.whole.estimate);
  const isRunnable = useAnalysis((s) => s.whole.runnable);
  const cost = costWords(useEstimate(isRunnable), useBudget()?.usd ?? null);
  const loops = useAnalysis((s) => s.whole.regions.filter((r) => r.repeats === "loop").length);
  const document = useRunDocument();
  const region = useAnalysis((s) => s.whole.regions.find((r) => r.repeats === "loop"));
  if (document.nodes.length === 0) return null;
  const most =
    estimate.maxCalls === null
      ? estimate.note || "number of calls not known before the run"
      : estimate.agentTurns !== 0
        ? estimate.counts
        : estimate.maxCalls === 0
          ? "no model calls"
          : `up to ${plural(estimate.maxCalls, "call")}`;
  const parts = loops === 1 && region?.maxIterations ? partsOf(region.maxIterations, estimate) : "";
  return (
    <div className={styles.foot} data-testid="estimate-foot">
      <Icon name="coins" />
      <span>{parts}</span>
      <span className="grow" />
      <span className={classes(styles.figures, "text-secondary")}>
        {[most, cost].filter(Boolean).join(" · ")}
      </span>
    </div>
  );
}
