// Shows, in the inspector, a step that waits for a person: its question and the possible answers.
import { useRef } from "react";
import { Message } from "../../components/Message";
import { useFocusBack } from "../../components/use-focus-back";
import type { Step } from "../../runs/fold/model";
import { canvasView } from "../../session/canvas-view";
import { AnswerForm } from "./AnswerForm";
import styles from "./WaitingPanel.module.css";

export function WaitingPanel({ runId, step, type }: { runId: string; step: Step; type: string }) {
  const box = useRef<HTMLElement>(null);
  // When the question is answered the panel disappears, and the focus moves to the node.
  useFocusBack(box, () => canvasView()?.focus(step.nodeId));
  return (
    <section
      ref={box}
      className={styles.panel}
      aria-label="Waiting for your answer"
      data-testid="waiting-panel"
    >
      <b>
        <Message text={step.reason || "Waiting for your answer"} />
      </b>
      <AnswerForm runId={runId} path={step.path} type={type} />
    </section>
  );
}
