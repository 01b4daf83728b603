// The sheet of all keyboard shortcuts, over the window.

import { useRef } from "react";
import { IconButton } from "../components/Button";
import { classes } from "../components/classes";
import dialogStyles from "../components/Dialog.module.css";
import { useModal } from "../components/use-modal";
import { useSession } from "../session/session";
import { ShortcutList } from "./ShortcutList";
import styles from "./ShortcutSheet.module.css";

export function ShortcutSheet() {
  const open = useSession((s) => s.shortcuts);
  return open ? <OpenSheet /> : null;
}

function OpenSheet() {
  const box = useRef<HTMLDialogElement>(null);
  const close = () => useSession.getState().patch({ shortcuts: false });
  useModal(box);
  return (
    <dialog
      ref={box}
      className={classes(dialogStyles.question, dialogStyles.sheet, styles.sheet)}
      aria-labelledby="sheet-title"
      onCancel={close}
      onClose={close}
      onPointerDown={(event) => event.target === box.current && close()}
    >
      <header>
        <h2 id="sheet-title">Keyboard shortcuts</h2>
        <IconButton icon="x" label="Close" onClick={close} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <section className={styles.scroll} tabIndex={0} aria-label="All shortcuts">
        <ShortcutList heading="h3" />
      </section>
      <p>
        Single letters work while the canvas has the focus; <kbd>F6</kbd> moves it there from anywhere.
      </p>
    </dialog>
  );
}
