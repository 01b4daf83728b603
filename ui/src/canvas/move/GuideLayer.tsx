// The guides along which a dragged card aligns with others.

import { useStore, ViewportPortal } from "@xyflow/react";
import canvasStyles from "../Canvas.module.css";
import styles from "./GuideLayer.module.css";
import { useGuides } from "./guides";

export function GuideLayer() {
  const guides = useGuides((s) => s.guides);
  const zoom = useStore((s) => s.transform[2]);
  if (guides.length === 0) return null;
  return (
    <ViewportPortal>
      <svg className={canvasStyles.drawing} aria-hidden="true" style={{ strokeWidth: 1 / zoom }}>
        {guides.map(({ axis, at, from, to }) =>
          axis === "x" ? (
            <line className={styles.guide} key={`x${at}`} x1={at} x2={at} y1={from} y2={to} />
          ) : (
            <line className={styles.guide} key={`y${at}`} x1={from} x2={to} y1={at} y2={at} />
          ),
        )}
      </svg>
    </ViewportPortal>
  );
}
