// The evaluator that ends a loop: the branch that leads to Exit. Choosing another branch moves the wire.

import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Select } from "../../components/Select";
import { useAnalysis } from "../../document/analysis";
import { newEdge } from "../../document/build";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import type { FlowDoc, HandleInfo, Region } from "../../ipc/generated/bindings";
import styles from "./ExitModes.module.css";
import { currentEvaluators, type EvaluatorBranch, possibleEvaluators } from "./exit-evaluator";
import { Row } from "./settings";

const key = ({ node, handle }: EvaluatorBranch) => JSON.stringify([node, handle]);
const NO_HANDLES: readonly HandleInfo[] = [];

export function Evaluator({ loopId }: { loopId: string }) {
  const region = useAnalysis((s) => s.analysis.regions.find((r) => r.start === loopId));
  const nodes = useAnalysis((s) => s.analysis.nodes);
  const byType = useKinds((s) => s.byType);
  const document = useDocument((s) => s.document);
  const branches = (id: string) => nodes[id]?.outputs ?? NO_HANDLES;
  const now = region ? currentEvaluators(document, region, byType) : [];
  const all = region ? possibleEvaluators(document, region, byType, branches) : [];
  const [only] = now;
  // If there are other nodes between the branch and Exit, or several wires, the user must move the wires on
  // the canvas.
  const direct =
    region &&
    only &&
    now.length === 1 &&
    all.some((d) => key(d) === key(only)) &&
    reachesExit(document, region, only);
  return (
    <>
      <Row label="Decided by">
        {region && direct && only ? (
          <Select
            wide
            label="Decided by"
            value={key(only)}
            options={all.map((d) => ({ value: key(d), label: d.label }))}
            onChange={(next) => {
              const chosen = all.find((d) => key(d) === next);
              if (chosen)
                useDocument
                  .getState()
                  .edit(setEvaluator(region, only, chosen), { label: "Change what decides" });
            }}
          />
        ) : (
          <span className={classes(styles.decider, "text-primary")}>
            {now.map((d) => d.label).join(", ") || "nothing yet"}
          </span>
        )}
      </Row>
      {now.length === 0 && (
        <p className={classes(formStyles.hint, "hint")}>
          Wire one branch of a Router, a Validator, a Check or an Approval to Exit. When a run takes that
          branch, the loop ends.
        </p>
      )}
    </>
  );
}

function reachesExit(document: FlowDoc, region: Region, { node, handle }: EvaluatorBranch): boolean {
  return document.edges.some(
    (e) => e.source === node && (e.sourceHandle ?? "") === handle && e.target === region.end,
  );
}

/** Moves the wire that leads to Exit from one branch to another. */
export const setEvaluator =
  (region: Pick<Region, "end">, from: EvaluatorBranch, to: EvaluatorBranch) =>
  (document: FlowDoc): FlowDoc => {
    const old = document.edges.find(
      (e) => e.source === from.node && (e.sourceHandle ?? "") === from.handle && e.target === region.end,
    );
    if (!old || region.end === null) return document;
    const edges = document.edges.filter((e) => e !== old);
    const edge = newEdge(document, {
      source: to.node,
      sourceHandle: to.handle,
      target: region.end,
      targetHandle: old.targetHandle ?? null,
    });
    return { ...document, edges: [...edges, edge] };
  };
