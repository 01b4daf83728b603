// The filters of the list as chips. A chip with a set filter shows its value, and a click removes the filter.
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { EXIT_REASONS, type ExitReason, type RunStatus } from "../../ipc/generated/bindings";
import { exitTitle } from "../../runs/words/format";
import { Menu } from "../../shell/Menu";
import styles from "./Filters.module.css";
import { SPANS, spanLabel } from "./filter";
import { useHistory } from "./store";

const STATUSES: readonly { value: RunStatus; label: string }[] = [
  { value: "completed", label: "done" },
  { value: "failed", label: "failed" },
  { value: "cancelled", label: "stopped" },
  { value: "interrupted", label: "interrupted" },
  { value: "running", label: "running" },
  { value: "waiting", label: "waiting" },
  { value: "paused", label: "paused" },
  { value: "queued", label: "queued" },
];

export function Filters() {
  const filter = useHistory((s) => s.filter);
  const flows = useHistory((s) => s.flows);
  const { setFilter } = useHistory.getState();
  return (
    <div className={styles.filters}>
      <Chip
        name="Time"
        value={filter.days === null ? null : spanLabel(filter.days)}
        options={SPANS.map((days) => ({ key: String(days), label: `Last ${spanLabel(days)}` }))}
        onChoose={(key) => setFilter({ days: key === null ? null : Number(key) })}
      />
      <Chip
        name="Workflow"
        value={filter.flow}
        options={flows.map(({ flow, runs }) => ({ key: flow, label: flow, hint: String(runs) }))}
        onChoose={(flow) => setFilter({ flow })}
      />
      <Chip
        name="Status"
        value={STATUSES.find((s) => s.value === filter.status)?.label ?? null}
        options={STATUSES.map(({ value, label }) => ({ key: value, label }))}
        onChoose={(status) => setFilter({ status: status as RunStatus | null })}
      />
      <Chip
        name="Exit reason"
        value={filter.exit === null ? null : exitTitle(filter.exit)}
        options={EXIT_REASONS.map(({ reason, title }) => ({ key: reason, label: title }))}
        onChoose={(exit) => setFilter({ exit: exit as ExitReason | null })}
      />
      <button
        type="button"
        className={styles.chip}
        data-current={filter.starred}
        aria-label="Starred"
        aria-pressed={filter.starred === true}
        {...tip("Only starred runs")}
        data-testid="filter-starred"
        onClick={() => setFilter({ starred: filter.starred ? null : true })}
      >
        <Icon name="star" size={12} />
        {filter.starred && <Icon name="x" size={11} />}
      </button>
      {filter.batch !== null && (
        <Chip name="Batch" value={filter.batch} options={[]} onChoose={(batch) => setFilter({ batch })} />
      )}
    </div>
  );
}

type ChipProps = {
  name: string;
  /** The filter's value; null if it is not set. */
  value: string | null;
  options: readonly { key: string; label: string; hint?: string }[];
  onChoose(key: string | null): void;
};

function Chip({ name, value, options, onChoose }: ChipProps) {
  if (value !== null) {
    return (
      <button
        type="button"
        className={styles.chip}
        data-current
        aria-label={`${name}: ${value}. Clear`}
        onClick={() => onChoose(null)}
      >
        <span>{value}</span>
        <Icon name="x" size={11} />
      </button>
    );
  }
  const items = options.map(({ key, label, hint }) => ({
    id: key,
    label,
    hint,
    run: () => onChoose(key),
  }));
  return (
    <Menu label={`Filter by ${name.toLowerCase()}`} className={classes(styles.chip)} items={items}>
      {name}
      <Icon name="chevron-down" size={11} />
    </Menu>
  );
}
