// What a person has written to a step that waits, until it is sent: it outlives a look at another node, and both places that
// send an answer send it.
import { create } from "zustand";
import type { Json, StepAnswer } from "../../ipc/generated/bindings";
import { forgetQuestion } from "../view/step-detail";
import type { Asked } from "./run-session";
import { useRuns } from "./store";

export type Answering = {
  /** The value as it is typed; null while it was left as it is. */
  readonly draft: string | null;
  readonly comment: string;
  /** What is sent of it: null for the value as it came. */
  readonly value: Json;
  /** Why it cannot be sent. */
  readonly error: string | null;
};

/** `isCall`: the question is whether a call may be made, and not where a value goes. */
export type AnswerChoice = {
  readonly approved: boolean;
  readonly isCall: boolean;
  readonly scope?: StepAnswer["scope"];
};

const NOTHING: Answering = { draft: null, comment: "", value: null, error: null };

const keyOf = (runId: string, path: string): string => `${runId}|${path}`;

export const useAnswers = create<{ readonly written: { readonly [step: string]: Answering } }>()(() => ({
  written: {},
}));

const answerTo = (runId: string, path: string): Answering =>
  useAnswers.getState().written[keyOf(runId, path)] ?? NOTHING;

export const useAnswerTo = (runId: string, path: string): Answering =>
  useAnswers((s) => s.written[keyOf(runId, path)] ?? NOTHING);

export function writeAnswer(runId: string, path: string, change: Partial<Answering>): void {
  const answering = { ...answerTo(runId, path), ...change };
  useAnswers.setState((s) => ({ written: { ...s.written, [keyOf(runId, path)]: answering } }));
}

/** Sends what was written, and forgets it once it was taken. Rejects where the value is approved and cannot be read. */
export async function sendAnswer(runId: string, path: string, choice: AnswerChoice): Promise<Asked> {
  const { approved, isCall, scope = "once" } = choice;
  const answering = answerTo(runId, path);
  if (approved && answering.error !== null) throw new Error(answering.error);
  // A call that is denied is made with no arguments, edited or not.
  const value = approved || !isCall ? answering.value : null;
  const comment = answering.comment.trim() === "" ? null : answering.comment;
  const answer = { approved, value, comment, ...(scope === "run" ? { scope } : {}) };
  const asked = await useRuns.getState().answer(path, answer);
  forget(runId, path);
  forgetQuestion(runId, path);
  return asked;
}

function forget(runId: string, path: string): void {
  useAnswers.setState(({ written }) => {
    const { [keyOf(runId, path)]: _, ...rest } = written;
    return { written: rest };
  });
}
