// "Fork from here": edits one value, prompt or setting, shows what is kept and what runs again, and starts a
// new run. The original run is unchanged.

import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Segmented } from "../../components/fields";
import { Message } from "../../components/Message";
import popoverStyles from "../../components/Popover.module.css";
import { Select } from "../../components/Select";
import { tip } from "../../components/tip";
import { useFocusBack } from "../../components/use-focus-back";
import { useKind } from "../../document/kinds";
import { api, errorMessage } from "../../ipc/client";
import type { CostEstimate, ForkPlace, Json, Usage } from "../../ipc/generated/bindings";
import { usageSince } from "../../runs/fold/model";
import {
  type ForkTarget,
  forkAndShow,
  readTyped,
  type Setting,
  settingsOf,
  useFork,
} from "../../runs/session/fork";
import { useRunPart } from "../../runs/view/shown";
import { formatCost, formatUsd, plural } from "../../runs/words/format";
import { forkFiles } from "../../runs/workspace/fork-files";
import { canvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import { useLoading } from "../changes/use-files";
import { settingTitle } from "../form/schema";
import styles from "./ForkPopover.module.css";
import valueTextStyles from "./ValueText.module.css";
import { valueText } from "./values";

/** The kind of edit. `again` changes nothing: the step and everything that depends on it run again. */
export type Edited = "output" | "input" | "setting" | "again";

const NAMES: Record<Edited, string> = {
  output: "Output",
  input: "Input",
  setting: "Setting",
  again: "Nothing",
};

/** The message shown when a fork has no changes and therefore cannot be started. */
const UNCHANGED = "Change the value first, or choose “Nothing” to repeat the step unchanged.";

/** Returns the kinds of edits with which a run can be forked at the target. */
export function editables(target: ForkTarget): Edited[] {
  const settings = settingsOf(target.node).length > 0;
  return [
    ...(target.givable ? (["output"] as const) : []),
    ...(target.iteration ? (["input"] as const) : []),
    ...(settings ? (["setting"] as const) : []),
    "again",
  ];
}

/** Returns the path at which the run is forked for this edit. */
export function placeFor(target: ForkTarget, edited: Edited, fromEnd: boolean): string {
  if (fromEnd && target.beyond !== null) return target.beyond;
  const iteration = target.iteration?.path;
  const step = target.step?.path;
  return (edited === "input" ? (iteration ?? step) : (step ?? iteration)) ?? "";
}

export function ForkPopover() {
  const target = useFork((s) => s.target);
  return target === null ? null : (
    <OpenFork key={`${target.runId}|${target.step?.nodeId ?? target.node?.id}`} target={target} />
  );
}

function OpenFork({ target }: { target: ForkTarget }) {
  const choices = editables(target);
  const settings = settingsOf(target.node);
  const schema = useKind(target.node?.type ?? "")?.schema ?? null;
  const loopAlone = target.step === null;
  // A failed step has no output to edit. It can be rerun with the same or with other inputs.
  const again = useFork.getState().again || target.failed;
  const [edited, setEdited] = useState<Edited>(again ? "again" : (choices[0] ?? "again"));
  const [field, setField] = useState(settings[0]?.field ?? "");
  const [fromEnd, setFromEnd] = useState(false);
  /** The drafts, keyed by the edited value, so that switching between values keeps each draft. */
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const at = placeFor(target, edited, fromEnd);
  const place = useForkPlace(target.runId, at);
  const setting = settings.find((s) => s.field === field) ?? null;
  const was: Json =
    edited === "setting" ? setting?.value : place.state === "ready" ? place.found.value : null;
  const draft = edited === "setting" ? `setting ${field}` : `${edited} ${at}`;
  const text = drafts[draft] ?? valueText(was);
  const isUnchanged = edited !== "again" && !fromEnd && text === valueText(was);
  const { close } = useFork.getState();
  useFocusBack(box, () => canvasView()?.focus(target.node?.id ?? null));
  useEffect(() => {
    const first = again
      ? box.current?.querySelector('[data-testid="fork-run"]')
      : (box.current?.querySelector("textarea") ??
        box.current?.querySelector('[role="radio"][tabindex="0"]'));
    if (first instanceof HTMLElement) first.focus();
  }, [again]);
  const choose = (change: () => void) => {
    flushSync(() => {
      change();
      setProblem(null);
    });
    // The focus moves to the field that was chosen.
    box.current?.querySelector("textarea")?.focus();
  };
  const run = async () => {
    if (isUnchanged) {
      setProblem(UNCHANGED);
      return;
    }
    const read = edited === "again" ? { value: null } : readTyped(text, was);
    if ("error" in read) {
      setProblem(read.error);
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await forkAndShow(target, at, {
        edits:
          edited === "setting" && target.node
            ? [{ node: target.node.id, field, value: read.value }]
            : undefined,
        value: edited === "output" || edited === "input" ? { value: read.value } : null,
      });
      close();
      useSession.getState().show("editor");
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return (
    <div
      ref={box}
      className={classes(popoverStyles.popover, styles.fork)}
      role="dialog"
      aria-label={target.title}
      data-testid="fork"
      onKeyDown={(e) => {
        if (e.key === "Escape") close();
        else if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void run();
        else return;
        e.preventDefault();
        e.stopPropagation();
      }}
    >
      <header>
        <b>{target.title}</b>
        <span className="grow" />
        <IconButton icon="x" size={14} small label="Close" onClick={close} />
      </header>
      <div className={classes(formStyles.formRow, styles.line)}>
        <span>Edit</span>
        <Segmented<Edited>
          small
          label="What to edit"
          value={edited}
          options={choices.map((value) => ({ value, label: NAMES[value] }))}
          onChange={(value) => choose(() => setEdited(value))}
        />
      </div>
      {edited === "setting" && (
        <SettingPicker
          schema={schema}
          settings={settings}
          field={field}
          onField={(f) => {
            setField(f);
            setProblem(null);
          }}
          focusAfter={() => box.current?.querySelector("textarea")}
        />
      )}
      {target.beyond !== null && (edited === "setting" || edited === "again") && (
        <label className={styles.end}>
          <input type="checkbox" checked={fromEnd} onChange={(e) => setFromEnd(e.target.checked)} />
          Continue after the last iteration
        </label>
      )}
      {edited !== "again" && (
        <textarea
          className={classes(valueTextStyles.text, styles.value)}
          aria-label={edited === "setting" ? settingTitle(schema, field) : `${NAMES[edited]} at ${at}`}
          data-testid="fork-value"
          rows={5}
          spellCheck={false}
          value={text}
          onChange={(e) => {
            setDrafts({ ...drafts, [draft]: e.target.value });
            setProblem(null);
          }}
        />
      )}
      {problem !== null && (
        <p className={classes(styles.problem, "text-error")} role="alert">
          <Message text={problem} />
        </p>
      )}
      <Files target={target} at={at} />
      <div className={classes(styles.foot, "row")}>
        <Costs target={target} place={place} isLoop={loopAlone} hasOverride={edited === "output"} />
        <Button
          variant="primary"
          icon="play"
          disabled={busy || isUnchanged || (place.state === "failed" && edited !== "setting")}
          {...tip(isUnchanged ? UNCHANGED : null)}
          data-testid="fork-run"
          onClick={() => void run()}
        >
          Run fork
        </Button>
      </div>
    </div>
  );
}

/** A number that no iteration has, so that no changes are counted. */
const NO_ITERATION = 0xffff_ffff;

/** Shows the files that the fork starts with, and whether they are on this computer. */
function Files({ target, at }: { target: ForkTarget; at: string }) {
  const files = forkFiles(target.document, at);
  const key = files && [target.runId, files.loop].join("|");
  const workspace = useLoading(key, () => api().loopWorkspace(target.runId, files?.loop ?? "", NO_ITERATION));
  if (files === null) return null;
  const problem = workspace.state === "ready" ? (workspace.value?.problem ?? null) : null;
  return (
    <p
      className={classes(formStyles.hint, styles.files, problem !== null && "text-warning")}
      data-testid="fork-files"
    >
      {problem === null ? files.words : `The fork cannot start with these files: ${problem}`}
    </p>
  );
}

type PickerProps = {
  schema: Json;
  settings: readonly Setting[];
  field: string;
  onField(field: string): void;
  focusAfter(): HTMLElement | null | undefined;
};

function SettingPicker({ schema, settings, field, onField, focusAfter }: PickerProps) {
  return (
    <div className={classes(formStyles.formRow, styles.line)}>
      <span>Which</span>
      <Select
        label="Which setting"
        testId="fork-field"
        className={styles.setting}
        value={field}
        options={settings.map((s) => ({ value: s.field, label: settingTitle(schema, s.field) }))}
        onChange={onField}
        focusAfter={focusAfter}
      />
    </div>
  );
}

type Place =
  | { state: "loading" }
  | { state: "ready"; found: ForkPlace }
  | { state: "failed"; message: string };

function useForkPlace(runId: string, at: string): Place {
  const [place, setPlace] = useState<Place>({ state: "loading" });
  useEffect(() => {
    let wanted = true;
    setPlace({ state: "loading" });
    api()
      .forkPlace(runId, at)
      .then(
        (found) => wanted && setPlace({ state: "ready", found }),
        (error) => wanted && setPlace({ state: "failed", message: errorMessage(error) }),
      );
    return () => {
      wanted = false;
    };
  }, [runId, at]);
  return place;
}

/** Returns the maximum cost of the whole flow; null until it is known. */
function useMost({ document, flowPath }: ForkTarget): CostEstimate | null {
  const inputs = useRunPart((run) => run.inputs, null);
  const [most, setMost] = useState<CostEstimate | null>(null);
  useEffect(() => {
    let wanted = true;
    const inputValues = typeof inputs === "object" && inputs !== null ? (inputs as Record<string, Json>) : {};
    api()
      .estimate(document, flowPath, inputValues)
      .then(
        (found) => wanted && setMost(found),
        // If the request fails, the sentence next to it says that the maximum is unknown.
        () => wanted && setMost(null),
      );
    return () => {
      wanted = false;
    };
  }, [document, flowPath, inputs]);
  return most;
}

type CostsProps = {
  target: ForkTarget;
  place: Place;
  isLoop: boolean;
  /** Whether the output is replaced, so that the step itself does not run again. */
  hasOverride: boolean;
};

/** Shows which part is kept, which part runs again, and what the second part costs at most. */
function Costs({ target, place, isLoop, hasOverride }: CostsProps) {
  const running = useRunPart((run) => run.status === "running", false);
  const most = useMost(target);
  if (place.state === "failed")
    return (
      <span className={classes(formStyles.hint, "text-error")}>
        <Message text={place.message} />
      </span>
    );
  if (place.state === "loading") return <span className={formStyles.hint}>Checking what can be reused…</span>;
  const { rest } = place.found;
  const again = hasOverride && target.step ? usageSince(target.step.usage, rest) : rest;
  return (
    <span className={formStyles.hint} data-testid="fork-costs">
      {keptWords(place.found)} {restWords(again, isLoop)} {mostWords(place.found, most)}
      {running && " This run continues."}
    </span>
  );
}

export function keptWords({ kept }: Pick<ForkPlace, "kept">): string {
  if (kept.calls === 0) return "Reuses no calls.";
  return `Reuses ${plural(kept.calls, "call")}${kept.cost_usd ? ` (${formatCost(kept)})` : ""}.`;
}

export function restWords(rest: Usage, isLoop: boolean): string {
  // If the original failed at this place, the fork may make more calls than the original did.
  if (rest.calls <= 0) return "The original run made no calls after this point.";
  const cost = rest.cost_usd ? `, ${formatCost(rest)}` : "";
  // A loop may take a different path this time.
  return isLoop
    ? `After this point, the original run made ${plural(rest.calls, "call")}${cost}.`
    : `Reruns ${plural(rest.calls, "call")}${cost}.`;
}

/**
 * Describes the maximum cost of a fork: the flow's maximum without the cost of the kept part, which is not
 * paid for again.
 */
export function mostWords({ kept }: Pick<ForkPlace, "kept">, most: CostEstimate | null): string {
  if (most?.maxUsd === 0 || (most?.maxCalls === 0 && most.agentTurns === 0)) return "Free.";
  if (most === null || most.maxUsd === null) return "The maximum cost is not known.";
  return `At most ${formatUsd(Math.max(0, most.maxUsd - (kept.cost_usd ?? 0)))}.`;
}
