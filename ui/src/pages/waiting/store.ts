// The open questions of all runs, on this computer and in the shared stores; which of them the user has
// looked at; and the answers. The lists are read from Rust, since other programs also run flows and answer
// questions. Each place is read separately, so that a store that does not answer delays no other.
import { create } from "zustand";
import { useKinds } from "../../document/kinds";
import { ApiFailure, api, errorMessage } from "../../ipc/client";
import type { OpenQuestion } from "../../ipc/generated/bindings";
import { type AnswerChoice, sendAnswer } from "../../runs/session/answers";
import { useRequests } from "../../runs/session/requests";
import type { Asked } from "../../runs/session/run-session";
import { useRuns } from "../../runs/session/store";
import { outOfReach, useStores } from "../../runs/session/stores";
import { forgetQuestion } from "../../runs/view/step-detail";
import { useSession } from "../../session/session";
import { currentAfter, keyOf } from "./alike";

/** The refresh interval of the number in the status bar, in milliseconds. */
const COUNT_INTERVAL_MS = 30_000;

/**
 * The delay before the questions are read again after a run of this window has changed, in milliseconds. The
 * store records the change slightly later.
 */
const AFTER_CHANGE_MS = 400;

/**
 * How long, in milliseconds, an answered question stays hidden even if the store still lists it. The answer is
 * recorded slightly after it is sent.
 */
const RECORDED_MS = 10_000;

/** The time after which a shared store counts as not answering, in milliseconds. */
export const STORE_TIMEOUT_MS = 5000;

/** A store of runs: the name of a shared store, or null for the store of this computer. */
type Place = string | null;

/** A store whose questions could not be read. */
interface UnreadStore {
  readonly title: string;
  readonly why: string;
}

interface Waiting {
  /** The questions found by the last successful read of each store, without the answered ones. */
  readonly found: ReadonlyMap<Place, readonly OpenQuestion[]>;
  /** The open questions, oldest first; null until they have been read. */
  readonly questions: readonly OpenQuestion[] | null;
  /** The reason the questions of this computer could not be read; null after a successful read. */
  readonly failure: string | null;
  /** The shared stores whose last read failed, by name. Their last known questions stay. */
  readonly unread: ReadonlyMap<string, UnreadStore>;
  /** The key of the shown question. */
  readonly current: string | null;
  /** The keys of the questions that the user has looked at, which means that each was shown for `LOOK_MS`. */
  readonly looked: ReadonlySet<string>;
  /** The reasons why answers were refused, by the key of their question. */
  readonly refused: Readonly<Record<string, string>>;
  /** The keys of the questions answered here, with the time of the answer. */
  readonly answered: ReadonlyMap<string, number>;
  /** Whether several answers are being sent. */
  readonly isSending: boolean;
  /** Reads the questions of all stores. Returns once each store has been read or has failed. */
  load(): Promise<void>;
  choose(key: string): void;
  /** Moves by this number of questions, but not beyond the first or the last one. */
  move(by: number): void;
  look(key: string): void;
  /**
   * Answers a question with its draft, and reads the list again. If the answer is refused, `refused` contains
   * the reason.
   */
  answer(question: OpenQuestion, choice: AnswerChoice): Promise<Asked>;
  /** Answers questions one after the other. */
  answerAll(questions: readonly OpenQuestion[], approved: boolean): Promise<void>;
}

/** The number of reads of each store that have started. Only the result of the newest read is used. */
const reads = new Map<Place, number>();

/** The number of reads of each store that are in progress. */
const inProgress = new Map<Place, number>();

/** Tells the user that the question they tried to answer is no longer open. */
function tellGone({ title, flow }: OpenQuestion): void {
  useSession.getState().toast({
    tone: "info",
    stays: true,
    title: "The question is no longer open",
    detail: `“${title}” of “${flow}” was answered elsewhere, or its run has ended.`,
  });
}

/** Reads the questions of one store. Returns after the time limit if the store does not answer. */
async function readPlace(place: Place): Promise<void> {
  const read = (reads.get(place) ?? 0) + 1;
  reads.set(place, read);
  inProgress.set(place, (inProgress.get(place) ?? 0) + 1);
  const isNewest = () => reads.get(place) === read;
  const reading = api()
    .openQuestions(place)
    .then(
      (found) => isNewest() && showFound(place, found),
      (error) => isNewest() && showFailure(place, error),
    )
    .finally(() => inProgress.set(place, (inProgress.get(place) ?? 1) - 1));
  if (place === null) return void (await reading);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((done) => {
    timer = setTimeout(() => {
      // The read continues. Its late result is used if no newer read has started.
      if (isNewest()) showFailure(place, SLOW);
      done();
    }, STORE_TIMEOUT_MS);
  });
  await Promise.race([reading, limit]);
  clearTimeout(timer);
}

const SLOW = new ApiFailure({
  code: "busy",
  message: "The store does not answer.",
  subject: "store",
  reason: `It has not answered for ${STORE_TIMEOUT_MS / 1000} seconds. Check that its server is running. Its questions appear as soon as it answers.`,
});

function showFailure(place: Place, error: unknown): void {
  if (place === null) {
    useWaiting.setState({ failure: errorMessage(error) });
    return;
  }
  const failure = error instanceof ApiFailure ? error : null;
  const { title, why } = outOfReach(place, {
    message: errorMessage(error),
    subject: failure?.subject ?? null,
    reason: failure?.reason ?? null,
  });
  useWaiting.setState((s) => ({ unread: new Map([...s.unread, [place, { title, why }]]) }));
}

/** Removes pending answers to questions of a store that are no longer open. */
function settleAnswers(store: string, found: readonly OpenQuestion[]): void {
  const { byRun, remove } = useRequests.getState();
  for (const [runId, { kind, path }] of Object.entries(byRun)) {
    if (kind !== "answer" || !runId.startsWith(`${store}/`)) continue;
    if (!found.some((one) => one.runId === runId && one.path === path)) remove(runId);
  }
}

/** Returns whether an answer to the question was sent to the workers, and no worker has acted on it yet. */
function isSent({ runId, path }: OpenQuestion): boolean {
  const request = useRequests.getState().byRun[runId];
  return request?.kind === "answer" && request.path === path;
}

/** Keeps the open questions that were read from a store, and shows them. */
function showFound(place: Place, now: readonly OpenQuestion[]): void {
  const { found: before } = useWaiting.getState();
  const open = new Set(now.map(keyOf));
  // The step may ask another question, with different values.
  for (const one of before.get(place) ?? []) if (!open.has(keyOf(one))) forgetQuestion(one.runId, one.path);
  if (place === null) useWaiting.setState({ failure: null });
  else {
    settleAnswers(place, now);
    useWaiting.setState((s) => ({ unread: new Map([...s.unread].filter(([name]) => name !== place)) }));
  }
  showAll(new Map([...before, [place, now]]));
}

/**
 * Shows the questions of all stores, oldest first. Answered questions are dropped, so that they do not
 * reappear if their store can no longer be read.
 */
function showAll(read: ReadonlyMap<Place, readonly OpenQuestion[]>): void {
  const time = Date.now();
  const { questions: before, current, looked, refused, ...rest } = useWaiting.getState();
  const answered = new Map([...rest.answered].filter(([, at]) => time - at < RECORDED_MS));
  const isOpen = (one: OpenQuestion) => !answered.has(keyOf(one)) && !isSent(one);
  const found = new Map([...read].map(([place, ones]) => [place, ones.filter(isOpen)] as const));
  const questions = [...found.values()].flat().sort((a, b) => Date.parse(a.askedAt) - Date.parse(b.askedAt));
  const open = new Set(questions.map(keyOf));
  useWaiting.setState({
    found,
    questions,
    answered,
    current: currentAfter(before ?? [], current, questions),
    looked: new Set([...looked].filter((key) => open.has(key))),
    refused: Object.fromEntries(Object.entries(refused).filter(([key]) => open.has(key))),
  });
}

/** Forgets the questions of stores that the settings no longer name. */
function forgetOtherStores(names: readonly string[]): void {
  const isKnown = (place: Place) => place === null || names.includes(place);
  const { found, unread } = useWaiting.getState();
  if ([...unread.keys()].some((name) => !isKnown(name)))
    useWaiting.setState({ unread: new Map([...unread].filter(([name]) => isKnown(name))) });
  if ([...found.keys()].some((place) => !isKnown(place)))
    showAll(new Map([...found].filter(([place]) => isKnown(place))));
}

export const useWaiting = create<Waiting>()((set, get) => ({
  found: new Map(),
  questions: null,
  failure: null,
  unread: new Map(),
  current: null,
  looked: new Set(),
  refused: {},
  answered: new Map(),
  isSending: false,

  async load() {
    const ofStores = async () => {
      await useStores.getState().load();
      const names = useStores.getState().stores.map(({ name }) => name);
      forgetOtherStores(names);
      // A store that is slow gets no second request at the same time.
      await Promise.all(names.filter((name) => !inProgress.get(name)).map(readPlace));
    };
    await Promise.all([readPlace(null), ofStores()]);
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
    const why = await send(question, choice);
    const { [key]: _, ...refused } = get().refused;
    if (why === null) {
      set((s) => ({ refused, answered: new Map([...s.answered, [key, Date.now()]]) }));
      showAll(get().found);
    } else {
      set({ refused: { ...refused, [key]: why } });
    }
    await readPlace(question.store);
    if (why !== null) tellIfGone(question);
    return why === null ? "done" : "sent";
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
  const { failure, unread, questions } = useWaiting.getState();
  const key = keyOf(question);
  const isRead = question.store === null ? failure === null : !unread.has(question.store);
  if (isRead && !questions?.some((one) => keyOf(one) === key)) tellGone(question);
}

/** Sends an answer. Returns the reason if it was refused, otherwise null. */
async function send({ runId, path }: OpenQuestion, choice: AnswerChoice): Promise<string | null> {
  try {
    await sendAnswer(runId, path, choice);
    return null;
  } catch (error) {
    return errorMessage(error);
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

/** Keeps the open questions and their number up to date, until the returned function is called. */
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
