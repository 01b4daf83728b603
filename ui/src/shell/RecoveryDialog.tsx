// Work that was unsaved when the program crashed or was killed. Each workflow is shown with its differences
// from the file, and can be restored or discarded. Escape postpones the decision to the next start.

import { useRef } from "react";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import dialogStyles from "../components/Dialog.module.css";
import { Icon } from "../components/Icon";
import { tip } from "../components/tip";
import { useModal } from "../components/use-modal";
import { fileName } from "../document/document";
import type { Draft, FlowDoc } from "../ipc/generated/bindings";
import { differences } from "../kernels/differences";
import { foldersApart } from "../kernels/same-names";
import { formatAgo, plural } from "../runs/words/format";
import { dropLeft, postponeLeftDrafts, restoreDraft, useLeftDrafts } from "../tabs/drafts";
import { testIds } from "../testids";
import styles from "./RecoveryDialog.module.css";

function whatDiffers(draft: Draft): string[] {
  const document = draft.document as FlowDoc;
  const nodes = document.nodes?.length ?? 0;
  if (draft.path === null) return [`Never saved to a file. ${plural(nodes, "node")}.`];
  if (draft.saved === null) return [`The file no longer exists. ${plural(nodes, "node")}.`];
  const lines = differences(draft.saved as FlowDoc, document);
  return lines.length > 0 ? lines : ["The draft no longer differs from the file."];
}

/**
 * One draft. `folder` is set if it is needed to distinguish files of the same name. `alone` is true if this
 * is the only draft; the dialog's buttons then apply to it.
 */
function DraftRow({ draft, folder, alone }: { draft: Draft; folder: string | null; alone: boolean }) {
  const document = draft.document as FlowDoc;
  const name = fileName(draft.path, document.name);
  const overtaken = draft.saved !== null && draft.savedVersion !== draft.version;
  return (
    <li className={styles.leftDraft} data-testid={testIds.leftDraft(name)}>
      <Icon name="file-json" size={15} />
      <div>
        <b className="clip-text" {...tip(draft.path ?? name)}>
          {name}
        </b>
        {folder !== null && <span className="text-tertiary"> in {folder}</span>}
        <span className="text-tertiary"> kept {formatAgo(Date.parse(draft.keptAt), Date.now())}</span>
        <ul>
          {whatDiffers(draft).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {overtaken && (
          <p className="text-warning">
            Another program has changed the file since then. When you save, Loopwright asks which version to
            keep.
          </p>
        )}
      </div>
      {!alone && (
        <div className={classes(dialogStyles.choices, styles.answers, "row")}>
          <Button small onClick={() => void restoreDraft(draft)} aria-label={`Restore ${name}`}>
            Restore
          </Button>
          <Button
            small
            variant="danger"
            onClick={() => void dropLeft(draft)}
            aria-label={`Discard the draft of ${name}`}
          >
            Discard
          </Button>
        </div>
      )}
    </li>
  );
}

async function each(drafts: readonly Draft[], act: (draft: Draft) => Promise<void>): Promise<void> {
  for (const draft of drafts) await act(draft);
}

export function RecoveryDialog() {
  const drafts = useLeftDrafts((s) => s.drafts);
  const box = useRef<HTMLDialogElement>(null);
  const open = drafts.length > 0;
  useModal(box, open);
  if (!open) return null;
  const folders = foldersApart(drafts.map((draft) => draft.path));
  return (
    <dialog
      ref={box}
      className={classes(dialogStyles.question, styles.recovery)}
      aria-labelledby="recovery-title"
      aria-describedby="recovery-detail"
      data-testid={testIds.recovery}
      onCancel={(event) => {
        event.preventDefault();
        postponeLeftDrafts();
      }}
    >
      <h2 id="recovery-title">
        {drafts.length === 1
          ? "Loopwright closed with unsaved changes"
          : `Loopwright closed with unsaved changes in ${drafts.length} workflows`}
      </h2>
      <p id="recovery-detail">
        {drafts.length === 1
          ? "The changes are kept in a draft. The file has not been touched."
          : "The changes are kept in drafts. The files have not been touched."}
      </p>
      <ul className={styles.leftDrafts}>
        {drafts.map((draft, i) => (
          <DraftRow key={draft.id} draft={draft} folder={folders[i] ?? null} alone={drafts.length === 1} />
        ))}
      </ul>
      <div className={classes(dialogStyles.choices, "row")}>
        <Button variant="primary" onClick={() => void each([...drafts].reverse(), restoreDraft)}>
          {drafts.length === 1 ? "Restore it" : "Restore all"}
        </Button>
        <Button variant="danger" onClick={() => void each(drafts, dropLeft)}>
          {drafts.length === 1 ? "Discard it" : "Discard all"}
        </Button>
        <Button onClick={postponeLeftDrafts}>Decide later</Button>
      </div>
    </dialog>
  );
}
