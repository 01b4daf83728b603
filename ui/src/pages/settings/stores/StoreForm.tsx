// The form that adds a shared store. A password in the address is written to the system's keychain and never
// read back into the page.

import { useState } from "react";
import { Button } from "../../../components/Button";
import { classes } from "../../../components/classes";
import { TextField } from "../../../components/fields";
import { Icon } from "../../../components/Icon";
import { type ApiFailure, api, asFailure } from "../../../ipc/client";
import { useStores } from "../../../runs/session/stores";
import rowStyles from "../SettingsRows.module.css";
import { refreshStores } from "./refresh";

type Wrong = { field: "name" | "address"; message: string };

/** Checks the form without a request. Returns the first error, or null if the form is valid. */
export function wrongIn(name: string, address: string, known: readonly string[]): Wrong | null {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name)) {
    return {
      field: "name",
      message: "Use at most 40 letters, digits, - and _, and start with a letter or digit.",
    };
  }
  if (known.includes(name)) {
    return { field: "name", message: `A store ${name} already exists. Remove it, or choose another name.` };
  }
  if (!/^postgres(ql)?:\/\/./.test(address)) {
    return {
      field: "address",
      message:
        "The address must begin with postgres:// and name a host: postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    };
  }
  return null;
}

/** Returns the field to which an error from the settings refers. */
const refusedField = ({ subject }: ApiFailure): Wrong["field"] =>
  subject === "store_name" ? "name" : "address";

export function StoreForm({ onDone }: { onDone(): void }) {
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    const known = useStores.getState().stores.map((store) => store.name);
    const found = wrongIn(name.trim(), address.trim(), known);
    setWrong(found);
    if (found !== null) return focusOn(found.field);
    setBusy(true);
    try {
      await api().addStore(name.trim(), address.trim());
    } catch (error) {
      const failure = asFailure(error);
      const field = refusedField(failure);
      setWrong({ field, message: failure.message });
      setBusy(false);
      return focusOn(field);
    }
    await refreshStores();
    onDone();
  };
  return (
    <form
      className={classes(rowStyles.settingsForm, rowStyles.toolForm)}
      data-testid="new-store-form"
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}
    >
      <label htmlFor="new-store-name">Name</label>
      <TextField
        id="new-store-name"
        testId="new-store-name"
        value={name}
        placeholder="work"
        invalid={wrong?.field === "name"}
        describedBy={wrong?.field === "name" ? "new-store-name-error" : undefined}
        onChange={setName}
      />
      <FieldError field="name" wrong={wrong} />
      <label htmlFor="new-store-address">Address</label>
      <TextField
        mono
        id="new-store-address"
        testId="new-store-address"
        value={address}
        placeholder="postgres://loopwright:PASSWORD@db.example.org/loopwright"
        invalid={wrong?.field === "address"}
        describedBy={wrong?.field === "address" ? "new-store-address-error" : "new-store-address-help"}
        onChange={setAddress}
      />
      <FieldError field="address" wrong={wrong} />
      <span className={rowStyles.keyNote} id="new-store-address-help">
        <Icon name="lock" size={12} />
        The password is saved in the system keychain. The settings contain the address without the password.
      </span>
      <span />
      <div className="row">
        <Button small variant="primary" type="submit" disabled={busy} data-testid="new-store-save">
          Add
        </Button>
        <Button small onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const focusOn = (field: Wrong["field"]): void => document.getElementById(`new-store-${field}`)?.focus();

function FieldError({ field, wrong }: { field: Wrong["field"]; wrong: Wrong | null }) {
  if (wrong?.field !== field) return null;
  return (
    <span className={classes(rowStyles.keyNote, "text-error")} role="alert" id={`new-store-${field}-error`}>
      {wrong.message}
    </span>
  );
}
