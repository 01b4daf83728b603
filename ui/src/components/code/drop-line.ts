// The line that shows where in a field something that is dragged would be put.
import { dropAt } from "./open";

export interface DropLine {
  /** Moves it to where a drop at this point of the window would insert. False where no field is: then it is not seen. */
  show(x: number, y: number): boolean;
  remove(): void;
}

export function addDropLine(): DropLine {
  const line = document.createElement("div");
  line.className = "name-drop";
  line.hidden = true;
  // Over a modal dialog only what is part of it is drawn.
  (document.querySelector("dialog[open]") ?? document.body).append(line);
  return {
    show(x, y) {
      const place = dropAt(x, y)?.line ?? null;
      line.hidden = place === null;
      if (place === null) return false;
      line.style.translate = `${place.left}px ${place.top}px`;
      line.style.height = `${place.height}px`;
      return true;
    },
    remove: () => line.remove(),
  };
}
