// A wire. If it runs forwards, it is a curve; backwards, it is a path with corners through the free band
// between rows. A feedback wire is dashed, runs below the body and shows how the value is fed back.

import {
  BaseEdge,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  getBezierPath,
  getSmoothStepPath,
  useStore,
} from "@xyflow/react";
import { memo, useMemo } from "react";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { wireLook } from "../../components/wire-look";
import { useRegionOf } from "../../document/analysis";
import { useFlowNode } from "../../document/document";
import type { Region } from "../../ipc/generated/bindings";
import { feedbackPath } from "../../kernels/hull";
import { regionIds } from "../../kernels/nested-hulls";
import { BACKWARDS } from "../../kernels/wire";
import { useLoopRun } from "../../runs";
import type { Wire } from "../../scene/wires";
import { testIds } from "../../testids";
import { useWireActivity } from "../activity";
import { laneOf, present, useBoxes, useCrossing, useRegionBoxes } from "../move/regions";
import { socketShape } from "./Socket";
import styles from "./WireEdge.module.css";

export type WireEdgeType = Edge<{ wire: Wire }, "wire">;

/** The width in which a wire reacts to the pointer: in flow pixels, and the minimum in screen pixels. */
const WIDTH = { flow: 18, screen: 8 };

/** Returns the width rounded up to a few fixed values, so that wires are redrawn in few frames of a zoom. */
const widthAt = (zoom: number) => Math.max(WIDTH.flow, 2 ** Math.ceil(Math.log2(WIDTH.screen / zoom)));

function ForwardWire(props: EdgeProps<WireEdgeType>) {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, selected } = props;
  const activity = useWireActivity(
    data?.wire.edge.source ?? props.source,
    data?.wire.edge.target ?? props.target,
  );
  const width = useStore((state) => widthAt(state.transform[2]));
  const backwards = targetX <= sourceX;
  const centerY = useCrossing(backwards, targetX, sourceX, sourceY, targetY);
  const ends = { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition };
  const [path] = backwards ? getSmoothStepPath({ ...ends, ...BACKWARDS, centerY }) : getBezierPath(ends);
  const tone = data?.wire.tone ?? "any";
  const bad = data?.wire.bad === true;
  const look = classes(
    wireLook(socketShape(tone), bad),
    styles.path,
    activity !== "" && styles[activity],
    selected && styles.picked,
  );
  return (
    <>
      <BaseEdge path={path} className={look} data-bad={bad || undefined} interactionWidth={width} />
      {activity === "flow" && <path d={path} className={styles.flowDashes} />}
    </>
  );
}

function FeedbackWire({ region, ...props }: EdgeProps<WireEdgeType> & { region: Region | null }) {
  const loopId = props.data?.wire.loop ?? props.target;
  const loop = useFlowNode(loopId);
  const run = useLoopRun(loopId);
  const ids = useMemo(
    () => (region ? regionIds(region) : [loopId, props.source]),
    [region, loopId, props.source],
  );
  const boxes = useRegionBoxes(region, ids);
  const [source] = useBoxes([props.source]);
  const lane = laneOf(boxes[0] ?? null, source ?? null, present(boxes));
  if (!lane) return null;
  const path = feedbackPath(
    { x: props.sourceX, y: props.sourceY },
    { x: props.targetX, y: props.targetY },
    lane,
  );
  const right = Math.max(lane.right, props.sourceX + 12);
  const middle = (lane.left + right) / 2;
  const arrow = lane.left + (right - lane.left) / 4;
  const rise = (lane.y + props.targetY) / 2;
  const mode = String(loop?.data.feedbackMode ?? "replace");
  const from = run?.shown != null && run.shown > 1 ? ` · from iteration ${run.shown - 1}` : "";
  return (
    <>
      <BaseEdge
        path={path}
        className={classes(
          wireLook("feedback"),
          styles.path,
          styles.feedback,
          props.selected && styles.picked,
        )}
        data-feedback
        interactionWidth={WIDTH.flow}
      />
      <path className={styles.arrow} d={`M${arrow + 3} ${lane.y - 5}l-6 5 6 5`} />
      <path className={styles.arrow} d={`M${lane.left - 5} ${rise + 3}l5-6 5 6`} />
      <EdgeLabelRenderer>
        <span className={styles.label} data-testid={testIds.wireLabel} style={{ left: middle, top: lane.y }}>
          <Icon name="repeat" size={12} />
          feedback · {mode}
          {from}
        </span>
      </EdgeLabelRenderer>
    </>
  );
}

export const WireEdge = memo(function WireEdge(props: EdgeProps<WireEdgeType>) {
  const loop = props.data?.wire.loop ?? null;
  const region = useRegionOf(loop ?? "");
  if (loop !== null) return <FeedbackWire {...props} region={region ?? null} />;
  return <ForwardWire {...props} />;
});
