// "Run with…": the inputs of the next run in a panel under the Run button, within two clicks from anywhere in
// the editor.

import { useEffect, useRef, useState } from "react";
import { IconButton } from "../components/Button";
import { classes } from "../components/classes";
import popoverStyles from "../components/Popover.module.css";
import { isInPopup } from "../components/popup";
import { useRunDocument } from "../document/document";
import { useKinds } from "../document/kinds";
import { inputFields } from "../runs/inputs/inputs";
import { RunInputs } from "./RunInputs";

export function RunWith({ onRun }: { onRun(): void }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const document_ = useRunDocument();
  const kinds = useKinds((s) => s.kinds);
  const count = inputFields(document_, kinds).length;
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("textarea, input, select")?.focus();
    const onPointer = (e: PointerEvent) => {
      if (e.target instanceof Node && !box.current?.contains(e.target) && !isInPopup(e.target))
        setOpen(false);
    };
    const onKey = (e: KeyboardEvent) => {
      if (e.key !== "Escape" || isInPopup(e.target)) return;
      e.preventDefault();
      setOpen(false);
      box.current?.querySelector("button")?.focus();
    };
    window.addEventListener("pointerdown", onPointer, true);
    window.addEventListener("keydown", onKey, true);
    return () => {
      window.removeEventListener("pointerdown", onPointer, true);
      window.removeEventListener("keydown", onKey, true);
    };
  }, [open]);
  if (count === 0) return null;
  return (
    <div className={popoverStyles.runWith} ref={box}>
      <IconButton
        icon="text-cursor-input"
        size={15}
        label="Run with your own input"
        aria-haspopup="dialog"
        aria-expanded={open}
        data-testid="run-with"
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div
          className={classes(popoverStyles.popover, popoverStyles.runPopover, "run-popover")}
          role="dialog"
          aria-label="Run with your own input"
        >
          <h4>Run with your own input</h4>
          <RunInputs
            onRun={() => {
              setOpen(false);
              box.current?.querySelector("button")?.focus();
              onRun();
            }}
          />
        </div>
      )}
    </div>
  );
}
