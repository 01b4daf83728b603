// A name dragged by the pointer from where it is listed into a field. A ghost follows, a line shows where it would be put.
import { type PointerEvent as ReactPointerEvent, useEffect, useRef } from "react";
import { addDropLine, type DropLine } from "../../../components/code/drop-line";
import { dropName } from "../../../components/code/open";
import { preventTextSelection } from "../../../session/text-selection";

/** Pixels that a press may wander before it is a drag. */
const SLACK = 4;

type Drag = { name: string; ghost: HTMLElement; line: DropLine; allowSelection: () => void };

function begin(name: string): Drag {
  const ghost = document.createElement("div");
  ghost.className = "name-ghost";
  ghost.textContent = name;
  // Over a modal dialog only what is part of it is drawn.
  (document.querySelector("dialog[open]") ?? document.body).append(ghost);
  return { name, ghost, line: addDropLine(), allowSelection: preventTextSelection() };
}

function move({ ghost, line }: Drag, x: number, y: number): void {
  ghost.style.translate = `${x + 10}px ${y + 8}px`;
  ghost.classList.toggle("fits", line.show(x, y));
}

/** Handlers for an element that stands for a name. `onPick`: it was pressed and not dragged. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is left of a drag goes with its element.
  useEffect(() => end, []);
  return {
    /** Whether the press that a click ends was a drag. */
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
