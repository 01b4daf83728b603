// The draft of an answer to a waiting step, kept until it is sent. It survives the selection of another node.
// The two places where it can be sent share one draft.
import { create } from "zustand";
import type { Json, StepAnswer } from "../../ipc/generated/bindings";
import { forgetQuestion } from "../view/step-detail";
import type { Asked } from "./run-session";
import { sessionOf } from "./store";

export type Answering = {
  /** The edited value as text; null if the user has not edited it. */
  readonly draft: string | null;
  readonly comment: string;
  /** The value to send; null for the original value. */
  readonly value: Json;
  /** The reason the draft cannot be sent; null if it can be sent. */
  readonly error: string | null;
};

/**
 * The choice in an answer. `isCall` is true if the question is whether a call may be made, and false if the
 * question is where a value goes.
 */
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

/**
 * Sends the draft and clears it after it is accepted. Rejects if the value is approved but cannot be parsed.
 */
export async function sendAnswer(runId: string, path: string, choice: AnswerChoice): Promise<Asked> {
  const { approved, isCall, scope = "once" } = choice;
  const answering = answerTo(runId, path);
  if (approved && answering.error !== null) throw new Error(answering.error);
  // An answer that denies a call sends no arguments, edited or not.
  const value = approved || !isCall ? answering.value : null;
  const comment = answering.comment.trim() === "" ? null : answering.comment;
  const answer = { approved, value, comment, ...(scope === "run" ? { scope } : {}) };
  const asked = await sessionOf(runId).answer(path, answer);
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
