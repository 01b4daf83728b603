// The sheet that opens where a run waits for a person: which node asks, what it would do, and the answers. The canvas stays in sight
// beside it. Escape closes it and answers nothing; `Waiting` in the top bar opens it again.
import { useEffect, useLayoutEffect, useRef } from "react";
import { Button, IconButton } from "../components/Button";
import { Message } from "../components/Message";
import { useFocusKept } from "../components/use-focus-kept";
import { useModal } from "../components/use-modal";
import { flowAt } from "../document/inside";
import { AnswerForm } from "../inspector/run/AnswerForm";
import { titleOf } from "../kernels/node-title";
import { parsePath } from "../runs/path";
import { useStepDetail } from "../runs/step-detail";
import { type RunView, shownRun, useRuns } from "../runs/store";
import { canvasView } from "../session/canvas-view";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import {
  closeApproval,
  openApproval,
  type Question,
  questions,
  updateApprovalSheet,
  useApprovalSheet,
} from "./approval-sheet";
import "./approval.css";

/** The node at the end of a path, also within subflows. */
function nodeAt(view: RunView | null, path: string) {
  const segments = parsePath(path);
  const breadcrumbs = segments.slice(0, -1).flatMap(({ id, iteration }) => (iteration === null ? [id] : []));
  const flow = view && (flowAt(view.document, breadcrumbs) ?? view.document);
  return flow?.nodes.find((node) => node.id === segments.at(-1)?.id);
}

/** What the run said when the step began to wait. */
function questionAt(view: RunView | null, path: string): string | null {
  const waitingRecord = view?.state.log.findLast(
    (e) => e.type === "workflow.node.waiting" && e.path === path,
  );
  return waitingRecord?.type === "workflow.node.waiting" ? waitingRecord.message : null;
}

/** What may get the focus first: a field before a button, and never the answer that allows. */
const FIRST = "input, textarea, select, [contenteditable=true]";

const focusFirst = (dialog: HTMLElement | null) =>
  (dialog?.querySelector<HTMLElement>(FIRST) ?? dialog?.querySelector("button"))?.focus();

/** Follows the run, the page and the focus, for as long as the window is there. */
function useOpensByItself(): void {
  useEffect(() => {
    // After the focus has arrived where it goes.
    const later = () => void setTimeout(updateApprovalSheet, 0);
    const ends = [useRuns.subscribe(updateApprovalSheet), useSession.subscribe(updateApprovalSheet)];
    document.addEventListener("focusout", later);
    updateApprovalSheet();
    return () => {
      for (const end of ends) end();
      document.removeEventListener("focusout", later);
    };
  }, []);
}

export function ApprovalSheet() {
  useOpensByItself();
  const open = useApprovalSheet((s) => s.open);
  return open && <Sheet key={`${open.runId}|${open.path}`} question={open} />;
}

function Sheet({ question }: { question: Question }) {
  const { runId, path } = question;
  const box = useRef<HTMLDialogElement>(null);
  const view = useRuns(shownRun);
  const waiting = view?.state.waiting ?? [];
  const at = waiting.indexOf(path);
  const node = nodeAt(view, path);
  const loaded = useStepDetail(runId, path, "waiting");
  const isReady = loaded.state === "ready" || loaded.state === "failed";
  const reason = questionAt(view, path);
  useModal(box);
  const nodeId = node?.id ?? null;
  // The button that was pressed is gone with the question.
  useLayoutEffect(
    () => () => {
      if (document.activeElement === document.body) canvasView()?.focus(nodeId);
    },
    [nodeId],
  );
  useLayoutEffect(() => {
    const dialog = box.current;
    if (!isReady || dialog === null) return;
    // Whoever went on to something in the sheet stays there.
    if (dialog.contains(document.activeElement) && document.activeElement?.matches(FIRST)) return;
    focusFirst(dialog);
  }, [isReady]);
  // Fields are replaced once the tool's schema is read.
  useFocusKept(box, () => focusFirst(box.current));
  const next = () => {
    const all = questions();
    const following = all[(at + 1) % all.length];
    if (following) openApproval(following);
  };
  return (
    <dialog
      ref={box}
      className="question approval-sheet"
      data-testid={testIds.approvalSheet}
      aria-labelledby="approval-title"
      aria-describedby="approval-question"
      onCancel={(event) => {
        event.preventDefault();
        closeApproval();
      }}
    >
      <header className="row">
        <h2 id="approval-title">{node ? titleOf(node) : "A step"} waits for you</h2>
        <IconButton icon="x" size={14} label="Close, and answer later" onClick={closeApproval} />
      </header>
      <p id="approval-question">
        <Message text={reason ?? "Waits for your answer"} />
      </p>
      <div className="approval-body">
        <AnswerForm runId={runId} path={path} type={node?.type ?? ""} />
      </div>
      {waiting.length > 1 && (
        <footer className="row">
          <span role="status">
            {at + 1} of {waiting.length} that wait
          </span>
          <Button small onClick={next}>
            Next
          </Button>
        </footer>
      )}
    </dialog>
  );
}
