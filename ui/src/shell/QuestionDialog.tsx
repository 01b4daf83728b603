// A question over the window. The first choice that is not destructive is focused; Escape answers with the
// question's `cancel` value.

import { useLayoutEffect, useRef } from "react";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import dialogStyles from "../components/Dialog.module.css";
import { Message } from "../components/Message";
import { useModal } from "../components/use-modal";
import { useDialog } from "../session/dialog";

export function QuestionDialog() {
  const open = useDialog((s) => s.open);
  const box = useRef<HTMLDialogElement>(null);
  useModal(box, open);
  useLayoutEffect(() => {
    if (!open) return;
    const first = open.question.choices.findIndex(({ tone }) => tone !== "danger");
    [...(box.current?.querySelectorAll("button") ?? [])][first]?.focus();
  }, [open]);
  if (!open) return null;
  const { question, answer } = open;
  return (
    <dialog
      ref={box}
      className={dialogStyles.question}
      aria-labelledby="question-title"
      aria-describedby="question-detail"
      onCancel={(event) => {
        event.preventDefault();
        answer(question.cancel);
      }}
    >
      <h2 id="question-title">{question.title}</h2>
      <p id="question-detail">
        <Message text={question.detail} />
      </p>
      <div className={classes(dialogStyles.choices, "row")}>
        {question.choices.map((choice) => (
          <Button key={choice.label} variant={choice.tone ?? "plain"} onClick={() => answer(choice.value)}>
            {choice.label}
          </Button>
        ))}
      </div>
    </dialog>
  );
}
