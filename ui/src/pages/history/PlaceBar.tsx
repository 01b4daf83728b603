// The choice of the place whose runs are listed (this computer or a shared store), and of what is listed: runs,
// the batches of a store, or the schedules of this computer. It is shown if there is a choice.

import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { Segmented } from "../../components/fields";
import { Icon } from "../../components/Icon";
import type { ApiFailure } from "../../ipc/client";
import { outOfReach, useStores } from "../../runs/session/stores";
import { Menu } from "../../shell/Menu";
import { useBatches } from "./batches";
import filterStyles from "./Filters.module.css";
import styles from "./PlaceBar.module.css";
import { useSchedules } from "./schedules";
import { type HistoryTab, useHistory } from "./store";

const STORE_TABS: readonly { value: HistoryTab; label: string }[] = [
  { value: "runs", label: "Runs" },
  { value: "batches", label: "Batches" },
];
const LOCAL_TABS: readonly { value: HistoryTab; label: string }[] = [
  { value: "runs", label: "Runs" },
  { value: "schedules", label: "Schedules" },
];

/** Returns the displayed name of a store: the name of a shared store, or "This computer". */
const placeName = (store: string | null): string => store ?? "This computer";

export function PlaceBar() {
  const stores = useStores((s) => s.stores);
  const where = useHistory((s) => s.where);
  const tab = useHistory((s) => s.tab);
  const hasSchedules = useSchedules((s) => s.schedules.length > 0);
  const { setWhere, setTab } = useHistory.getState();
  const isAlone = stores.length === 0;
  if (isAlone && !hasSchedules) return null;
  const items = [null, ...stores.map(({ name }) => name)].map((place) => ({
    id: place ?? "",
    label: placeName(place),
    icon: place === null ? ("monitor" as const) : ("database" as const),
    detail: stores.find(({ name }) => name === place)?.url,
    on: place === where,
    run: () => setWhere(place),
  }));
  return (
    <div className={styles.bar}>
      {!isAlone && (
        <Menu
          label={`Where: ${placeName(where)}`}
          className={classes(filterStyles.chip, styles.where)}
          items={items}
        >
          <Icon name={where === null ? "monitor" : "database"} size={12} />
          <span>{placeName(where)}</span>
          <Icon name="chevron-down" size={11} />
        </Menu>
      )}
      {where !== null && (
        <Segmented small label="Runs or batches" value={tab} options={STORE_TABS} onChange={setTab} />
      )}
      {where === null && hasSchedules && (
        <Segmented small label="Runs or schedules" value={tab} options={LOCAL_TABS} onChange={setTab} />
      )}
    </div>
  );
}

/**
 * Shows one line if the chosen store cannot be read. The list is retried automatically, or immediately when
 * the user asks for it.
 */
export function OutOfReach() {
  const where = useHistory((s) => s.where);
  const inBatches = useHistory((s) => s.tab === "batches");
  const ofRuns = useHistory((s) => s.failure);
  const ofBatches = useBatches((s) => s.failure);
  const failure = inBatches ? ofBatches : ofRuns;
  return (
    <div role="status" className={styles.status}>
      {failure !== null && <Line where={where} failure={failure} inBatches={inBatches} />}
    </div>
  );
}

function Line({
  where,
  failure,
  inBatches,
}: {
  where: string | null;
  failure: ApiFailure;
  inBatches: boolean;
}) {
  const again = () => (inBatches ? useBatches.getState().reload() : useHistory.getState().reload());
  return <UnreadPlace {...outOfReach(where, failure)} again={again} />;
}

/** Shows one line about a store that cannot be read: what failed, why, and a button to try again. */
export function UnreadPlace({ title, why, again }: { title: string; why: string; again(): unknown }) {
  return (
    <div className={styles.outOfReach} data-testid="out-of-reach">
      <Icon name="triangle-alert" size={14} />
      <span>
        <b>{title}</b> {why}
      </span>
      <Button small onClick={() => void again()}>
        Try again
      </Button>
    </div>
  );
}
