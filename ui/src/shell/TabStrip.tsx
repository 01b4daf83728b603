// The tabs of the open flows under the top bar, which can be chosen, closed and dragged. The strip is shown
// if several flows are open.

import { useEffect, useRef } from "react";
import { commandById } from "../commands";
import { hintOf, keyText } from "../commands/keyboard";
import { IconButton } from "../components/Button";
import { classes } from "../components/classes";
import { Icon } from "../components/Icon";
import marksStyles from "../components/Marks.module.css";
import { tip } from "../components/tip";
import { useSession } from "../session/session";
import { closeTab } from "../tabs/closing";
import type { RunMark } from "../tabs/run-marks";
import { type TabFace, useTabFaces } from "../tabs/tab-faces";
import { moveTab, showTab, useTabs } from "../tabs/tabs";
import { testIds } from "../testids";
import { PAGES } from "./pages";
import styles from "./TabStrip.module.css";

/** The distance in pixels after which a press becomes a drag. */
const DRAG_FROM = 6;

/** Starts dragging a tab after a press. The dragged tab takes the position of the tab under the pointer. */
function dragTab(event: React.PointerEvent, id: string): void {
  if (event.button !== 0) return;
  const list = event.currentTarget.closest("ul");
  const from = event.clientX;
  let dragging = false;
  const move = (at: PointerEvent) => {
    dragging ||= Math.abs(at.clientX - from) > DRAG_FROM;
    if (!dragging || !list) return;
    const middles = [...list.children].map((tab) => {
      const { left, width } = tab.getBoundingClientRect();
      return left + width / 2;
    });
    const own = useTabs.getState().tabs.findIndex((tab) => tab.id === id);
    const before = middles.filter((middle, i) => i !== own && middle < at.clientX).length;
    moveTab(id, before);
  };
  const end = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", end);
    window.removeEventListener("pointercancel", end);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", end);
  window.addEventListener("pointercancel", end);
}

/** Closes a tab after a click on its close button, and focuses the tab that is then active. */
async function closeHere(id: string): Promise<void> {
  if (!(await closeTab(id))) return;
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('[aria-label="Open flows"] [aria-current]')?.focus(),
  );
}

/** The marks of tabs with a run. When a run ends, the mark stays until its tab is shown. */
const MARKS: Record<RunMark, { look: string; words: string }> = {
  running: { look: classes(marksStyles.pulse, "text-running"), words: "running" },
  waiting: { look: "text-warning", words: "waits for your answer" },
  failed: { look: "text-error", words: "failed" },
  done: { look: "text-ok", words: "done" },
};

function FlowTab({ face }: { face: TabFace }) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (face.active) item.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [face.active]);
  const words = [
    face.folder === null ? face.title : `${face.title} in ${face.folder}`,
    face.dirty && "unsaved changes",
    face.mark && MARKS[face.mark].words,
    face.past && "showing a past run",
  ];
  const show = () => {
    showTab(face.id);
    useSession.getState().show("editor");
  };
  return (
    <li
      ref={item}
      className={styles.flowTab}
      data-current={face.active || undefined}
      data-testid={testIds.tab(face.title)}
    >
      <button
        type="button"
        className={styles.pick}
        aria-current={face.active ? "page" : undefined}
        aria-label={words.filter(Boolean).join(", ")}
        {...tip(face.detail)}
        onPointerDown={(event) => dragTab(event, face.id)}
        onClick={show}
        onAuxClick={(event) => event.button === 1 && void closeTab(face.id)}
        onKeyDown={(event) => {
          if (event.key !== "Delete") return;
          event.preventDefault();
          void closeHere(face.id);
        }}
      >
        {face.mark !== null ? (
          <i className={classes(marksStyles.dot, MARKS[face.mark].look)} />
        ) : (
          <Icon name={face.past ? "history" : "file-json"} size={13} />
        )}
        <span className="clip-text">{face.title}</span>
        {face.folder !== null && <small className="clip-text">{face.folder}</small>}
        {face.dirty && <i className={marksStyles.dirty} />}
      </button>
      <IconButton
        icon="x"
        size={12}
        small
        className={styles.close}
        label={`Close ${face.title}`}
        hint={face.active ? hintOf(commandById("tab.close")) : undefined}
        onClick={() => void closeHere(face.id)}
      />
    </li>
  );
}

export function TabStrip() {
  const faces = useTabFaces();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const { current } = list;
    if (!current || !globalThis.ResizeObserver) return;
    // When the window becomes narrower, the active tab is scrolled into view.
    const observer = new ResizeObserver(() =>
      current.querySelector("[data-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <nav className={styles.tabstrip} aria-label="Open flows">
      <ul ref={list}>
        {faces.map((face) => (
          <FlowTab key={face.id} face={face} />
        ))}
      </ul>
      <IconButton
        icon="plus"
        size={14}
        small
        label="New workflow"
        hint={keyText("mod+n")}
        onClick={() => void commandById("file.new").run()}
      />
    </nav>
  );
}

/**
 * Returns whether the strip is shown. With a single open flow it is hidden, because the top bar names the
 * flow.
 */
export const useStripShown = () => {
  const several = useTabs((s) => s.tabs.length > 1);
  const view = useSession((s) => s.view);
  return several && PAGES[view].hasTabs;
};
