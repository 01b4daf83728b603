// The open questions of all runs, which of them the user has looked at, and the answers. The list is read
// from Rust, since other programs also run flows and answer questions.
import { create } from "zustand";
import { useKinds } from "../../document/kinds";
import { ApiFailure, api, errorMessage } from "../../ipc/client";
import type { OpenQuestion } from "../../ipc/generated/bindings";
import { type AnswerChoice, sendAnswer } from "../../runs/session/answers";
import type { Asked } from "../../runs/session/run-session";
import { useRuns } from "../../runs/session/store";
import { forgetQuestion } from "../../runs/view/step-detail";
import { useSession } from "../../session/session";
import { currentAfter, keyOf } from "./alike";

/** The refresh interval of the number in the status bar, in milliseconds. */
const COUNT_INTERVAL_MS = 30_000;

/**
 * The delay before the questions are read again after a run of this window has changed, in milliseconds. The
 * store learns of the change slightly later.
 */
const AFTER_CHANGE_MS = 400;

/**
 * The time, in milliseconds, for which an answered question is left out although it is still listed. The answer
 * is recorded slightly later.
 */
const RECORDED_MS = 10_000;

/**
 * The interval between attempts to send a queued answer, in milliseconds. A run accepts an answer only while
 * all of its unfinished steps wait, and it continues for a while after each answer.
 */
const QUEUE_INTERVAL_MS = 500;

/** An answer that its run cannot accept yet. */
interface QueuedAnswer {
  readonly question: OpenQuestion;
  readonly choice: AnswerChoice;
}

interface Waiting {
  /** The open questions, oldest first; null until they have been read. */
  readonly questions: readonly OpenQuestion[] | null;
  /** The reason the questions could not be read; null after a successful read. */
  readonly failure: string | null;
  /** The key of the shown question. */
  readonly current: string | null;
  /** The keys of the questions that were shown long enough to be looked at. */
  readonly looked: ReadonlySet<string>;
  /** The reasons why answers were refused, by the key of their question. */
  readonly refused: Readonly<Record<string, string>>;
  /** The answers that are sent as soon as their runs wait again, by the key of their question, in order. */
  readonly queued: ReadonlyMap<string, QueuedAnswer>;
  /** The keys of the questions answered here, with the time of the answer. */
  readonly answered: ReadonlyMap<string, number>;
  /** Whether several answers are being sent. */
  readonly isSending: boolean;
  load(): Promise<void>;
  choose(key: string): void;
  /** Moves by this number of questions, but not beyond the first or the last one. */
  move(by: number): void;
  look(key: string): void;
  /**
   * Answers a question with its draft, and reads the list again. If the run is running, the answer is queued.
   * If it is refused for another reason, `refused` contains the reason.
   */
  answer(question: OpenQuestion, choice: AnswerChoice): Promise<Asked>;
  /** Answers questions one after the other. */
  answerAll(questions: readonly OpenQuestion[], approved: boolean): Promise<void>;
}

/** The number of reads that have started. Only the result of the newest read is used. */
let reads = 0;

/** Tells the user that a question that they tried to answer is no longer open. */
function tellGone({ title, flow }: OpenQuestion): void {
  useSession.getState().toast({
    tone: "info",
    stays: true,
    title: "The question is no longer open",
    detail: `“${title}” of “${flow}” was answered elsewhere, or its run has ended.`,
  });
}

export const useWaiting = create<Waiting>()((set, get) => ({
  questions: null,
  failure: null,
  current: null,
  looked: new Set(),
  refused: {},
  queued: new Map(),
  answered: new Map(),
  isSending: false,

  async load() {
    reads += 1;
    const read = reads;
    let found: OpenQuestion[];
    try {
      found = await api().openQuestions();
    } catch (error) {
      if (read === reads) set({ failure: errorMessage(error) });
      return;
    }
    if (read !== reads) return;
    const before = get().questions ?? [];
    const now = Date.now();
    const answered = new Map([...get().answered].filter(([, at]) => now - at < RECORDED_MS));
    const { current, looked, refused, queued } = get();
    const questions = found.filter((one) => !answered.has(keyOf(one)) && !queued.has(keyOf(one)));
    const open = new Set(found.map(keyOf));
    // The step may ask another question, with different values.
    for (const one of before) if (!open.has(keyOf(one))) forgetQuestion(one.runId, one.path);
    for (const [key, { question }] of queued) if (!open.has(key)) tellGone(question);
    set({
      queued: new Map([...queued].filter(([key]) => open.has(key))),
      questions,
      failure: null,
      answered,
      current: currentAfter(before, current, questions),
      looked: new Set([...looked].filter((key) => open.has(key))),
      refused: Object.fromEntries(Object.entries(refused).filter(([key]) => open.has(key))),
    });
  },

  choose: (current) => set({ current }),

  move(by) {
    const { questions, current } = get();
    if (questions === null) return;
    const at = questions.findIndex((one) => keyOf(one) === current);
    const to = questions[Math.max(0, Math.min(questions.length - 1, at + by))];
    if (to) set({ current: keyOf(to) });
  },

  look(key) {
    if (!get().looked.has(key)) set((s) => ({ looked: new Set([...s.looked, key]) }));
  },

  async answer(question, choice) {
    const key = keyOf(question);
    const outcome = await send(question, choice);
    const { [key]: _, ...refused } = get().refused;
    if (outcome === "queued") {
      set((s) => ({ refused, queued: new Map([...s.queued, [key, { question, choice }]]) }));
      sendQueuedSoon();
    } else if (outcome === "done") {
      set((s) => ({ refused, answered: new Map([...s.answered, [key, Date.now()]]) }));
    } else {
      set({ refused: { ...refused, [key]: outcome.why } });
    }
    await get().load();
    if (outcome !== "queued" && outcome !== "done") tellIfGone(question);
    return outcome === "done" ? "done" : "sent";
  },

  async answerAll(questions, approved) {
    if (get().isSending) return;
    set({ isSending: true });
    const kinds = useKinds.getState().byType;
    for (const question of questions) {
      const isCall = kinds.get(question.nodeType)?.shape !== "branching";
      await get().answer(question, { approved, isCall });
    }
    set({ isSending: false });
  },
}));

/** If a question whose answer was refused is no longer listed, tells the user so. */
function tellIfGone(question: OpenQuestion): void {
  const { failure, questions } = useWaiting.getState();
  const key = keyOf(question);
  if (failure === null && !questions?.some((one) => keyOf(one) === key)) tellGone(question);
}

/** The result of sending: the answer was accepted, its run cannot accept it yet, or it was refused. */
type Outcome = "done" | "queued" | { readonly why: string };

async function send({ runId, path }: OpenQuestion, choice: AnswerChoice): Promise<Outcome> {
  try {
    await sendAnswer(runId, path, choice);
    return "done";
  } catch (error) {
    if (error instanceof ApiFailure && error.code === "busy") return "queued";
    return { why: errorMessage(error) };
  }
}

/** Whether another attempt to send queued answers is scheduled. */
let isAttemptPlanned = false;

/** Sends queued answers after a delay, and again until none is left. */
function sendQueuedSoon(): void {
  if (isAttemptPlanned) return;
  isAttemptPlanned = true;
  setTimeout(async () => {
    await sendQueued();
    isAttemptPlanned = false;
    if (useWaiting.getState().queued.size > 0) sendQueuedSoon();
  }, QUEUE_INTERVAL_MS);
}

/** Sends the oldest queued answer of each run, since a run continues after each answer. */
async function sendQueued(): Promise<void> {
  const tried = new Set<string>();
  for (const [key, { question, choice }] of useWaiting.getState().queued) {
    if (tried.has(question.runId)) continue;
    tried.add(question.runId);
    const outcome = await send(question, choice);
    if (outcome === "queued") continue;
    useWaiting.setState((s) => {
      const queued = new Map([...s.queued].filter(([other]) => other !== key));
      return outcome === "done"
        ? { queued, answered: new Map([...s.answered, [key, Date.now()]]) }
        : { queued, refused: { ...s.refused, [key]: outcome.why } };
    });
    await useWaiting.getState().load();
    if (outcome !== "done") tellIfGone(question);
  }
}

/** Returns a string that changes when a run of this window may have asked or answered a question. */
function statesOfRuns(): string {
  const { live, past, background } = useRuns.getState();
  const tabs = [{ live, past }, ...Object.values(background)];
  return tabs
    .flatMap((runs) => [runs.live, runs.past])
    .map((view) => (view ? `${view.state.runId} ${view.state.status} ${view.state.waiting.join(",")}` : ""))
    .join("\n");
}

/** Keeps the number of open questions up to date, until the returned function is called. */
export function followQuestions(): () => void {
  const load = () => void useWaiting.getState().load();
  load();
  const interval = setInterval(load, COUNT_INTERVAL_MS);
  let soon: ReturnType<typeof setTimeout> | undefined;
  let before = statesOfRuns();
  const stop = useRuns.subscribe(() => {
    const now = statesOfRuns();
    if (now === before) return;
    before = now;
    clearTimeout(soon);
    soon = setTimeout(load, AFTER_CHANGE_MS);
  });
  return () => {
    stop();
    clearTimeout(soon);
    clearInterval(interval);
  };
}
