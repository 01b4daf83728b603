// Several nodes drawn as one card: a folded loop with its handles and live count, or a collapsed group. It
// has a socket for each wire that crosses its border; a wire drawn to such a socket ends at the inner node.

import type { NodeProps } from "@xyflow/react";
import { memo, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import { unfold } from "../../commands/fold";
import { IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import { tip } from "../../components/tip";
import { problemsOf, useAnalysis } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { useKind } from "../../document/kinds";
import type { HandleInfo } from "../../ipc/generated/bindings";
import { foldedHandle } from "../../kernels/folds";
import { titleIn, titleOf } from "../../kernels/node-title";
import { useLoopRun, useNodeRun, useStateOfAll } from "../../runs";
import { plural } from "../../runs/words/format";
import type { SceneFold } from "../../scene/folds";
import { handlesNow, useScene } from "../../scene/scene";
import type { Wire } from "../../scene/wires";
import { testIds } from "../../testids";
import styles from "../CanvasCard.module.css";
import { useIsBox } from "../detail";
import { colourOf } from "../kind-colour";
import { useMeasuredAgain } from "../move/measure";
import type { CanvasNode } from "../nodes";
import { LoopBadge } from "./LoopBadge";
import { Ports } from "./Ports";
import { ProgressRing } from "./ProgressRing";
import { StateMark } from "./StateMark";

/**
 * Returns the sockets of a folded card: those of the visible node, unless all their wires lead inside, and
 * those of hidden nodes whose wires lead outside.
 */
export function socketsOf(fold: SceneFold, wires: readonly Wire[], output: boolean): HandleInfo[] {
  const hidden = new Set(fold.hidden);
  const inwards = new Set<string>();
  const outwards = new Set<string>();
  const crossing = new Map<string, HandleInfo>();
  for (const { edge, sourceHandle, targetHandle } of wires) {
    const [here, handle, there] = output
      ? [edge.source, sourceHandle, edge.target]
      : [edge.target, targetHandle, edge.source];
    const within = hidden.has(there) || there === fold.id;
    if (here === fold.id) (within ? inwards : outwards).add(handle);
    if (!hidden.has(here) || within) continue;
    const info = handlesNow(here)[output ? "outputs" : "inputs"].find((one) => one.name === handle);
    if (!info) continue;
    const name = foldedHandle(here, handle);
    const label = `${titleIn(useDocument.getState().document, here)} · ${info.label}`;
    crossing.set(name, { ...info, name, label, primary: false });
  }
  const own = fold.region ? handlesNow(fold.id)[output ? "outputs" : "inputs"] : [];
  return [...own.filter(({ name }) => outwards.has(name) || !inwards.has(name)), ...[...crossing.values()]];
}

const NONE: readonly string[] = [];

export const FoldCard = memo(function FoldCard({ id, data, selected, width, height }: NodeProps<CanvasNode>) {
  const fold = useScene((s) => s.folds.find((one) => one.id === id));
  const wires = useScene((s) => s.allWires);
  const kind = useKind(data.node.type);
  const [inputs, outputs] = useMemo(
    () => (fold ? [socketsOf(fold, wires, false), socketsOf(fold, wires, true)] : [[], []]),
    [fold, wires],
  );
  const problems = useAnalysis(
    useShallow((s) =>
      fold ? [id, ...fold.hidden].flatMap((one) => problemsOf(s.analysis.problems, one)) : [],
    ),
  );
  const run = useNodeRun(id, data.node.type);
  const loop = useLoopRun(fold?.region?.repeats === "loop" ? id : "");
  const whole = useStateOfAll(fold?.group ? fold.hidden : NONE);
  useMeasuredAgain(
    id,
    [...inputs, "|", ...outputs].map((h) => (typeof h === "string" ? h : h.name)).join(" "),
  );
  // xyflow reports the size 0 for a card it has not measured.
  const box = useIsBox(id, selected) && !!width && !!height;
  if (!fold) return null;
  const title = fold.group ? fold.group.title || "Group" : titleOf(data.node);
  const colour = fold.group ? `group-${fold.group.colour}` : colourOf(kind);
  const state = fold.region ? run.state : whole;
  const look = {
    className: classes(styles.card, styles.fold, colour),
    "data-kind": fold.region ? "loop" : "group",
    "data-state": state === "idle" || state === "done" ? undefined : state,
    "data-severity": problems.length > 0 ? "warning" : undefined,
    "data-selected": selected || undefined,
  };
  // A loop's Exit is hidden with its body, but is not counted as part of it.
  const size = plural((fold.region?.body ?? fold.hidden).length, "node");
  const words = `${title}, folded, ${size} inside${problems.length ? `, ${plural(problems.length, "problem")}` : ""}`;
  const label = (
    <span id={`node-label-${id}`} hidden>
      {words}
    </span>
  );
  if (box)
    return (
      <article {...look} data-box style={{ width, height }} data-testid={testIds.node(id)}>
        {label}
      </article>
    );
  return (
    <article {...look} data-testid={testIds.node(id)}>
      {label}
      {problems.length > 0 && <span className={styles.problemCount}>{problems.length}</span>}
      {fold.region?.repeats === "loop" && <LoopBadge id={id} />}
      <header className={styles.header}>
        {loop?.shown != null ? (
          <ProgressRing done={loop.shown} total={loop.total ?? loop.shown} />
        ) : (
          <span className={classes(iconTileStyles.iconTile, styles.tile, colour)}>
            <Icon name={fold.group ? "frame" : (kind?.icon ?? "box")} size={13} />
          </span>
        )}
        <b {...tip(title)}>{title}</b>
        <StateMark state={state} isExhausted={loop?.exhausted === true} />
        <IconButton
          icon="unfold-vertical"
          size={13}
          className={classes(styles.unfold, "nodrag")}
          label={`Unfold ${title}`}
          onClick={() => unfold(id)}
        />
      </header>
      <Ports node={id} inputs={inputs} outputs={outputs} kind={undefined} />
      <div className={styles.meta}>{size} folded</div>
    </article>
  );
});
