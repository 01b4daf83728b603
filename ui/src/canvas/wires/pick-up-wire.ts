// Picks up the wire at a pressed input, as if the wire's end were grabbed. This works only at an input that
// takes a single value and has exactly one wire. Otherwise it is unclear which wire is meant.
import type { MouseEvent as ReactMouseEvent } from "react";
import type { HandleInfo } from "../../ipc/generated/bindings";
import { useScene } from "../../scene/scene";

/** Returns xyflow's grab area at the end of a wire; null if the wire is not drawn as an element. */
const grip = (edge: string): Element | null =>
  document.querySelector(
    `[data-region="canvas"] .react-flow__edge[data-id="${CSS.escape(edge)}"] .react-flow__edgeupdater-target`,
  );

/**
 * Returns the id of the only wire that ends at an input; null if there are none or several, or if it is not
 * drawn at that socket.
 */
function wireAt(node: string, handle: HandleInfo): string | null {
  if (handle.many) return null;
  const wires = useScene
    .getState()
    .wires.filter((wire) => !wire.ends && wire.edge.target === node && wire.targetHandle === handle.name);
  return wires.length === 1 ? (wires[0]?.edge.id ?? null) : null;
}

/**
 * Forwards a press on an input's socket to the end of its wire. Without a wire, the socket handles the press.
 */
export function pickUpWire(event: ReactMouseEvent, node: string, handle: HandleInfo): void {
  if (event.button !== 0) return;
  const wire = wireAt(node, handle);
  const end = wire === null ? null : grip(wire);
  if (!end) return;
  event.stopPropagation();
  event.preventDefault();
  const { clientX, clientY } = event;
  end.dispatchEvent(
    new MouseEvent("mousedown", { bubbles: true, cancelable: true, button: 0, clientX, clientY }),
  );
}
