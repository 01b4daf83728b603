// The list of all problems, each with its place and its fix. Applying a fix is one undo entry.

import { useEffect, useRef } from "react";
import { create } from "zustand";
import { colourOf } from "../canvas/kind-colour";
import { applyFix, applyFixes, fixEdits, showProblem } from "../commands/problems";
import { Button } from "../components/Button";
import buttonStyles from "../components/Button.module.css";
import { classes } from "../components/classes";
import dockListStyles from "../components/DockList.module.css";
import fieldsStyles from "../components/Fields.module.css";
import { Icon } from "../components/Icon";
import iconTileStyles from "../components/IconTile.module.css";
import { Message } from "../components/Message";
import { tip } from "../components/tip";
import { useAnalysis } from "../document/analysis";
import { useFlowNode, useInside } from "../document/document";
import { leaveSubflow } from "../document/files";
import { useKind } from "../document/kinds";
import { useQuiet } from "../document/quiet";
import type { Problem } from "../ipc/generated/bindings";
import { titleOf } from "../kernels/node-title";
import { firstSentence, plainMessage } from "../kernels/typeset";
import { setUpActions } from "../runs/inputs/set-up";
import { plural } from "../runs/words/format";
import { canvasView, showAdded } from "../session/canvas-view";
import { previewFix } from "../session/fix-preview";
import { useProblemCursor } from "../session/problem-cursor";
import { testIds } from "../testids";
import styles from "./Problems.module.css";

type Filter = "all" | "error" | "warning";

const useFilter = create<{ filter: Filter }>()(() => ({ filter: "all" }));

export function ProblemControls() {
  const problems = useAnalysis((s) => s.analysis.problems);
  const filter = useFilter((s) => s.filter);
  const errors = problems.filter((p) => p.severity === "error").length;
  const fixable = problems.filter((p) => p.fix);
  const filters: { id: Filter; label: string }[] = [
    { id: "all", label: `All ${problems.length}` },
    { id: "error", label: `Errors ${errors}` },
    { id: "warning", label: `Warnings ${problems.length - errors}` },
  ];
  return (
    <>
      <div
        className={classes(fieldsStyles.segmented, fieldsStyles.sm)}
        role="radiogroup"
        aria-label="Problems to show"
      >
        {filters.map(({ id, label }) => (
          // biome-ignore lint/a11y/useSemanticElements: a styled radio group, per the ARIA pattern.
          <button
            type="button"
            role="radio"
            aria-checked={filter === id}
            key={id}
            onClick={() => useFilter.setState({ filter: id })}
          >
            {label}
          </button>
        ))}
      </div>
      <span className={styles.keyHint}>
        <kbd>F8</kbd> next
      </span>
      <span className="grow" />
      {fixable.length > 1 && (
        <Button
          small
          icon="wand-sparkles"
          onClick={() =>
            applyFixes(
              fixable.flatMap((p) => p.fix ?? []),
              `Apply ${plural(fixable.length, "fix", "fixes")}`,
            )
          }
        >
          Apply {plural(fixable.length, "fix", "fixes")}
        </Button>
      )}
    </>
  );
}

/** Splits a message into its first sentence and the rest, which is dimmed. */
function parts(message: string): [string, string] {
  const first = firstSentence(message);
  return first === message ? [message, ""] : [first.replace(/\.$/, ""), message.slice(first.length).trim()];
}

function Location({ id }: { id: string }) {
  // A problem inside a subflow is shown with the name of the subflow's node.
  const node = useFlowNode(id.split("/")[0] ?? id);
  const kind = useKind(node?.type ?? "");
  if (!node) return <span className={styles.problemPlace} />;
  return (
    <span className={styles.problemPlace}>
      <span className={classes(iconTileStyles.iconTile, styles.tile, colourOf(kind))}>
        <Icon name={kind?.icon ?? "box"} size={13} />
      </span>
      <span className="clip-text">{titleOf(node)}</span>
    </span>
  );
}

function ProblemRow({ problem, index }: { problem: Problem; index: number }) {
  const picked = useProblemCursor((s) => s.index === index);
  const error = problem.severity === "error";
  const quiet = useQuiet()(problem);
  const [head, rest] = parts(problem.message);
  const preview = () => {
    if (!problem.fix) return;
    const edits = fixEdits([problem.fix]);
    previewFix({ title: problem.fix.title, edits });
    const added = edits.flatMap((edit) => (edit.op === "add_node" ? [edit.node.id] : []));
    if (added.length > 0) showAdded(added);
  };
  const show = () => {
    useProblemCursor.setState({ index });
    showProblem(problem);
  };
  return (
    <li
      className={classes(styles.problem, picked && styles.pick)}
      data-node={problem.node ?? undefined}
      data-testid={testIds.problem(problem.code)}
    >
      <span
        className={quiet ? "text-secondary" : error ? "text-error" : "text-warning"}
        role="img"
        aria-label={quiet ? "To fill in" : error ? "Error" : "Warning"}
      >
        <Icon name={quiet ? "circle-dashed" : error ? "circle-alert" : "triangle-alert"} size={15} />
      </span>
      <button
        type="button"
        className={styles.problemMessage}
        {...tip(plainMessage(problem.message))}
        onClick={show}
      >
        <Message text={head} />
        {rest && (
          <span>
            <Message text={rest} />
          </span>
        )}
      </button>
      {problem.node ? <Location id={problem.node} /> : <span className={styles.problemPlace}>Workflow</span>}
      <div className={styles.fix}>
        {problem.fix && (
          <button
            type="button"
            className={classes(buttonStyles.actionButton, error && buttonStyles.lead)}
            data-testid={testIds.problemFix(problem.code)}
            onClick={() => {
              previewFix(null);
              applyFix(problem);
            }}
            onPointerEnter={() => preview()}
            onPointerLeave={() => previewFix(null)}
            onFocus={() => preview()}
            onBlur={() => previewFix(null)}
          >
            <Icon name="wand-sparkles" size={13} />
            {problem.fix.title}
          </button>
        )}
        {setUpActions(problem.code, problem.node).map(({ label, run }) => (
          <button key={label} type="button" className={buttonStyles.actionButton} onClick={run}>
            {label}
          </button>
        ))}
        {problem.node && (
          <button
            type="button"
            className={classes(buttonStyles.actionButton, buttonStyles.plain)}
            onClick={show}
          >
            Show
          </button>
        )}
      </div>
    </li>
  );
}

/** Returns the number of errors in the enclosing workflow. Those errors prevent a run too. */
function useErrorsAround(): number {
  const inside = useInside();
  const here = useAnalysis((s) => s.analysis.problems.filter((p) => p.severity === "error").length);
  const whole = useAnalysis((s) => s.whole.problems.filter((p) => p.severity === "error").length);
  return inside ? Math.max(0, whole - here) : 0;
}

function Around({ errors }: { errors: number }) {
  return (
    <li className={styles.problem} data-testid="problems-around">
      <span className="text-error" role="img" aria-label="Error">
        <Icon name="circle-alert" size={15} />
      </span>
      <span className={styles.problemMessage}>
        The workflow around this subflow has {plural(errors, "error")}.
      </span>
      <span className={styles.problemPlace}>Workflow</span>
      <div className={styles.fix}>
        <button
          type="button"
          className={classes(buttonStyles.actionButton, buttonStyles.lead)}
          onClick={() => void leaveSubflow()}
        >
          Leave subflow
        </button>
      </div>
    </li>
  );
}

/**
 * After a fix has removed the focused problem, moves the focus to the problem now in that row, or to the
 * fixed node if no problem is left.
 */
function useFocusNextProblem(problems: readonly Problem[]) {
  const list = useRef<HTMLUListElement>(null);
  const held = useRef<{ row: number; node: string | null } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the problems change.
  useEffect(() => {
    if (held.current === null || document.activeElement !== document.body) return;
    const rows = list.current?.querySelectorAll<HTMLElement>("li > button") ?? [];
    const next = rows[Math.min(held.current.row, rows.length - 1)];
    if (next) return next.focus();
    canvasView()?.focus(held.current.node);
    held.current = null;
  }, [problems]);
  const hold = (event: React.FocusEvent<HTMLElement>) => {
    const row = event.target.closest("li");
    const rows = [...(list.current?.querySelectorAll("li") ?? [])];
    held.current = row && { row: rows.indexOf(row), node: row.dataset.node ?? null };
  };
  const leave = () => {
    held.current = null;
  };
  return { list, hold, leave };
}

export function ProblemList() {
  const problems = useAnalysis((s) => s.analysis.problems);
  const filter = useFilter((s) => s.filter);
  const inside = useInside();
  const around = useErrorsAround();
  const { list, hold, leave } = useFocusNextProblem(problems);
  if (problems.length === 0 && around === 0) {
    return (
      <div className={classes(dockListStyles.dockList, styles.none)}>
        <Icon name="circle-check" size={15} />
        {inside ? "No problems in this subflow." : "No problems. This flow can run."}
      </div>
    );
  }
  return (
    <ul ref={list} className={dockListStyles.dockList} aria-label="Problems" onFocus={hold} onBlur={leave}>
      {around > 0 && <Around errors={around} />}
      {problems.map((problem, index) =>
        filter === "all" || problem.severity === filter ? (
          <ProblemRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a problem has no id, and the index distinguishes duplicates.
            key={`${problem.code}|${problem.node}|${problem.place}|${index}`}
            problem={problem}
            index={index}
          />
        ) : null,
      )}
    </ul>
  );
}
