// What the program does for unattended runs: it keeps the computer awake and notifies the user.

import { useId, useState } from "react";
import { Button } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { NumberField, Switch, TextField } from "../../components/fields";
import { TextListField } from "../../components/TextListField";
import type { Notifications, NotifyProgram, Settings } from "../../ipc/generated/bindings";
import { useAttention } from "../../session/attention";
import styles from "../SettingsPage.module.css";
import { saveSettings } from "./save";

export function Unattended({ settings }: { settings: Settings }) {
  return (
    <>
      <h2 className={styles.settingsHeading}>Unattended runs</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <label htmlFor="keep-awake">Keep the computer awake while runs are active</label>
          <Switch
            id="keep-awake"
            testId="settings-keep-awake"
            on={settings.keepAwake ?? true}
            onChange={(on) => void saveSettings({ keepAwake: on })}
          />
        </div>
        <p className={formStyles.hint}>
          Prevents sleep while the computer is idle, but not when you close the lid or choose Sleep. The
          display may turn off. A run that only waits for you does not keep the computer awake.
        </p>
        <div className={formStyles.formRow}>
          <label htmlFor="continue-runs">Continue runs after I log out and in again</label>
          <Switch
            id="continue-runs"
            testId="settings-continue-runs"
            on={settings.continueRuns ?? false}
            onChange={(on) => void saveSettings({ continueRuns: on })}
          />
        </div>
        <p className={formStyles.hint}>
          Runs that were interrupted because the computer shut down, or because you logged out, continue when
          you open Loopwright. If this is off, Loopwright only offers to resume them.
        </p>
        <Notify notifications={settings.notifications} />
        <div className={formStyles.formRow}>
          <label htmlFor="refuse-calls">Refuse unanswered tool calls after</label>
          <NumberField
            id="refuse-calls"
            testId="settings-refuse-calls"
            minimum={0.1}
            maximum={8_760}
            unit="h"
            placeholder="never"
            value={settings.refuseCallsAfterHours ?? null}
            onChange={(hours) => void saveSettings({ refuseCallsAfterHours: hours })}
          />
        </div>
        <p className={formStyles.hint}>
          If this is off, a run waits until you answer. The setting applies to questions that are asked from
          now on. An Approval node has its own expiry.
        </p>
      </div>
    </>
  );
}

function Notify({ notifications }: { notifications: Notifications }) {
  const trouble = useAttention((s) => s.notification_trouble);
  const save = (change: Partial<Notifications>) =>
    void saveSettings({ notifications: { ...notifications, ...change } });
  return (
    <>
      <div className={formStyles.formRow}>
        <label htmlFor="notify-desktop">Notify me about runs</label>
        <Switch
          id="notify-desktop"
          testId="settings-notify"
          on={notifications.desktop ?? true}
          onChange={(on) => save({ desktop: on })}
        />
      </div>
      <div className={formStyles.formRow}>
        <label htmlFor="notify-after">Even when the window is in front, if a run took longer than</label>
        <NumberField
          id="notify-after"
          testId="settings-notify-after"
          minimum={0}
          maximum={86_400}
          whole
          unit="s"
          value={notifications.afterSeconds ?? 30}
          onChange={(seconds) => save({ afterSeconds: seconds ?? 30 })}
        />
      </div>
      <div className={formStyles.formRow}>
        <label htmlFor="notify-texts">Show questions, errors and outputs in notifications</label>
        <Switch
          id="notify-texts"
          testId="settings-notify-texts"
          on={notifications.texts ?? false}
          onChange={(on) => save({ texts: on })}
        />
      </div>
      <p className={formStyles.hint}>
        You are notified when a run is done, fails, waits for you, or has used 80% of its budget. Click a
        notification to show its run.
      </p>
      {trouble !== null && (
        <p className={classes(formStyles.hint, "text-warning")}>Notifications cannot be shown: {trouble}.</p>
      )}
      <NotifyCommand command={notifications.command ?? null} onSave={(command) => save({ command })} />
    </>
  );
}

/**
 * The user's own program that receives the notifications. It is saved only with the Save button, so that a
 * partly typed command never starts.
 */
function NotifyCommand({
  command,
  onSave,
}: {
  command: NotifyProgram | null;
  onSave(command: NotifyProgram | null): void;
}) {
  const [draft, setDraft] = useState(command);
  const hint = useId();
  if (draft === null) {
    return (
      <div className={formStyles.formRow}>
        <span>Also run your own program</span>
        <Button
          small
          icon="terminal"
          data-testid="add-notify-command"
          onClick={() => setDraft({ program: "", args: [] })}
        >
          Add…
        </Button>
      </div>
    );
  }
  const { program = "", args = [] } = draft;
  const isSaved = JSON.stringify(draft) === JSON.stringify(command);
  return (
    <>
      <div className={formStyles.formRow}>
        <label htmlFor="notify-program">Program</label>
        <TextField
          id="notify-program"
          mono
          value={program}
          placeholder="notify-me"
          describedBy={hint}
          onChange={(text) => setDraft({ ...draft, program: text })}
        />
      </div>
      <div className={formStyles.formRow}>
        <span>Arguments</span>
        <TextListField
          label="Argument"
          value={args}
          describedBy={hint}
          onChange={(texts) => setDraft({ ...draft, args: texts })}
        />
      </div>
      <p className={formStyles.hint} id={hint}>
        The program receives one JSON object on its standard input and must finish within 30 seconds. Programs
        run only from this setting, never from a workflow.
      </p>
      <div className="row">
        <Button
          small
          variant="primary"
          disabled={isSaved || program.trim() === ""}
          data-testid="save-notify-command"
          onClick={() => onSave({ program: program.trim(), args })}
        >
          {isSaved ? "Saved" : "Save"}
        </Button>
        <Button
          small
          onClick={() => {
            setDraft(null);
            if (command !== null) onSave(null);
          }}
        >
          {command === null ? "Cancel" : "Remove"}
        </Button>
      </div>
    </>
  );
}
