// A short note about a problem with the system's keychain. The system's own message is available on request.

import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { useProviders } from "../../runs/inputs/providers";
import styles from "./KeychainNote.module.css";

export function KeychainNote() {
  const trouble = useProviders((s) => s.keychain);
  if (trouble === null) return null;
  return (
    <p className={styles.keychainNote} role="status" data-testid="keychain-note">
      <Icon name="triangle-alert" size={14} />
      <span {...tip(trouble.detail)}>{trouble.says}</span>
    </p>
  );
}
