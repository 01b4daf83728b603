// The open questions of all runs, on this computer and in the shared stores, oldest first. The chosen
// question is shown with its answers. Similar questions can be answered together once the user has looked at
// each of them.

import { type RefObject, useEffect, useRef } from "react";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import emptyStyles from "../components/Empty.module.css";
import formStyles from "../components/Form.module.css";
import { Icon } from "../components/Icon";
import { Message } from "../components/Message";
import pageFrameStyles from "../components/PageFrame.module.css";
import { Skeletons } from "../components/Skeletons";
import { tip } from "../components/tip";
import { useFocusBack } from "../components/use-focus-back";
import { AnswerForm } from "../inspector/run/AnswerForm";
import type { OpenQuestion } from "../ipc/generated/bindings";
import { escapeInvisible } from "../kernels/visible";
import { useStepDetail } from "../runs/view/step-detail";
import { formatAgo, formatExact, plural } from "../runs/words/format";
import { askQuestion } from "../session/dialog";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { toolAsked } from "../trust/request";
import { UnreadPlace } from "./history/PlaceBar";
import { showRunAt } from "./history/show-run";
import styles from "./WaitingPage.module.css";
import { alike, keyOf, unseen } from "./waiting/alike";
import { useWaiting } from "./waiting/store";

/**
 * The refresh interval of the visible list, in milliseconds. Other programs also run flows and answer
 * questions.
 */
const REFRESH_INTERVAL_MS = 3000;

/**
 * How long a question must be shown before it counts as looked at, in milliseconds. Until then, no key
 * answers it: a second key press meant for the previous question must not answer this one.
 */
export const LOOK_MS = 500;

/**
 * Returns whether the page must ignore a key press: a modifier key is held, the focus is in a field, or a
 * dialog is open.
 */
const isTaken = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  document.querySelector("dialog[open]") !== null ||
  (event.target instanceof Element &&
    event.target.closest("input, textarea, select, [contenteditable=true], [role=combobox]") !== null);

/** Clicks a button of the shown question, unless the button is missing or disabled. */
function press(detail: HTMLElement | null, testId: string): void {
  detail?.querySelector<HTMLButtonElement>(`[data-testid="${testId}"]:not(:disabled)`)?.click();
}

function openCurrent(): void {
  const { questions, current } = useWaiting.getState();
  const question = questions?.find((one) => keyOf(one) === current);
  if (question) void showRunAt(question.runId, question.path);
}

/** Handles the page's shortcuts, wherever the focus is. Letters typed in a field go to that field. */
function useKeys(detail: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTaken(event)) return;
      const { move, current, looked } = useWaiting.getState();
      const isInList = event.target instanceof Element && event.target.closest("[role=listbox]") !== null;
      const key = event.key.toLowerCase();
      if (key === "j" || (isInList && key === "arrowdown")) move(1);
      else if (key === "k" || (isInList && key === "arrowup")) move(-1);
      else if (isInList && key === "home") move(Number.NEGATIVE_INFINITY);
      else if (isInList && key === "end") move(Number.POSITIVE_INFINITY);
      else if (key === "o" || (isInList && key === "enter")) openCurrent();
      else if (key === "a" || key === "r") {
        // A key that is held down answers one question.
        if (!event.repeat && current !== null && looked.has(current))
          press(detail.current, key === "a" ? "approve" : "reject");
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [detail]);
}

export function WaitingPage() {
  const questions = useWaiting((s) => s.questions);
  const failure = useWaiting((s) => s.failure);
  const current = useWaiting((s) => s.current);
  const list = useRef<HTMLDivElement>(null);
  const detail = useRef<HTMLElement>(null);
  useKeys(detail);
  useEffect(() => {
    const load = () => void useWaiting.getState().load();
    load();
    const timer = setInterval(load, REFRESH_INTERVAL_MS);
    window.addEventListener("focus", load);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", load);
    };
  }, []);
  const isThere = questions !== null && questions.length > 0;
  // The button that opened this page is gone.
  useEffect(() => {
    if (isThere && document.activeElement === document.body) list.current?.focus({ preventScroll: true });
  }, [isThere]);
  const question = questions?.find((one) => keyOf(one) === current);
  if (questions === null && failure === null)
    return (
      <div className={pageFrameStyles.pageFrame}>
        <Skeletons label="Reading the open questions" lines={6} />
      </div>
    );
  if (!isThere) return <Nothing failure={failure} />;
  return (
    <div className={classes(pageFrameStyles.pageFrame, styles.page)}>
      <aside className={styles.column} aria-label="Open questions" data-region="runs">
        <header className={styles.head}>
          <h2 aria-live="polite">{plural(questions.length, "open question")}</h2>
          <DenyRest questions={questions} />
        </header>
        {failure !== null && <Unread why={failure} />}
        <UnreadStores />
        <QuestionList list={list} questions={questions} current={current} />
        <Keys />
      </aside>
      <main
        ref={detail}
        className={styles.detail}
        aria-label="Selected question"
        data-region="run"
        data-testid={testIds.questionDetail}
      >
        {question && <Detail key={keyOf(question)} question={question} all={questions} list={list} />}
      </main>
    </div>
  );
}

function Unread({ why }: { why: string }) {
  return (
    <p className={classes(formStyles.fieldError, styles.unread)} role="alert">
      The questions could not be read: <Message text={why} />
    </p>
  );
}

/** Shows a line about each shared store whose questions could not be read. */
function UnreadStores() {
  const unread = useWaiting((s) => s.unread);
  const again = () => useWaiting.getState().load();
  return (
    <div role="status">
      {[...unread].map(([store, { title, why }]) => (
        <UnreadPlace key={store} title={title} why={why} again={again} />
      ))}
    </div>
  );
}

function Nothing({ failure }: { failure: string | null }) {
  return (
    <div className={pageFrameStyles.pageFrame}>
      <main
        className={classes(emptyStyles.empty, emptyStyles.centered)}
        aria-label="Open questions"
        data-region="run"
      >
        <UnreadStores />
        {failure !== null ? (
          <>
            <Unread why={failure} />
            <Button onClick={() => void useWaiting.getState().load()}>Try again</Button>
          </>
        ) : (
          <>
            <b>Nothing is waiting for you</b>
            When a run needs permission to call a tool, or an approval, its question appears here.
            <span className="row">
              <Button variant="primary" onClick={() => useSession.getState().show("editor")}>
                Back to the editor
              </Button>
            </span>
          </>
        )}
      </main>
    </div>
  );
}

type ListProps = {
  list: RefObject<HTMLDivElement | null>;
  questions: readonly OpenQuestion[];
  current: string | null;
};

function QuestionList({ list, questions, current }: ListProps) {
  const at = questions.findIndex((one) => keyOf(one) === current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another current question is scrolled into view.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block: "nearest" });
  }, [current, list]);
  return (
    <div
      ref={list}
      className={styles.list}
      role="listbox"
      tabIndex={0}
      aria-label="Open questions, oldest first"
      aria-activedescendant={at < 0 ? undefined : `question-${at}`}
      data-testid={testIds.questionList}
    >
      {questions.map((question, index) => (
        <Row
          key={keyOf(question)}
          question={question}
          id={`question-${index}`}
          isCurrent={index === at}
          list={list}
        />
      ))}
    </div>
  );
}

type RowProps = {
  question: OpenQuestion;
  id: string;
  isCurrent: boolean;
  list: RefObject<HTMLDivElement | null>;
};

function Row({ question, id, isCurrent, list }: RowProps) {
  const key = keyOf(question);
  const isSeen = useWaiting((s) => s.looked.has(key));
  const refused = useWaiting((s) => s.refused[key]);
  const { store, runId, path, flow, runName, schedule, title, message, askedAt, value, request } = question;
  const about = value ?? request?.facts.flatMap(({ values }) => values)[0] ?? "";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the page handles the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the enclosing list is focused; it names this entry.
    <div
      id={id}
      className={styles.entry}
      role="option"
      aria-selected={isCurrent}
      data-testid={testIds.questionRow(runId, path)}
      onClick={() => {
        useWaiting.getState().choose(key);
        list.current?.focus({ preventScroll: true });
      }}
    >
      <span className={isSeen ? styles.seen : styles.unseen}>
        <Icon name={refused === undefined ? "circle-pause" : "circle-alert"} size={16} />
      </span>
      <div>
        <div className={styles.title}>
          <b>{title}</b>
          <span>
            {flow}
            {runName !== null && `, ${runName}`}
            {schedule !== null && `, schedule “${schedule}”`}
            {store !== null && `, in ${store}`}
          </span>
          <time dateTime={askedAt} {...tip(formatExact(Date.parse(askedAt)))}>
            {formatAgo(Date.parse(askedAt), Date.now())}
          </time>
        </div>
        <p className={styles.words}>
          <Message text={message} />
        </p>
        {about !== "" && <p className={styles.about}>{escapeInvisible(about)}</p>}
        {!isSeen && <span className="sr-only">Not seen yet</span>}
        {refused !== undefined && <p className="text-error">Not answered: {refused}</p>}
      </div>
    </div>
  );
}

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [["J", "K"], "next, previous"],
  [["A"], "approve"],
  [["R"], "reject"],
  [["O"], "open the run"],
];

function Keys() {
  return (
    <dl className={styles.keys} aria-label="Keyboard shortcuts of this page">
      {KEYS.map(([keys, meaning]) => (
        <div key={meaning}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

type DetailProps = {
  question: OpenQuestion;
  all: readonly OpenQuestion[];
  list: RefObject<HTMLDivElement | null>;
};

function Detail({ question, all, list }: DetailProps) {
  const { store, runId, path, nodeType, flow, flowPath, runName, schedule, title, message, askedAt } =
    question;
  const key = keyOf(question);
  const box = useRef<HTMLElement>(null);
  const refused = useWaiting((s) => s.refused[key]);
  const isSending = useWaiting((s) => s.isSending);
  const isReady = useStepDetail(runId, path, "waiting").state === "ready";
  // The pressed button disappears with the question.
  useFocusBack(box, () => list.current?.focus({ preventScroll: true }));
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => useWaiting.getState().look(key), LOOK_MS);
    return () => clearTimeout(timer);
  }, [isReady, key]);
  const at = Date.parse(askedAt);
  return (
    <section ref={box} className={styles.question} aria-label={`Question from ${title}`} inert={isSending}>
      <header>
        <h2>{title} waits for you</h2>
        <Button icon="workflow" data-testid={testIds.openAsking} onClick={openCurrent}>
          Open the run <kbd>O</kbd>
        </Button>
      </header>
      <dl className={styles.facts}>
        <div>
          <dt>Workflow</dt>
          <dd {...tip(flowPath)}>{flow}</dd>
        </div>
        {runName !== null && (
          <div>
            <dt>Run</dt>
            <dd>{runName}</dd>
          </div>
        )}
        {schedule !== null && (
          <div>
            <dt>Schedule</dt>
            <dd>{schedule}</dd>
          </div>
        )}
        {store !== null && (
          <div>
            <dt>Store</dt>
            <dd data-testid="question-store">{store}</dd>
          </div>
        )}
        <div>
          <dt>Step</dt>
          <dd>
            <code>{path}</code>
          </dd>
        </div>
        <div>
          <dt>Asked</dt>
          <dd>
            <time dateTime={askedAt}>
              {formatAgo(at, Date.now())} ({formatExact(at)})
            </time>
          </dd>
        </div>
      </dl>
      <p className={styles.asks}>
        <Message text={message} />
      </p>
      {refused !== undefined && (
        <p className={formStyles.fieldError} role="alert" data-testid="answer-refused">
          The last answer was not accepted: {refused}
        </p>
      )}
      <div className={styles.form}>
        <AnswerForm
          runId={runId}
          path={path}
          type={nodeType}
          onSend={(choice) => useWaiting.getState().answer(question, choice)}
        />
      </div>
      <Alike question={question} all={all} />
    </section>
  );
}

/**
 * The button that approves all questions similar to the shown one. It is disabled until the user has looked
 * at each of them.
 */
function Alike({ question, all }: { question: OpenQuestion; all: readonly OpenQuestion[] }) {
  const looked = useWaiting((s) => s.looked);
  const isSending = useWaiting((s) => s.isSending);
  const group = alike(all, question);
  if (group.length < 2) return null;
  const left = unseen(group, looked);
  const verb =
    toolAsked(question.question) === null && question.question.type === "approve" ? "Approve" : "Allow";
  return (
    <div className={styles.alike}>
      <span id="alike-words">
        This node asks {group.length} similar questions.{" "}
        {left > 0
          ? `Look at ${left === 1 ? "the last one" : `${left} more`} to answer them together.`
          : "You have seen all of them."}
      </span>
      <Button
        icon="check"
        disabled={left > 0 || isSending}
        aria-describedby="alike-words"
        data-testid={testIds.approveAlike}
        onClick={() => void useWaiting.getState().answerAll(group, true)}
      >
        {verb} these {group.length}
      </Button>
    </div>
  );
}

/** The button that denies all open questions, after a confirmation with their number. */
function DenyRest({ questions }: { questions: readonly OpenQuestion[] }) {
  const isSending = useWaiting((s) => s.isSending);
  const deny = async () => {
    const left = unseen(questions, useWaiting.getState().looked);
    const isSure = await askQuestion({
      title: `Deny ${plural(questions.length, "open question")}?`,
      detail: `Tool calls are denied, and values are sent back for changes. ${
        left === 0 ? "You have seen all questions." : `You have not seen ${left} of them yet.`
      }`,
      choices: [
        { label: `Deny ${questions.length}`, value: true, tone: "danger" },
        { label: "Cancel", value: false },
      ],
      cancel: false,
    });
    if (isSure) await useWaiting.getState().answerAll(questions, false);
  };
  return (
    <Button
      variant="ghost"
      small
      icon="x"
      disabled={isSending}
      data-testid={testIds.denyRest}
      onClick={() => void deny()}
    >
      Deny the rest…
    </Button>
  );
}
