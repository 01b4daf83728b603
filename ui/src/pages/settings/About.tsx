// The version, the folders of stored data, and a link to the tour.

import { useEffect, useState } from "react";
import { version } from "../../../../package.json";
import { Button } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { api } from "../../ipc/client";
import { startTour } from "../../shell/tour/tour";
import styles from "../SettingsPage.module.css";

export function About() {
  const [folder, setFolder] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    api()
      .storeInfo(null)
      .then(
        (info) => wanted && setFolder(info.path),
        // If the store cannot be read, the history page shows the problem.
        () => undefined,
      );
    return () => {
      wanted = false;
    };
  }, []);
  return (
    <>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <span>Version</span>
          <span className="text-primary">{version}</span>
        </div>
        {folder && (
          <div className={formStyles.formRow}>
            <span>Runs are kept in</span>
            <code className={styles.folder}>{folder}</code>
          </div>
        )}
        <div className={formStyles.formRow}>
          <span>The tour of one loop</span>
          <Button small onClick={() => void startTour()}>
            Take it again
          </Button>
        </div>
      </div>
      <p className={classes(formStyles.hint, styles.footnote)}>
        Data is sent only to the providers and tools that your workflows use.
      </p>
    </>
  );
}
