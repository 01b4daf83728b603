// Drags a name from a list into a field with the pointer. A ghost follows the pointer, and a line shows the
// drop position.
import { type PointerEvent as ReactPointerEvent, useEffect, useRef } from "react";
import { classes } from "../../../components/classes";
import { addDropLine, type DropLine } from "../../../components/code/drop-line";
import { dropName } from "../../../components/code/open";
import { preventTextSelection } from "../../../session/text-selection";
import { testIds } from "../../../testids";
import styles from "./Names.module.css";

/** The distance in pixels after which a press becomes a drag. */
const SLACK = 4;

type Drag = { name: string; ghost: HTMLElement; line: DropLine; allowSelection: () => void };

function begin(name: string): Drag {
  const ghost = document.createElement("div");
  ghost.className = classes(styles.ghost);
  ghost.dataset.testid = testIds.nameGhost;
  ghost.textContent = name;
  // Above a modal dialog, only its own descendants are visible.
  (document.querySelector("dialog[open]") ?? document.body).append(ghost);
  return { name, ghost, line: addDropLine(), allowSelection: preventTextSelection() };
}

function move({ ghost, line }: Drag, x: number, y: number): void {
  ghost.style.translate = `${x + 10}px ${y + 8}px`;
  ghost.toggleAttribute("data-fits", line.show(x, y));
}

/**
 * Returns the handlers of an element by which a name can be dragged. A drag ends with a click on the element:
 * if `wasDragged()` is true, the element must ignore that click.
 */
export function useNameDrag(name: string) {
  const drag = useRef<Drag | null>(null);
  const from = useRef<{ x: number; y: number } | null>(null);
  const dragged = useRef(false);
  const end = () => {
    drag.current?.ghost.remove();
    drag.current?.line.remove();
    drag.current?.allowSelection();
    drag.current = null;
    from.current = null;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an unfinished drag is cleaned up on unmount.
  useEffect(() => end, []);
  return {
    /** Returns whether the press before a click was a drag. */
    wasDragged: () => dragged.current,
    handlers: {
      onPointerDown: (event: ReactPointerEvent<HTMLElement>) => {
        dragged.current = false;
        if (event.button !== 0) return;
        from.current = { x: event.clientX, y: event.clientY };
        event.currentTarget.setPointerCapture?.(event.pointerId);
      },
      onPointerMove: (event: ReactPointerEvent<HTMLElement>) => {
        const start = from.current;
        if (start === null) return;
        const far = Math.hypot(event.clientX - start.x, event.clientY - start.y) > SLACK;
        if (drag.current === null && !far) return;
        dragged.current = true;
        drag.current ??= begin(name);
        move(drag.current, event.clientX, event.clientY);
      },
      onPointerUp: (event: ReactPointerEvent<HTMLElement>) => {
        const was = drag.current;
        end();
        if (was !== null) dropName(event.clientX, event.clientY, name);
      },
      onPointerCancel: end,
    },
  };
}
