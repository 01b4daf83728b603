// The keys of tools that the settings name, each with the place where it is stored and the tools that use it.

import cardStyles from "../../../components/Card.module.css";
import { classes } from "../../../components/classes";
import { plural } from "../../../runs/words/format";
import styles from "../../SettingsPage.module.css";
import { KeychainNote } from "../KeychainNote";
import { KeyField } from "../KeyField";
import rowStyles from "../SettingsRows.module.css";
import { useToolSetup } from "./store";

export function ToolKeys() {
  const keys = useToolSetup((s) => s.keys);
  if (keys.length === 0) return null;
  const missing = keys.filter((key) => key.source === null).length;
  return (
    <>
      <h2 className={styles.settingsHeading}>
        Tool keys
        <span>{missing === 0 ? "all set" : `${plural(missing, "key")} missing`}</span>
      </h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)} data-testid="tool-keys">
        <KeychainNote />
        {keys.map(({ name, usedBy, source }) => (
          <div className={classes(rowStyles.settingsForm, rowStyles.flat)} key={name}>
            <KeyField
              id={name}
              label={name}
              source={source}
              variable={name}
              keep={(key) => useToolSetup.getState().setKey(name, key)}
            />
            <span className={rowStyles.keyNote}>For {usedBy.join(", ")}</span>
          </div>
        ))}
      </div>
    </>
  );
}
