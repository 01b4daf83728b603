// The edge of a panel, which can be dragged or moved with the arrow keys.

import { useRef } from "react";
import { classes } from "../components/classes";
import styles from "./Resizer.module.css";

interface ResizerProps {
  direction: "vertical" | "horizontal";
  label: string;
  value: () => number;
  onChange: (value: number) => void;
  min: number;
  max: number;
}

const STEP = 16;

export function Resizer({ direction, label, value, onChange, min, max }: ResizerProps) {
  const start = useRef<{ at: number; value: number } | null>(null);
  const clamp = (next: number) => onChange(Math.round(Math.max(min, Math.min(max, next))));
  const at = (event: React.PointerEvent) => (direction === "vertical" ? event.clientY : event.clientX);
  const [grow, shrink] = direction === "vertical" ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a movable separator.
    <div
      className={classes(styles.resizer, styles[direction])}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={direction === "vertical" ? "horizontal" : "vertical"}
      aria-valuenow={value()}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={(event) => {
        start.current = { at: at(event), value: value() };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start.current) clamp(start.current.value + start.current.at - at(event));
      }}
      onPointerUp={() => {
        start.current = null;
      }}
      onKeyDown={(event) => {
        if (event.key === grow) clamp(value() + STEP);
        else if (event.key === shrink) clamp(value() - STEP);
        else return;
        event.preventDefault();
      }}
    />
  );
}
