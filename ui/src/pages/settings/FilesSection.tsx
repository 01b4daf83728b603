// The folders that are searched for documents, and the disk space for past runs.

import { Button } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Select } from "../../components/Select";
import { tip } from "../../components/tip";
import { api, errorMessage } from "../../ipc/client";
import type { Settings } from "../../ipc/generated/bindings";
import { useSession } from "../../session/session";
import styles from "../SettingsPage.module.css";
import { saveSettings } from "./save";

/**
 * The offered limits in megabytes. In a text field, each smaller number would apply while the user is still
 * typing.
 */
const ROOM = [100, 250, 500, 1000, 2000, 5000, 10_000];

export function History({ settings }: { settings: Settings }) {
  const limit = settings.historyLimitMb ?? null;
  const sizes = limit === null || ROOM.includes(limit) ? ROOM : [...ROOM, limit].sort((a, b) => a - b);
  return (
    <>
      <h2 className={styles.settingsHeading}>History</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <label htmlFor="history-limit">Keep past runs up to</label>
          <Select
            id="history-limit"
            value={limit === null ? "" : String(limit)}
            options={[
              ...sizes.map((mb) => ({
                value: String(mb),
                label: mb < 1000 ? `${mb} MB` : `${mb / 1000} GB`,
              })),
              { value: "", label: "no limit" },
            ]}
            onChange={(mb) => void saveSettings({ historyLimitMb: mb === "" ? null : Number(mb) })}
          />
        </div>
        <p className={formStyles.hint}>
          Above this, the oldest finished runs are deleted. Waiting and resumable runs are kept.
        </p>
      </div>
    </>
  );
}

export function Documents({ settings }: { settings: Settings }) {
  const pick = async () => {
    try {
      const folder = await api().pickFolder();
      if (folder !== null) await saveSettings({ documentsFolder: folder });
    } catch (error) {
      useSession.getState().toast({
        tone: "error",
        title: "The folder dialog could not be opened",
        detail: errorMessage(error),
      });
    }
  };
  return (
    <>
      <h2 className={styles.settingsHeading}>Documents</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <span>Folder to search</span>
          <span className="row">
            <Button small icon="folder-open" onClick={() => void pick()}>
              Choose…
            </Button>
            {settings.documentsFolder && (
              <Button small onClick={() => void saveSettings({ documentsFolder: null })}>
                Clear
              </Button>
            )}
          </span>
        </div>
        <p
          className={classes(formStyles.hint, styles.folder)}
          {...tip(settings.documentsFolder ?? undefined)}
        >
          {settings.documentsFolder ?? "The sample collection included in Loopwright."}
        </p>
      </div>
    </>
  );
}
