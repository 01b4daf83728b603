// Modal questions as promises, one at a time.
import { create } from "zustand";

export interface Choice<T> {
  label: string;
  value: T;
  tone?: "primary" | "danger";
}

export interface Question<T = unknown> {
  title: string;
  detail: string;
  choices: Choice<T>[];
  /** The answer that Escape gives. */
  cancel: T;
}

interface DialogState {
  open: { question: Question; answer: (value: unknown) => void } | null;
}

export const useDialog = create<DialogState>()(() => ({ open: null }));

export function askQuestion<T>(question: Question<T>): Promise<T> {
  const { open } = useDialog.getState();
  open?.answer(open.question.cancel);
  return new Promise((resolve) => {
    useDialog.setState({
      open: {
        question,
        answer: (value) => {
          useDialog.setState({ open: null });
          resolve(value as T);
        },
      },
    });
  });
}
