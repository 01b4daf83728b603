// The question of a waiting run, in place of the inspector: the node that asks, what it would do, and the
// answers. Canvas, tabs and Stop are unaffected. Escape, or selecting another node, closes the sheet without
// an answer. `Waiting` in the top bar opens it again.
import { useEffect, useLayoutEffect, useRef } from "react";
import { Button, IconButton } from "../components/Button";
import { classes } from "../components/classes";
import { Icon } from "../components/Icon";
import { Message } from "../components/Message";
import panelStyles from "../components/Panel.module.css";
import { isInPopup } from "../components/popup";
import { useFocusBack } from "../components/use-focus-back";
import { useFocusKept } from "../components/use-focus-kept";
import { flowAt } from "../document/inside";
import { AnswerForm } from "../inspector/run/AnswerForm";
import { titleOf } from "../kernels/node-title";
import type { RunView } from "../runs/fold/model";
import { parsePath } from "../runs/fold/path";
import { shownRun, useRuns } from "../runs/session/store";
import { useStepDetail } from "../runs/view/step-detail";
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import styles from "./ApprovalSheet.module.css";
import {
  closeApproval,
  openApproval,
  type Question,
  questions,
  updateApprovalSheet,
  useApprovalSheet,
} from "./approval-sheet";

/**
 * Returns the node that a step's path leads to, including nodes in subflows; undefined if the flow has no
 * such node.
 */
function nodeAt(view: RunView | null, path: string) {
  const segments = parsePath(path);
  const breadcrumbs = segments.slice(0, -1).flatMap(({ id, iteration }) => (iteration === null ? [id] : []));
  const flow = view && (flowAt(view.document, breadcrumbs) ?? view.document);
  return flow?.nodes.find((node) => node.id === segments.at(-1)?.id);
}

/** Returns the message with which this step began to wait most recently; null if it never waited. */
function questionAt(view: RunView | null, path: string): string | null {
  const waitingRecord = view?.state.log.findLast(
    (e) => e.type === "workflow.node.waiting" && e.path === path,
  );
  return waitingRecord?.type === "workflow.node.waiting" ? waitingRecord.message : null;
}

/**
 * Matches the fields that get the focus first. If there is no such field, the first button gets the focus.
 * The first button is never the one that allows the call.
 */
const FIRST = "input, textarea, select, [contenteditable=true]";

const focusFirst = (panel: HTMLElement | null) =>
  (panel?.querySelector<HTMLElement>(FIRST) ?? panel?.querySelector("button"))?.focus();

/** Keeps the sheet up to date with the run, the page and the focus, for the lifetime of the window. */
export function ApprovalWatch() {
  useEffect(() => {
    // The sheet is updated after the focus has settled.
    const later = () => void setTimeout(updateApprovalSheet, 0);
    const ends = [useRuns.subscribe(updateApprovalSheet), useSession.subscribe(updateApprovalSheet)];
    document.addEventListener("focusout", later);
    updateApprovalSheet();
    return () => {
      for (const end of ends) end();
      document.removeEventListener("focusout", later);
    };
  }, []);
  return null;
}

/** The sheet with the open question, in place of the inspector. Renders nothing if no question is open. */
export function ApprovalSheet() {
  const open = useApprovalSheet((s) => s.open);
  return open && <Sheet key={`${open.runId}|${open.path}`} question={open} />;
}

function Sheet({ question }: { question: Question }) {
  const { runId, path } = question;
  const box = useRef<HTMLElement>(null);
  const view = useRuns(shownRun);
  const waiting = view?.state.waiting ?? [];
  const at = waiting.indexOf(path);
  const node = nodeAt(view, path);
  const loaded = useStepDetail(runId, path, "waiting");
  const isReady = loaded.state === "ready" || loaded.state === "failed";
  const reason = questionAt(view, path);
  const nodeId = node?.id ?? null;
  // The pressed button disappears with the question, so the focus returns to the node.
  useFocusBack(box, () => canvasView()?.focus(nodeId));
  useLayoutEffect(() => box.current?.focus({ preventScroll: true }), []);
  useLayoutEffect(() => {
    const panel = box.current;
    if (!isReady || panel === null) return;
    // A user who has moved to another element keeps the focus there.
    const focused = document.activeElement;
    if (focused !== document.body && (!panel.contains(focused) || focused?.matches(FIRST))) return;
    focusFirst(panel);
  }, [isReady]);
  // The fields are replaced once the tool's schema is read, so the focus moves to the new ones.
  useFocusKept(box, () => focusFirst(box.current));
  const next = () => {
    const all = questions();
    const following = all[(at + 1) % all.length];
    if (following) openApproval(following);
  };
  return (
    <aside
      ref={box}
      className={classes(panelStyles.side, styles.approvalSheet)}
      data-testid={testIds.approvalSheet}
      data-region="side"
      // It is not modal. Its name and question are announced when it is focused.
      role="dialog"
      tabIndex={-1}
      aria-labelledby="approval-title"
      aria-describedby="approval-question"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || isInPopup(event.target)) return;
        event.preventDefault();
        event.stopPropagation();
        closeApproval();
      }}
    >
      <header>
        <Icon name="circle-pause" size={18} />
        <h2 id="approval-title" className="grow">
          {node ? titleOf(node) : "A step"} waits for you
        </h2>
        <IconButton icon="x" size={14} label="Close, and answer later" onClick={closeApproval} />
      </header>
      <p id="approval-question">
        <Message text={reason ?? "Waiting for your answer"} />
      </p>
      <div className={styles.body}>
        <AnswerForm runId={runId} path={path} type={node?.type ?? ""} inSheet />
      </div>
      {waiting.length > 1 && (
        <footer className="row">
          <span role="status">
            {at + 1} of {waiting.length} waiting
          </span>
          <Button small onClick={next}>
            Next
          </Button>
        </footer>
      )}
    </aside>
  );
}
