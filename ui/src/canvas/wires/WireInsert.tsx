// The plus button of a hovered wire, which inserts a node into the wire. The key A does the same for a
// selected wire.

import { useEffect, useRef, useState } from "react";
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { useDocument } from "../../document/document";
import type { Point } from "../../kernels/geometry";
import { useScene } from "../../scene/scene";
import { canvasView } from "../../session/canvas-view";
import { useConnecting } from "../../session/connecting";
import { testIds } from "../../testids";
import styles from "./WireInsert.module.css";

/** The delays in milliseconds before the plus appears over a hovered wire and before it disappears. */
const HOVER_DELAY_MS = 140;
const HIDE_DELAY_MS = 350;
/** The distance of the button's centre above the wire, in pixels, so that the wire itself stays clickable. */
const ABOVE = 20;

/** The minimum zoom at which the button appears. */
const NEAR = 0.4;

interface Shown {
  edge: string;
  /** The middle of the wire, in client pixels. */
  middle: Point;
}

/** Returns the wire under the pointer and its middle; null if no node can be inserted into it. */
function wireAt(target: EventTarget | null): Shown | null {
  const element = target instanceof Element ? target.closest(".react-flow__edge") : null;
  const path = element?.querySelector<SVGPathElement>(".react-flow__edge-path");
  const edge = element?.getAttribute("data-id");
  const wire = useScene.getState().wires.find((one) => one.edge.id === edge);
  if (!path || !wire || wire.ends) return null;
  const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
  const view = canvasView();
  // When the canvas is zoomed out, the button would be as large as a card.
  const middle = view && view.zoom() >= NEAR ? view.toClient({ x, y }) : null;
  return middle ? { edge: wire.edge.id, middle } : null;
}

export function WireInsert() {
  const [shown, setShown] = useState<Shown | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const readOnly = useDocument((s) => s.suspended !== null);
  const drawing = useConnecting((s) => s.from !== null || s.quickAdd !== null);
  const off = readOnly || drawing;
  useEffect(() => {
    if (off) return;
    const canvas = document.querySelector('[data-region="canvas"]');
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (next: Shown | null, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => setShown(next), ms);
    };
    const over = (event: Event) => {
      if (!(event instanceof PointerEvent) || event.buttons !== 0) return;
      if (button.current?.contains(event.target as Node)) clearTimeout(timer);
      else {
        const wire = wireAt(event.target);
        later(wire, wire ? HOVER_DELAY_MS : HIDE_DELAY_MS);
      }
    };
    const gone = (event: Event) => {
      if (!button.current?.contains(event.target as Node)) later(null, 0);
    };
    const events = ["pointerdown", "wheel", "keydown"];
    canvas?.addEventListener("pointerover", over);
    for (const name of events) window.addEventListener(name, gone, { capture: true, passive: true });
    return () => {
      clearTimeout(timer);
      setShown(null);
      canvas?.removeEventListener("pointerover", over);
      for (const name of events) window.removeEventListener(name, gone, { capture: true });
    };
  }, [off]);
  if (!shown || off) return null;
  const canvas = document.querySelector('[data-region="canvas"]')?.getBoundingClientRect();
  const { edge, middle } = shown;
  return (
    <button
      ref={button}
      type="button"
      className={styles.wireInsert}
      style={{ left: middle.x - (canvas?.left ?? 0), top: middle.y - (canvas?.top ?? 0) - ABOVE }}
      // The button is not a tab stop. The key A does the same, and one stop per wire would be too many.
      tabIndex={-1}
      {...tip("Insert a node into this wire")}
      aria-label="Insert a node into this wire"
      data-testid={testIds.wireInsert}
      onClick={() => useConnecting.getState().openQuickAdd({ at: middle, from: null, into: edge })}
    >
      <Icon name="plus" size={12} />
    </button>
  );
}
