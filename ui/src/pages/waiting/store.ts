// The open questions of all runs, which of them the person has looked at, and the answers. The list is read from
// Rust, since other programs run and answer as well.
import { create } from "zustand";
import { useKinds } from "../../document/kinds";
import { api, errorMessage } from "../../ipc/client";
import type { OpenQuestion } from "../../ipc/generated/bindings";
import { sendAnswer } from "../../runs/session/answers";
import { useRuns } from "../../runs/session/store";
import { forgetQuestion } from "../../runs/view/step-detail";
import { useSession } from "../../session/session";
import { currentAfter, keyOf } from "./alike";

/** The refresh interval of the number in the status bar, in milliseconds. */
const COUNT_INTERVAL_MS = 30_000;

/** The delay after a change of a run of this window, in milliseconds. The store learns of the change slightly later. */
const AFTER_CHANGE_MS = 400;

/**
 * The time, in milliseconds, for which an answered question is left out although it is still listed. The answer
 * is recorded slightly later.
 */
const RECORDED_MS = 10_000;

interface Waiting {
  /** The open questions, oldest first; null before the first answer of Rust. */
  readonly questions: readonly OpenQuestion[] | null;
  /** The reason the questions could not be read; null after a successful read. */
  readonly failure: string | null;
  /** The key of the shown question. */
  readonly current: string | null;
  /** The keys of the questions that were shown long enough to be looked at. */
  readonly looked: ReadonlySet<string>;
  /** The reasons why answers were not accepted, by the key of their question. */
  readonly refused: Readonly<Record<string, string>>;
  /** The keys of the questions answered here, with the time of the answer. */
  readonly answered: ReadonlyMap<string, number>;
  /** Whether several answers are being sent. */
  readonly isSending: boolean;
  load(): Promise<void>;
  choose(key: string): void;
  /** Moves by a number of questions, to the first or the last one at most. */
  move(by: number): void;
  look(key: string): void;
  /** Notes that a question was answered here, or why its answer was not accepted, and reads the list again. */
  sent(question: OpenQuestion, failure: string | null): Promise<void>;
  /** Answers questions one after the other. The answers that are not accepted are kept as `refused`. */
  answerAll(questions: readonly OpenQuestion[], approved: boolean): Promise<void>;
}

/** The number of reads so far. Only the result of the newest read is used. */
let reads = 0;

/** Tells the person that a question that they tried to answer is no longer open. */
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
    const questions = found.filter((one) => !answered.has(keyOf(one)));
    const open = new Set(questions.map(keyOf));
    const { current, looked, refused } = get();
    // A step may ask another question, which has other values.
    for (const one of before) if (!open.has(keyOf(one))) forgetQuestion(one.runId, one.path);
    set({
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

  async sent(question, failure) {
    const key = keyOf(question);
    const { [key]: _, ...refused } = get().refused;
    if (failure === null) {
      set((s) => ({ refused, answered: new Map([...s.answered, [key, Date.now()]]) }));
      return get().load();
    }
    set({ refused: { ...refused, [key]: failure } });
    await get().load();
    const { questions, failure: unread } = get();
    if (unread === null && !questions?.some((one) => keyOf(one) === key)) tellGone(question);
  },

  async answerAll(questions, approved) {
    if (get().isSending) return;
    set({ isSending: true });
    const kinds = useKinds.getState().byType;
    for (const question of questions) {
      const { runId, path, nodeType } = question;
      const isCall = kinds.get(nodeType)?.shape !== "branching";
      let failure: string | null = null;
      try {
        await sendAnswer(runId, path, { approved, isCall });
      } catch (error) {
        failure = errorMessage(error);
      }
      await get().sent(question, failure);
    }
    set({ isSending: false });
  },
}));

/** Returns the state of all runs of this window as far as it concerns questions. */
function statesOfRuns(): string {
  const { live, past, background } = useRuns.getState();
  const tabs = [{ live, past }, ...Object.values(background)];
  return tabs
    .flatMap((runs) => [runs.live, runs.past])
    .map((view) => (view ? `${view.state.runId} ${view.state.status} ${view.state.waiting.join(",")}` : ""))
    .join("\n");
}

/** Keeps the number of open questions up to date. Returns a function that stops it. */
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
