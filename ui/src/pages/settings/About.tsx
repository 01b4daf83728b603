// The version, the folders of stored data, and a link to the tour.

import { useEffect, useState } from "react";
import { version } from "../../../../package.json";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { api } from "../../ipc/client";
import { startTour } from "../../shell/tour/tour";

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
      <div className="card card-padding">
        <div className={classes(formStyles.formRow, "form-row")}>
          <span>Version</span>
          <span className="text-primary">{version}</span>
        </div>
        {folder && (
          <div className={classes(formStyles.formRow, "form-row")}>
            <span>Runs are kept in</span>
            <code className="folder">{folder}</code>
          </div>
        )}
        <div className={classes(formStyles.formRow, "form-row")}>
          <span>The tour of one loop</span>
          <Button small onClick={() => void startTour()}>
            Take it again
          </Button>
        </div>
      </div>
      <p className={classes(formStyles.hint, "hint")}>
        Nothing is sent anywhere but to the providers and tools that your workflows use.
      </p>
    </>
  );
}
