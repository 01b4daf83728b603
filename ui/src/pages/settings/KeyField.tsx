// The key of a provider or tool. It is written to the system's keychain and never read back into the page.

import { useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { TextField } from "../../components/fields";
import { Icon } from "../../components/Icon";
import { errorMessage } from "../../ipc/client";
import type { KeySource } from "../../ipc/generated/bindings";
import rowStyles from "./SettingsRows.module.css";

interface KeyFieldProps {
  /** The key's name in the keychain. */
  id: string;
  label: string;
  source: KeySource | null;
  /** The environment variable that may contain the key instead. */
  variable: string;
  /** Saves the key; null removes it. Rejects if the system's keychain refuses the change. */
  keep(key: string | null): Promise<unknown>;
}

/** Describes where the key is stored. */
function place(source: KeySource | null, variable: string): string {
  switch (source) {
    case "keychain":
      return "In the system keychain.";
    case "environment":
      return `From ${variable}, which overrides a key in the keychain.`;
    default:
      return `No key. Paste it here to save it in the system keychain, or set ${variable}.`;
  }
}

export function KeyField({ id: holder, label, source, variable, keep }: KeyFieldProps) {
  const [draft, setDraft] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const attempt = async (key: string | null) => {
    setBusy(true);
    try {
      await keep(key);
      setFailure(null);
      // The page forgets the key as soon as it is saved.
      setDraft("");
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  const id = `${holder}-key`;
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault();
          if (draft.trim() !== "") void attempt(draft);
        }}
      >
        <TextField
          mono
          wide
          id={id}
          testId={id}
          type="password"
          value={draft}
          placeholder={source === null ? "paste it here" : "••••••••••••"}
          onChange={setDraft}
        />
        <Button small type="submit" disabled={busy || draft.trim() === ""}>
          {source === null ? "Set" : "Replace"}
        </Button>
        {source === "keychain" && (
          <Button small icon="trash-2" disabled={busy} onClick={() => void attempt(null)}>
            Remove
          </Button>
        )}
      </form>
      <span className={rowStyles.keyNote}>
        <Icon name="lock" size={12} />
        {place(source, variable)}
      </span>
      {failure !== null && (
        <span className={classes(rowStyles.keyNote, "text-error")} role="alert">
          {failure}
        </span>
      )}
    </>
  );
}
