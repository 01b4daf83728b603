// The files that the iterations of a loop changed, in the inspector. A file opens in a large view.
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import noteStyles from "../../components/Note.module.css";
import { Skeletons } from "../../components/Skeletons";
import { tip } from "../../components/tip";
import type { ChangedFile, LoopWorkspace, TestChanges } from "../../ipc/generated/bindings";
import { useWorkspaces } from "../../runs/workspace/loop-workspace";
import { testTip, testWords } from "../../runs/workspace/test-words";
import { testIds } from "../../testids";
import styles from "./ChangesTab.module.css";
import { Compared, useStates } from "./Compared";
import { FileList } from "./FileList";
import { type ChangesOf, fileKey, useChanges } from "./store";
import { type Loading, useFiles } from "./use-files";
import { totalWords } from "./words";

/** Returns the two compared states of a loop, and the files that differ between these states. */
export function useComparedFiles(of: ChangesOf, workspace: LoopWorkspace | null) {
  const states = useStates(of);
  // It no longer changes once the loop has ended, because its states no longer change.
  const progress = useWorkspaces((s) => s.known[`${of.runId}|${of.path}`]?.progress);
  const isHere = workspace !== null && workspace.problem === null;
  return { states, files: useFiles(of.runId, of.path, states, isHere ? (progress ?? "") : null) };
}

type ChangesTabProps = { of: ChangesOf; workspace: LoopWorkspace | null; problem: string | null };

export function ChangesTab({ of, workspace, problem }: ChangesTabProps) {
  const { show, apply } = useChanges.getState();
  const { states, files } = useComparedFiles(of, workspace);
  const wrong = problem ?? workspace?.problem ?? null;
  if (wrong !== null) {
    return (
      <p className={noteStyles.note} role="status" data-testid="changes-problem">
        {wrong}
      </p>
    );
  }
  if (workspace === null) return <p className={noteStyles.note}>The workspace has not been created yet.</p>;
  const open = (file: ChangedFile | null) => show(of, file && fileKey(file));
  return (
    <div className={styles.changes} data-testid={testIds.changes}>
      <div className={styles.compared}>
        <Compared of={of} full />
      </div>
      <div className={styles.actions}>
        <Button small icon="maximize" data-testid={testIds.changesOpen} onClick={() => open(null)}>
          Show changes
        </Button>
        <Button
          small
          icon="git-branch"
          disabled={states.to === 0}
          data-testid={testIds.applyButton}
          {...tip(workspace.isOpen ? "Available once the loop has ended or the run is paused" : undefined)}
          onClick={() => apply({ ...of, iteration: states.to })}
        >
          Apply…
        </Button>
        {workspace.appliedAt !== null && <span className={styles.applied}>applied</span>}
      </div>
      <Files files={files} onPick={open} />
    </div>
  );
}

function Files({
  files,
  onPick,
}: {
  files: ReturnType<typeof useComparedFiles>["files"];
  onPick(file: ChangedFile): void;
}) {
  const shown = unlessLoaded(files);
  if (shown !== null) return shown;
  if (files.state !== "ready") return null;
  return (
    <>
      <p className={styles.total} data-testid={testIds.changesTotal}>
        {totalWords(files.value)}
      </p>
      <ChangedTests tests={files.value.tests} />
      {files.value.total > 0 && <FileList changes={files.value} chosen={null} onPick={onPick} />}
    </>
  );
}

/** Describes changes to tests. Shows nothing if no tests were changed. */
export function ChangedTests({ tests }: { tests: TestChanges | null }) {
  if (tests === null) return null;
  return (
    <p
      className={classes(styles.tests, "text-warning")}
      data-testid={testIds.changedTests}
      {...tip(testTip(tests))}
    >
      <Icon name="triangle-alert" size={12} />
      <span>Tests: {testWords(tests)}.</span>
    </p>
  );
}

/**
 * Returns a placeholder while something loads, or the reason why it cannot be shown; null once it is loaded.
 */
export function unlessLoaded(loading: Loading<unknown>) {
  if (loading.state === "loading") return <Skeletons label="Reading the changes" lines={4} />;
  if (loading.state === "failed") {
    return (
      <p className={classes(noteStyles.note, "text-error")} role="alert">
        {loading.message}
      </p>
    );
  }
  return null;
}
