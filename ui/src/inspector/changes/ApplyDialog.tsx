// "Apply…": applies the files of an iteration to the project, as a branch or directly to its files.
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import dialogStyles from "../../components/Dialog.module.css";
import formStyles from "../../components/Form.module.css";
import { Segmented, Switch, TextField } from "../../components/fields";
import { Select } from "../../components/Select";
import { useModal } from "../../components/use-modal";
import { api, errorMessage } from "../../ipc/client";
import type { AppliedResult, FileChanges, LoopWorkspace } from "../../ipc/generated/bindings";
import { escapeInvisible } from "../../kernels/visible";
import { plural } from "../../runs/words/format";
import { readWorkspace, useWorkspaces } from "../../runs/workspace/loop-workspace";
import { testIds } from "../../testids";
import { CopyButton } from "../run/DiffView";
import styles from "./ApplyDialog.module.css";
import { ChangedTests, unlessLoaded } from "./ChangesTab";
import { type AppliedState, type ChangesOf, proposed, resultName, stateName, useChanges } from "./store";
import { type Loading, useFiles, useLoading } from "./use-files";
import { CHANGE_WORDS, linesWords, totalWords } from "./words";

type Way = "branch" | "working";

/**
 * The value of the choice that applies the loop's result. It is offered if the result differs from the last
 * iteration's files.
 */
const RESULT = "result";

/** The maximum number of files that the dialog lists. */
const LISTED = 200;

export function ApplyDialog() {
  const applying = useChanges((s) => s.applying);
  const workspace = useWorkspaces((s) =>
    applying === null ? null : (s.known[`${applying.runId}|${applying.path}`]?.workspace ?? null),
  );
  if (applying === null || workspace === null) return null;
  return <OpenApply of={applying} first={applying.iteration} workspace={workspace} />;
}

type OpenProps = { of: ChangesOf; first: number; workspace: LoopWorkspace };

function OpenApply({ of, first, workspace }: OpenProps) {
  const box = useRef<HTMLDialogElement>(null);
  const [way, setWay] = useState<Way>("branch");
  const { result } = workspace;
  const [iteration, setIteration] = useState<AppliedState>(proposed(first, of.count, result));
  const [name, setName] = useState(workspace.branchName);
  const [squash, setSquash] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [applied, setApplied] = useState<AppliedResult | null>(null);
  const close = useChanges.getState().closeApply;
  useModal(box);
  const files = useApplied(of, way, iteration);
  const apply = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const how = way === "branch" ? { kind: way, name: name.trim(), squash } : { kind: way };
      setApplied(await api().applyIteration(of.runId, of.path, iteration, how));
      const progress = useWorkspaces.getState().known[`${of.runId}|${of.path}`]?.progress ?? "";
      void readWorkspace(of.runId, of.path, progress);
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  const change = (to: () => void) => {
    setProblem(null);
    to();
  };
  const nothing = files.state === "ready" && files.value.total === 0;
  const cannot = busy || nothing || (way === "branch" ? name.trim() === "" : files.state !== "ready");
  return (
    <dialog
      ref={box}
      className={classes(dialogStyles.question, styles.apply)}
      aria-labelledby="apply-title"
      data-testid={testIds.applyDialog}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      {applied !== null ? (
        <Done applied={applied} close={close} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!cannot) void apply();
          }}
        >
          <h2 id="apply-title">Apply the result</h2>
          <p className={styles.source}>
            To <code>{escapeInvisible(workspace.source)}</code>. Nothing is pushed.
          </p>
          <div className={formStyles.formRow}>
            <span>As</span>
            <Segmented<Way>
              small
              label="How the result is applied"
              value={way}
              options={[
                { value: "branch", label: "A branch" },
                { value: "working", label: "Into my files" },
              ]}
              onChange={(value) => change(() => setWay(value))}
            />
          </div>
          <div className={formStyles.formRow}>
            <span>Files of</span>
            <Select
              label="Files of"
              testId="apply-iteration"
              value={iteration === null ? RESULT : String(iteration)}
              options={[
                ...(result === null ? [] : [{ value: RESULT, label: resultName(result) }]),
                ...Array.from({ length: of.count }, (_, i) => ({
                  value: String(i + 1),
                  label: stateName(i + 1),
                })),
              ]}
              onChange={(value) => change(() => setIteration(value === RESULT ? null : Number(value)))}
            />
          </div>
          {way === "branch" && (
            <>
              <div className={formStyles.formRow}>
                <label htmlFor="apply-name">Name of the branch</label>
                <TextField
                  id="apply-name"
                  testId="apply-name"
                  mono
                  wide
                  className={styles.name}
                  value={name}
                  onChange={(value) => change(() => setName(value))}
                />
              </div>
              <div className={formStyles.formRow}>
                <label htmlFor="apply-squash">One commit for all iterations</label>
                <Switch id="apply-squash" testId="apply-squash" on={squash} onChange={setSquash} />
              </div>
            </>
          )}
          <p className={formStyles.hint}>
            {way === "branch"
              ? "The branch starts at the commit from which the loop started. Your files and your current branch are not changed."
              : "The changes are merged with those that you made in the meantime. They appear as unstaged changes."}
          </p>
          <Planned files={files} />
          {problem !== null && (
            <p className={classes(styles.problem, "text-error")} role="alert" data-testid="apply-problem">
              {problem}
            </p>
          )}
          <div className={classes(dialogStyles.choices, "row")}>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit" disabled={cannot} data-testid={testIds.applyRun}>
              {way === "branch" ? "Create the branch" : "Change my files"}
            </Button>
          </div>
        </form>
      )}
    </dialog>
  );
}

/**
 * Returns the files that applying would change, or the reason why they cannot be merged into the user's
 * files.
 */
function useApplied(of: ChangesOf, way: Way, iteration: AppliedState): Loading<FileChanges> {
  const whole = useFiles(of.runId, of.path, { from: 0, to: iteration }, way === "branch" ? "" : null);
  const key = way === "working" ? [of.runId, of.path, iteration].join("|") : null;
  const plan = useLoading(key, () => api().planApply(of.runId, of.path, iteration));
  return way === "branch" ? whole : plan;
}

function Planned({ files }: { files: Loading<FileChanges> }) {
  const shown = unlessLoaded(files);
  if (shown !== null) return <div className={styles.planned}>{shown}</div>;
  if (files.state !== "ready") return null;
  const { value } = files;
  return (
    <div className={styles.planned} data-testid="apply-files">
      <b>{value.total === 0 ? "There is nothing to apply." : totalWords(value)}</b>
      <ChangedTests tests={value.tests} />
      {value.total > 0 && (
        <ul
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
          tabIndex={0}
          aria-label="Files that change"
        >
          {value.files.slice(0, LISTED).map((file, i) => (
            // Two hostile names can look the same.
            // biome-ignore lint/suspicious/noArrayIndexKey: the list of a plan does not change.
            <li key={i}>
              <span>{CHANGE_WORDS[file.change]}</span>
              <code>{escapeInvisible(file.name)}</code>
              <span>{linesWords(file)}</span>
            </li>
          ))}
          {value.total > LISTED && <li>… and {plural(value.total - LISTED, "more file")}</li>}
        </ul>
      )}
    </div>
  );
}

function Done({ applied, close }: { applied: AppliedResult; close(): void }) {
  const { branch, commits, changes, folder, next } = applied;
  return (
    <div data-testid="apply-done">
      <h2 id="apply-title">Applied</h2>
      <p role="status">
        {branch !== null
          ? `The branch ${escapeInvisible(branch)} has ${plural(commits, "commit")}. Nothing else was changed.`
          : `${plural(changes?.total ?? 0, "file")} changed. Nothing is staged.`}
      </p>
      <p className={styles.source}>
        In <code>{escapeInvisible(folder)}</code> you can type:
      </p>
      <ul className={styles.next}>
        {next.map(({ title, command }) => (
          <li key={command}>
            <span>{title}</span>
            <code>{command}</code>
            <CopyButton text={command} />
          </li>
        ))}
      </ul>
      <div className={classes(dialogStyles.choices, "row")}>
        <Button variant="primary" data-testid="apply-close" onClick={close}>
          Close
        </Button>
      </div>
    </div>
  );
}
