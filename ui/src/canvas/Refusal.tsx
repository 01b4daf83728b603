// The reason why a wire was refused, shown while it springs back to its socket.

import { useEffect } from "react";
import { createPortal } from "react-dom";
import { useConnecting } from "../session/connecting";
import styles from "./Refusal.module.css";

/** The time the reason is shown, in milliseconds: enough to read a short sentence. */
const READ_MS = 3200;

export function Refusal() {
  const refusal = useConnecting((s) => s.refusal);
  const clear = useConnecting((s) => s.clearRefusal);
  useEffect(() => {
    if (!refusal) return;
    const timer = setTimeout(clear, READ_MS);
    return () => clearTimeout(timer);
  }, [refusal, clear]);
  if (!refusal) return null;
  const { at, from } = refusal;
  const length = Math.hypot(at.x - from.x, at.y - from.y);
  // The coordinates are relative to the window. The canvas is a layout container, and inside it they would be
  // relative to the canvas. So the reason is rendered in a portal.
  return createPortal(
    <div className={styles.refusal} role="alert">
      <svg aria-hidden="true">
        <line
          key={`${at.x},${at.y}`}
          x1={from.x}
          y1={from.y}
          x2={at.x}
          y2={at.y}
          pathLength={1}
          style={{ strokeWidth: length > 0 ? 2 : 0 }}
        />
      </svg>
      <span style={{ left: at.x, top: at.y }}>{refusal.text}</span>
    </div>,
    document.body,
  );
}
