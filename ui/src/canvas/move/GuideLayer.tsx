// The guides along which a dragged card aligns with others.
import { useStore, ViewportPortal } from "@xyflow/react";
import { useGuides } from "./guides";

export function GuideLayer() {
  const guides = useGuides((s) => s.guides);
  const zoom = useStore((s) => s.transform[2]);
  if (guides.length === 0) return null;
  return (
    <ViewportPortal>
      <svg className="hull-layer guides" aria-hidden="true" style={{ strokeWidth: 1 / zoom }}>
        {guides.map(({ axis, at, from, to }) =>
          axis === "x" ? (
            <line key={`x${at}`} x1={at} x2={at} y1={from} y2={to} />
          ) : (
            <line key={`y${at}`} x1={from} x2={to} y1={at} y2={at} />
          ),
        )}
      </svg>
    </ViewportPortal>
  );
}
