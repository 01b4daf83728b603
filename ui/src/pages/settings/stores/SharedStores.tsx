// The shared stores in the settings, one row each: address, contents, workers, and how to remove it.

import { useEffect, useState } from "react";
import { Button, IconButton } from "../../../components/Button";
import cardStyles from "../../../components/Card.module.css";
import { classes } from "../../../components/classes";
import formStyles from "../../../components/Form.module.css";
import { Icon } from "../../../components/Icon";
import { tip } from "../../../components/tip";
import { type ApiFailure, api, asFailure, errorMessage } from "../../../ipc/client";
import type { NamedStore, StoreCheck } from "../../../ipc/generated/bindings";
import { outOfReach, useStores } from "../../../runs/session/stores";
import { formatBytes } from "../../../runs/words/bytes";
import { plural } from "../../../runs/words/format";
import { askQuestion } from "../../../session/dialog";
import { useSession } from "../../../session/session";
import monoTileStyles from "../../MonoTile.module.css";
import styles from "../../SettingsPage.module.css";
import rowStyles from "../SettingsRows.module.css";
import { refreshStores } from "./refresh";
import { StoreForm } from "./StoreForm";

export function SharedStores() {
  const stores = useStores((s) => s.stores);
  const [adding, setAdding] = useState(false);
  useEffect(() => void useStores.getState().load(), []);
  return (
    <>
      <h2 className={styles.settingsHeading}>
        Shared stores
        <span>{plural(stores.length, "store")}</span>
      </h2>
      <div className={classes(cardStyles.card, styles.card, rowStyles.table)} data-testid="stores">
        {stores.map((store) => (
          <StoreRow key={store.name} store={store} />
        ))}
        {stores.length === 0 && !adding && (
          <p className={classes(formStyles.hint, rowStyles.padded)}>
            None yet. A shared store is a PostgreSQL database; loopwright store init creates its tables.
          </p>
        )}
        {adding ? (
          <div className={classes(rowStyles.settingsRow, rowStyles.open)}>
            <StoreForm onDone={() => setAdding(false)} />
          </div>
        ) : (
          <div className={rowStyles.addRow}>
            <Button small icon="plus" data-testid="add-store" onClick={() => setAdding(true)}>
              Add a store
            </Button>
          </div>
        )}
      </div>
      <p className={classes(formStyles.hint, styles.footnote)}>
        The runs of a store execute on its workers. To see them, open Runs and choose the store. If a password
        is not in the keychain, it is read from the environment variable STORE_NAME_PASSWORD. In place of
        NAME, write the store's name in capitals, with _ for each -.
      </p>
    </>
  );
}

/** The state of the last check of a store; null before the first. */
type Checked = "checking" | { found: StoreCheck } | { failure: ApiFailure } | null;

function words(checked: Checked): { text: string; tone: string } {
  if (checked === null) return { text: "not checked", tone: "text-tertiary" };
  if (checked === "checking") return { text: "checking…", tone: "text-tertiary" };
  if ("failure" in checked) return { text: "unreachable", tone: "text-error" };
  const { workers } = checked.found;
  return workers.length === 0
    ? { text: "no workers", tone: "text-warning" }
    : { text: plural(workers.length, "worker"), tone: "text-ok" };
}

function StoreRow({ store: { name, url } }: { store: NamedStore }) {
  const [open, setOpen] = useState(false);
  const [checked, setChecked] = useState<Checked>(null);
  const check = async () => {
    setOpen(true);
    setChecked("checking");
    try {
      setChecked({ found: await api().checkStore(name) });
      useStores.getState().heard(name, null);
    } catch (error) {
      setChecked({ failure: asFailure(error) });
    }
  };
  const { text, tone } = words(checked);
  return (
    <div className={classes(rowStyles.settingsRow, open && rowStyles.open)} data-testid={`store-row-${name}`}>
      <span className={monoTileStyles.monoTile}>
        <Icon name="database" size={16} />
      </span>
      <div>
        <b>{name}</b>
        <small className={rowStyles.shown} {...tip(url)}>
          {url}
        </small>
      </div>
      <span className={classes(rowStyles.rowState, tone)} role="status">
        <Icon name={tone === "text-ok" ? "circle-check" : "circle-alert"} size={13} />
        {text}
      </span>
      <IconButton
        icon="chevron-down"
        size={15}
        label={open ? `Hide ${name}` : `Show ${name}`}
        aria-expanded={open}
        className={open ? rowStyles.turned : undefined}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div className={rowStyles.settingsForm}>
          {checked !== null && checked !== "checking" && <Found name={name} checked={checked} />}
          <span />
          <div className="row">
            <Button
              small
              icon="search"
              disabled={checked === "checking"}
              data-testid={`check-${name}`}
              onClick={() => void check()}
            >
              {checked === "checking" ? "Checking…" : "Check"}
            </Button>
            <Button small icon="trash-2" data-testid={`remove-${name}`} onClick={() => void remove(name)}>
              Remove
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

function Found({ name, checked }: { name: string; checked: Exclude<Checked, "checking" | null> }) {
  if ("failure" in checked) {
    const { title, why } = outOfReach(name, checked.failure);
    return (
      <span className={classes(rowStyles.keyNote, "text-error")} role="alert" data-testid={`failure-${name}`}>
        {title} {why}
      </span>
    );
  }
  const { runs, bytes, workers } = checked.found;
  return (
    <>
      <span>Contains</span>
      <span>
        {plural(runs, "run")}, {formatBytes(bytes)}
      </span>
      <span className={rowStyles.top}>Workers</span>
      {workers.length === 0 ? (
        <span>
          No worker is running. Runs stay queued until you start one: loopwright worker --store {name}
        </span>
      ) : (
        <ul className={rowStyles.models} data-testid={`workers-${name}`}>
          {workers.map((worker, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two workers may have the same name.
            <li key={at}>
              <b>{worker.name}</b> {worker.runs} of {plural(worker.places, "place")} taken, last seen{" "}
              {worker.silentSeconds < 1 ? "just now" : `${worker.silentSeconds} s ago`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

async function remove(name: string): Promise<void> {
  const isSure = await askQuestion({
    title: `Remove the store “${name}”?`,
    detail: "Its name and password are deleted from this computer. Its runs stay in the store.",
    choices: [
      { label: "Remove", value: true, tone: "danger" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  if (!isSure) return;
  try {
    await api().removeStore(name);
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The store was not removed", detail: errorMessage(error) });
  }
  await refreshStores();
}
