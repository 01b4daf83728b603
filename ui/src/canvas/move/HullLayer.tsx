// The hulls around loop bodies, drawn below the nodes. Their shape is computed from the nodes' positions. A
// hull is red and dashed while its loop has no Exit.

import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { useAnalysis } from "../../document/analysis";
import { isQuiet, useAsked } from "../../document/quiet";
import type { Region } from "../../ipc/generated/bindings";
import { hullOf } from "../../kernels/hull";
import { regionIds } from "../../kernels/nested-hulls";
import { useLoopRun } from "../../runs";
import { plural } from "../../runs/words/format";
import { useScene } from "../../scene/scene";
import { endsOf } from "../../scene/wires";
import { testIds } from "../../testids";
import canvasStyles from "../Canvas.module.css";
import { useIsHullElement } from "../detail";
import styles from "./HullLayer.module.css";
import { laneOf, present, useBoxes, useNeighbours, useRegionBoxes } from "./regions";

function tagText(region: Region): string {
  const size = plural(region.body.length, "node");
  if (region.repeats === "each") return `${size}, for each item`;
  return region.maxIterations === null ? size : `${size}, up to ${plural(region.maxIterations, "iteration")}`;
}

const Hull = memo(function Hull({ region }: { region: Region }) {
  const source = useScene((s) => {
    const wire = s.wires.find((one) => one.loop === region.start && one.edge.target === region.start);
    return wire && endsOf(wire).source;
  });
  const hiddenBy = useScene((s) => s.hiddenBy);
  const ids = useMemo(
    () => [...new Set(regionIds(region).map((id) => hiddenBy.get(id) ?? id))],
    [region, hiddenBy],
  );
  const boxes = useRegionBoxes(region, ids);
  const others = useNeighbours(ids);
  const [sourceBox] = useBoxes(source ? [source] : []);
  const run = useLoopRun(region.repeats === "loop" ? region.start : "");
  const hull = useMemo(() => {
    const visibleBoxes = present(boxes);
    const lane = sourceBox ? laneOf(boxes[0] ?? null, sourceBox, visibleBoxes) : null;
    return hullOf(visibleBoxes, lane, others);
  }, [boxes, sourceBox, others]);
  const open = region.end === null;
  const live = run?.state === "running";
  const asked = useAsked();
  const code = region.body.length === 0 ? "empty_region" : "no_end";
  const quiet = isQuiet({ code, node: region.start, place: null }, asked);
  const look = classes(styles.hull, open && styles.open, open && quiet && styles.quiet, live && styles.live);
  const path = hull?.path ?? null;
  const shape = useMemo(() => (path === null ? null : { path, classes: look, open }), [path, look, open]);
  const isElement = useIsHullElement(region.start, shape);
  if (!hull) return null;
  return (
    <>
      {isElement && (
        <svg className={canvasStyles.drawing} aria-hidden="true">
          <path className={look} d={hull.path} data-frame />
        </svg>
      )}
      {run?.shown != null ? (
        <span
          className={classes(styles.tag, styles.end)}
          data-testid={testIds.hullTag}
          style={{ left: hull.end - 34, top: hull.tag.y }}
        >
          <i>
            {run.shown === run.current
              ? `body shows iteration ${run.shown}`
              : `showing iteration ${run.shown} in every body node`}
          </i>
        </span>
      ) : (
        <span
          className={classes(styles.tag, open && styles.open, open && quiet && styles.quiet)}
          data-testid={testIds.hullTag}
          style={{ left: hull.tag.x, top: hull.tag.y }}
        >
          <Icon
            name={
              open
                ? quiet
                  ? "circle-dashed"
                  : "circle-alert"
                : region.repeats === "loop"
                  ? "repeat"
                  : "rows-3"
            }
            size={12}
          />
          {open ? (
            `${region.repeats === "loop" ? "Loop body" : "Iteration"} ${region.body.length === 0 ? "is empty" : "has no end node"}`
          ) : (
            <>
              {region.repeats === "loop" ? "Loop body" : "For each"}
              <i>{tagText(region)}</i>
            </>
          )}
        </span>
      )}
    </>
  );
});

export function HullLayer() {
  const regions = useAnalysis(useShallow((s) => [...s.analysis.regions].sort((a, b) => a.depth - b.depth)));
  const folds = useScene((s) => s.folds);
  const hiddenBy = useScene((s) => s.hiddenBy);
  return (
    <ViewportPortal>
      <div className={styles.hulls}>
        {regions
          .filter(({ start }) => !hiddenBy.has(start) && !folds.some((fold) => fold.id === start))
          .map((region) => (
            <Hull key={region.start} region={region} />
          ))}
      </div>
    </ViewportPortal>
  );
}
