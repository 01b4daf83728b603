// The line that marks the drop position in a field.

import { testIds } from "../../testids";
import { classes } from "../classes";
import styles from "./DropLine.module.css";
import { dropAt } from "./open";

export interface DropLine {
  /**
   * Moves the line to the drop position for this point of the window. Outside of fields, hides the line and
   * returns false.
   */
  show(x: number, y: number): boolean;
  remove(): void;
}

export function addDropLine(): DropLine {
  const line = document.createElement("div");
  line.className = classes(styles.line);
  line.dataset.testid = testIds.dropLine;
  line.hidden = true;
  // Above a modal dialog, only its own descendants are visible.
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
