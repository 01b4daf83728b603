// The dialogs of a run that contain a field: for a larger budget, and for the value of a pin. They are
// mounted once, above every view.

import { useEffect, useRef, useState } from "react";
import { showStep } from "../../commands/show-step";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import dialogStyles from "../../components/Dialog.module.css";
import formStyles from "../../components/Form.module.css";
import { NumberField, Segmented } from "../../components/fields";
import { useModal } from "../../components/use-modal";
import { useDocument } from "../../document/document";
import { errorMessage } from "../../ipc/client";
import { titleIn } from "../../kernels/node-title";
import { fileInHand, usePin, usePins } from "../../runs/inputs/pins";
import { setUpActions } from "../../runs/inputs/set-up";
import { isLarger, overBudgetRun, proposedUsd, useBudgetDialog } from "../../runs/session/over-budget";
import { shownRun, useRuns } from "../../runs/session/store";
import { formatCount, formatUsd } from "../../runs/words/format";
import { canvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import styles from "./RunDialogs.module.css";
import valueTextStyles from "./ValueText.module.css";
import { valueText } from "./values";

export function RunDialogs() {
  const asked = useBudgetDialog((s) => s.asked);
  const editing = usePins((s) => s.editing);
  useBudgetStop();
  useFailure();
  return (
    <>
      {asked && <LargerBudget key={asked.runId} {...asked} />}
      {editing && <PinEditor key={editing.nodeId} {...editing} />}
    </>
  );
}

/** Shows a message when a live run stops at its budget, with an action to continue. */
function useBudgetStop() {
  const stopped = useRuns((s) => {
    const view = shownRun(s);
    return view?.live ? overBudgetRun(view.state) : null;
  });
  useEffect(() => {
    if (stopped === null) return;
    const { toast, dismiss } = useSession.getState();
    const id = toast({
      tone: "warn",
      stays: true,
      title: "The run reached its budget",
      detail:
        "With a larger budget, the run continues where it stopped. Finished work is kept and not charged again.",
      actions: [{ label: "Continue with more…", run: () => void askLarger(stopped) }],
    });
    return () => dismiss(id);
  }, [stopped]);
}

/** Returns whether the panel or the node's card already shows the failure. */
function isFailureInView(nodeId: string | null): boolean {
  const { view, layout, sideOpen, selection } = useSession.getState();
  if (view !== "editor" || layout !== "run") return false;
  // If another node is the only selected one, the panel shows that node instead.
  const [selected] = selection.nodes;
  const isInPanel = sideOpen && (selection.nodes.size !== 1 || selected === nodeId);
  return isInPanel || (nodeId !== null && canvasView()?.isInView(nodeId) === true);
}

/**
 * When a live run fails out of view, shows a message with the reason and a button that shows the failed node.
 * The message disappears when the user returns to the editor.
 */
function useFailure() {
  const layout = useSession((s) => s.layout);
  const toastId = useRef<number | null>(null);
  const failed = useRuns((s) => {
    const view = shownRun(s);
    const isFailed = view?.live && view.state.status === "failed" && overBudgetRun(view.state) === null;
    return isFailed ? view.state.error : null;
  });
  useEffect(() => {
    if (failed === null) return;
    const { toast, dismiss } = useSession.getState();
    const { nodeId, message, code } = failed;
    if (isFailureInView(nodeId)) return;
    const showWhere = nodeId === null ? [] : [{ label: "Show where", run: () => void showStep(nodeId) }];
    const id = toast({
      tone: "error",
      title: "The run failed",
      // Messages of providers and tools may lack a full stop.
      detail: `${message.replace(/[^.!?…]$/, "$&.")} Finished work is kept.`,
      actions: [...showWhere, ...setUpActions(code, nodeId)],
    });
    toastId.current = id;
    return () => dismiss(id);
  }, [failed]);
  useEffect(() => {
    if (layout === "edit" && toastId.current !== null) useSession.getState().dismiss(toastId.current);
  }, [layout]);
}

export async function askLarger(runId: string): Promise<void> {
  try {
    await useBudgetDialog.getState().open(runId);
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The run cannot continue", detail: errorMessage(error) });
  }
}

function Dialog({ title, children, onClose }: { title: string; children: React.ReactNode; onClose(): void }) {
  const box = useRef<HTMLDialogElement>(null);
  useModal(box);
  return (
    <dialog
      ref={box}
      className={classes(dialogStyles.question, styles.dialog)}
      aria-labelledby="run-dialog-title"
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
    >
      <h2 id="run-dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

type BudgetRequest = NonNullable<ReturnType<typeof useBudgetDialog.getState>["asked"]>;

function LargerBudget({ runId, flow, budget, why }: BudgetRequest) {
  const { close } = useBudgetDialog.getState();
  const [usd, setUsd] = useState(budget.budget_usd === null ? null : proposedUsd(budget.budget_usd));
  const [tokens, setTokens] = useState(budget.budget_tokens === null ? null : budget.budget_tokens * 2);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const larger = isLarger(budget, { usd, tokens });
  const continueRun = async (pressed: HTMLElement) => {
    const wrong = pressed.closest("dialog")?.querySelector<HTMLElement>("[aria-invalid=true]");
    if (wrong) {
      wrong.focus();
      return;
    }
    setBusy(true);
    try {
      await useRuns.getState().resume(runId, { usd, tokens });
      close();
      useSession.getState().setLayout("run");
      useSession.getState().show("editor");
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Continue with a larger budget" onClose={close}>
      <p>
        “{flow}” has spent{" "}
        {budget.budget_usd !== null && (
          <b>
            {formatUsd(budget.spent_usd ?? 0)} of {formatUsd(budget.budget_usd)}
          </b>
        )}
        {budget.budget_usd !== null && budget.budget_tokens !== null && " and "}
        {budget.budget_tokens !== null && (
          <b>
            {formatCount(budget.spent_tokens)} of {formatCount(budget.budget_tokens)} tokens
          </b>
        )}
        . The new budget includes what was already spent.
      </p>
      {why !== null && <p className="text-tertiary">{why}</p>}
      {budget.budget_usd !== null && (
        <div className={classes(formStyles.formRow, styles.line)}>
          <label htmlFor="larger-usd">New budget</label>
          <NumberField
            id="larger-usd"
            testId="larger-usd"
            minimum={0}
            unit="$"
            value={usd}
            onChange={setUsd}
          />
        </div>
      )}
      {budget.budget_tokens !== null && (
        <div className={classes(formStyles.formRow, styles.line)}>
          <label htmlFor="larger-tokens">New budget</label>
          <NumberField
            id="larger-tokens"
            minimum={0}
            whole
            unit="tokens"
            value={tokens}
            onChange={setTokens}
          />
        </div>
      )}
      {!larger && (
        <p className="text-tertiary">Without a larger budget, the run would stop at the same place.</p>
      )}
      {problem !== null && (
        <p className="text-error" role="alert">
          {problem}
        </p>
      )}
      <div className={classes(dialogStyles.choices, "row")}>
        <Button
          variant="primary"
          icon="play"
          disabled={busy || !larger}
          data-testid="larger-go"
          onClick={(event) => void continueRun(event.currentTarget)}
        >
          Continue
        </Button>
        <Button onClick={close}>Leave it stopped</Button>
      </div>
    </Dialog>
  );
}

type Form = "text" | "json";

function PinEditor({ nodeId, value }: { nodeId: string; value: unknown }) {
  const label = useDocument((s) => titleIn(s.document, nodeId));
  const [form, setForm] = useState<Form>(typeof value === "string" ? "text" : "json");
  const [typed, setTyped] = useState(valueText(value));
  const [problem, setProblem] = useState<string | null>(null);
  const pinned = usePin(nodeId) !== null;
  const { edit, set, remove } = usePins.getState();
  const close = () => edit(null);
  const save = () => {
    try {
      set(fileInHand(), nodeId, form === "text" ? typed : JSON.parse(typed));
      close();
    } catch (error) {
      setProblem(`This is not valid JSON: ${errorMessage(error)}`);
    }
  };
  return (
    <Dialog title={`Output of “${label}” in every run`} onClose={close}>
      <p>
        Instead of running, the node returns this value. Nodes that only supply this node do not run either.
        The pin is not saved in the file.
      </p>
      <Segmented<Form>
        small
        label="Format of the value"
        value={form}
        options={[
          { value: "text", label: "Text" },
          { value: "json", label: "JSON" },
        ]}
        onChange={setForm}
      />
      <textarea
        className={classes(valueTextStyles.text, styles.pin)}
        aria-label={`Value of ${label}`}
        data-testid="pin-value"
        rows={8}
        spellCheck={false}
        value={typed}
        onChange={(e) => setTyped(e.target.value)}
      />
      {problem !== null && (
        <p className="text-error" role="alert">
          {problem}
        </p>
      )}
      <div className={classes(dialogStyles.choices, "row")}>
        <Button variant="primary" icon="pin" data-testid="pin-save" onClick={save}>
          Pin
        </Button>
        {pinned && (
          <Button
            onClick={() => {
              remove(fileInHand(), nodeId);
              close();
            }}
          >
            Unpin
          </Button>
        )}
        <Button onClick={close}>Cancel</Button>
      </div>
    </Dialog>
  );
}
