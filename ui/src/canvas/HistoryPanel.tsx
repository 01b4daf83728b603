// The states of the flow since it was opened. Each is named by the change that led to it; clicking it
// restores the state.

import { useEffect, useRef } from "react";
import { keyText } from "../commands/keyboard";
import { IconButton } from "../components/Button";
import { classes } from "../components/classes";
import entryListStyles from "../components/EntryList.module.css";
import floatStyles from "../components/Float.module.css";
import { Icon } from "../components/Icon";
import { useFocusBack } from "../components/use-focus-back";
import { useDocument } from "../document/document";
import { useCanvasPanels } from "../session/canvas-panels";
import { testIds } from "../testids";
import canvasStyles from "./Canvas.module.css";
import styles from "./HistoryPanel.module.css";
import { focusCanvas } from "./view/focus";

export function HistoryPanel() {
  const open = useCanvasPanels((s) => s.open === "history");
  const readOnly = useDocument((s) => s.suspended !== null);
  return open && !readOnly ? <Panel /> : null;
}

interface State {
  label: string;
  /** The time of the change, in milliseconds since the epoch; null for the state that was opened. */
  at: number | null;
  saved: boolean;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

function Panel() {
  const history = useDocument((s) => s.history);
  const savedState = useDocument((s) => s.savedState);
  const panel = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useFocusBack(panel, focusCanvas);
  const here = history.done.length;
  const entries = [...history.done, ...[...history.undone].reverse()];
  const states: State[] = [
    {
      label: history.base === 0 ? "As opened" : "Earlier states were discarded",
      at: null,
      saved: savedState === history.base,
    },
    ...entries.map(({ label, at, state }) => ({ label, at, saved: state === savedState })),
  ];
  const go = (index: number) => useDocument.getState().goTo(index);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current state is kept in view when it changes.
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [here, states.length]);
  useEffect(() => list.current?.focus(), []);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: states.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(Math.max(0, Math.min(states.length - 1, to)));
  };
  return (
    <section
      ref={panel}
      className={classes(floatStyles.float, canvasStyles.panel)}
      aria-label="Edits"
      data-testid={testIds.historyPanel}
    >
      <header>
        <Icon name="history" size={14} />
        <b>Edits</b>
        <span className="grow" />
        <kbd>{keyText("mod+z")}</kbd>
        <IconButton icon="x" size={14} label="Close" onClick={() => useCanvasPanels.getState().show(null)} />
      </header>
      <div
        ref={list}
        className={classes(entryListStyles.entryList, canvasStyles.list)}
        role="listbox"
        aria-label="States"
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {states.map((state, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys.
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a state is identified by its index in the history.
            key={i}
            role="option"
            tabIndex={-1}
            aria-selected={i === here}
            className={classes(styles.state, i > here && styles.undone)}
            onClick={() => go(i)}
          >
            <span>{state.label}</span>
            {state.saved && <Icon name="save" size={11} />}
            {state.at !== null && <time>{clock.format(state.at)}</time>}
          </div>
        ))}
      </div>
    </section>
  );
}
