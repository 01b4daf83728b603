// The default number of retries of a failed model call. It applies if neither the node nor the workflow sets
// one.

import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Switch } from "../../components/fields";
import type { Settings } from "../../ipc/generated/bindings";
import styles from "../SettingsPage.module.css";
import { saveSettings } from "./save";

export function Retries({ settings }: { settings: Settings }) {
  return (
    <>
      <h2 className={styles.settingsHeading}>Failed model calls</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <label htmlFor="retry-calls">Retry failed model calls</label>
          <Switch
            id="retry-calls"
            testId="settings-retry-calls"
            on={settings.retryCalls ?? true}
            onChange={(on) => void saveSettings({ retryCalls: on })}
          />
        </div>
        <p className={formStyles.hint}>
          If the server temporarily refuses a call (429, 5xx) or the connection breaks, the call is repeated
          up to 3 times: after 2, 4 and 8 seconds. If the server names a time within the next minute, that
          time is used instead. A workflow or a node can override this.
        </p>
      </div>
    </>
  );
}
