// The top bar: view, file, undo and redo, problems, model, and the run.

import { commandById } from "../commands";
import { hintOf } from "../commands/keyboard";
import { Button, IconButton } from "../components/Button";
import buttonStyles from "../components/Button.module.css";
import { classes } from "../components/classes";
import fieldsStyles from "../components/Fields.module.css";
import { Icon } from "../components/Icon";
import { tip } from "../components/tip";
import { fileName, useDirty, useDocument } from "../document/document";
import { useProblemCount } from "../document/quiet";
import { HistoryBar } from "../pages/history/HistoryBar";
import { leaveSettings } from "../pages/settings/leave";
import { useIsRunning } from "../runs/view/shown";
import { plural } from "../runs/words/format";
import { useSession } from "../session/session";
import { testIds } from "../testids";
import { FileMenu } from "./FileMenu";
import { Logo } from "./Logo";
import { ProviderChip } from "./ProviderChip";
import { CHOICES } from "./pages";
import { RunBox, RunChip, WaitingButton } from "./RunBox";
import styles from "./TopBar.module.css";

const run = (id: string) => () => void commandById(id).run();
const hint = (id: string) => hintOf(commandById(id));

function Views() {
  const view = useSession((s) => s.view);
  return (
    <nav className={fieldsStyles.segmented} aria-label="View">
      {CHOICES.map((page) => (
        <button
          key={page.view}
          type="button"
          data-current={view === page.view || undefined}
          aria-current={view === page.view ? "page" : undefined}
          data-testid={page.testId}
          {...tip(page.tip, hint(page.command))}
          onClick={run(page.command)}
        >
          <Icon name={page.icon} size={13} />
          {page.label}
        </button>
      ))}
    </nav>
  );
}

function UndoButtons() {
  const canUndo = useDocument((s) => s.history.done.at(-1)?.label ?? null);
  const canRedo = useDocument((s) => s.history.undone.at(-1)?.label ?? null);
  return (
    <div className={styles.undo}>
      <IconButton
        icon="undo-2"
        label={canUndo ? `Undo: ${canUndo}` : "Undo"}
        hint={hint("edit.undo")}
        disabled={canUndo === null}
        data-testid={testIds.undoButton}
        onClick={run("edit.undo")}
      />
      <IconButton
        icon="redo-2"
        label={canRedo ? `Redo: ${canRedo}` : "Redo"}
        hint={hint("edit.redo")}
        disabled={canRedo === null}
        data-testid={testIds.redoButton}
        onClick={run("edit.redo")}
      />
    </div>
  );
}

function ValidateButton() {
  const { errors, warnings, words, isLoud } = useProblemCount();
  const tone = isLoud ? "has-error" : errors > 0 ? "quiet" : warnings > 0 ? "warn" : "ok";
  const tooltip = words || (warnings > 0 ? plural(warnings, "warning") : "No problems");
  return (
    <Button
      icon="list-checks"
      {...tip(tooltip)}
      data-testid={testIds.validateButton}
      onClick={run("problems.show")}
    >
      Validate
      <span className={classes(buttonStyles.count, buttonStyles[tone])}>
        {errors > 0 ? errors : warnings}
      </span>
    </Button>
  );
}

/** The bar of the gallery. If a document is open, it has a button that leads back to it. */
function GalleryBar() {
  const title = useDocument((s) => (s.document.nodes.length > 0 ? fileName(s.path, s.root.name) : null));
  const { show, patch } = useSession.getState();
  return (
    <header className={styles.topbar} data-region="top">
      <span className={styles.brand}>
        <Logo />
        <b>Loopwright</b>
      </span>
      <span className="grow" />
      {title !== null && (
        <Button variant="ghost" icon="workflow" onClick={() => show("editor")}>
          {title}
        </Button>
      )}
      <IconButton
        icon="keyboard"
        label="Keyboard shortcuts"
        hint={hint("window.shortcuts")}
        onClick={() => patch({ shortcuts: true })}
      />
      <IconButton
        icon="settings"
        label="Settings"
        hint={hint("window.settings")}
        onClick={() => show("settings")}
      />
    </header>
  );
}

function SettingsBar() {
  return (
    <header className={styles.topbar} data-region="top">
      <IconButton icon="arrow-left" label="Back" onClick={leaveSettings} />
      <span className={styles.brand}>
        <b>Settings</b>
      </span>
      <span className="grow" />
      <span className="text-tertiary">Changes are saved as you make them</span>
      <Button onClick={leaveSettings} data-testid="settings-done">
        Done <kbd>Esc</kbd>
      </Button>
    </header>
  );
}

export function TopBar() {
  const view = useSession((s) => s.view);
  const path = useDocument((s) => s.path);
  const name = useDocument((s) => s.root.name);
  const dirty = useDirty();
  const past = useDocument((s) => s.suspended !== null);
  const running = useIsRunning();
  const editing = useSession((s) => s.layout === "edit");
  const { patch, show } = useSession.getState();
  if (view === "settings") return <SettingsBar />;
  if (view === "gallery") return <GalleryBar />;
  return (
    <header className={styles.topbar} data-region="top">
      <button
        type="button"
        className={styles.brand}
        aria-label="Templates and recent files"
        {...tip("Templates and recent files")}
        onClick={() => show("gallery")}
      >
        <Logo />
      </button>
      <Views />
      <span className="divider" />
      {view === "editor" && (
        <IconButton
          icon="panel-left"
          label="Toggle palette"
          onClick={() => patch({ paletteOpen: !useSession.getState().paletteOpen })}
        />
      )}
      {view === "runs" && <HistoryBar />}
      {view === "waiting" && <b>Waiting</b>}
      {(view === "editor" || view === "evaluate") && (
        <FileMenu title={fileName(path, name)} dirty={dirty && !past} />
      )}
      {view === "editor" && !past && (
        <IconButton
          icon="save"
          label="Save"
          hint={hint("file.save")}
          disabled={!dirty && path !== null}
          data-testid={testIds.saveButton}
          onClick={run("file.save")}
        />
      )}
      {view === "editor" && !past && <UndoButtons />}
      {view !== "runs" && <span className="grow" />}
      <WaitingButton />
      {view === "editor" && (
        <>
          {running && <RunChip />}
          {(!running || editing) && <ValidateButton />}
          <ProviderChip />
          <RunBox />
        </>
      )}
      {view === "editor" && (
        <IconButton
          icon="panel-right"
          label="Toggle side panel"
          className={styles.narrowOnly}
          onClick={() => patch({ sideOpen: !useSession.getState().sideOpen })}
        />
      )}
      <IconButton icon="settings" label="Settings" onClick={() => show("settings")} />
    </header>
  );
}
