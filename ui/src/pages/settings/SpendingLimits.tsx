// Budgets for a day, a week and a month. They apply to the total spending of all programs that use this data
// folder.

import { useEffect, useState } from "react";
import { IconButton } from "../../components/Button";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { NumberField } from "../../components/fields";
import { api, errorMessage } from "../../ipc/client";
import type { Period, SpendingLimit } from "../../ipc/generated/bindings";
import { formatUsd } from "../../runs/words/format";
import { useSession } from "../../session/session";
import styles from "../SettingsPage.module.css";

const PERIODS: readonly { period: Period; label: string }[] = [
  { period: "day", label: "All runs in a day" },
  { period: "week", label: "All runs in a week (Monday to Sunday)" },
  { period: "month", label: "All runs in a month" },
];

export function SpendingLimits() {
  const [limits, setLimits] = useState<readonly SpendingLimit[] | null>(null);
  const load = () =>
    api()
      .spendingLimits()
      .then(setLimits, () => setLimits(null));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the limits are read once; each change reads them again.
  useEffect(() => void load(), []);
  const set = async (period: Period, flow: string | null, usd: number | null) => {
    try {
      await api().setSpendingLimit(period, flow, usd);
    } catch (error) {
      useSession.getState().toast({
        tone: "error",
        title: "The budget was not saved",
        detail: `The previous budget still applies. ${errorMessage(error)}`,
      });
    }
    await load();
  };
  if (limits === null) return null;
  const forAll = (period: Period) => limits.find((limit) => limit.period === period && limit.flow === null);
  const forFlows = limits.filter((limit) => limit.flow !== null);
  return (
    <>
      <h2 className={styles.settingsHeading}>Budgets for a period</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        {PERIODS.map(({ period, label }) => (
          <LimitRow
            key={`${period} ${forAll(period)?.usd}`}
            period={period}
            label={label}
            usd={forAll(period)?.usd ?? null}
            onChange={(usd) => void set(period, null, usd)}
          />
        ))}
        {forFlows.map(({ period, flow, flowPath, usd }) => (
          <div key={`${period} ${flow} ${flowPath}`} className={formStyles.formRow}>
            <span>
              {flow}, per {period}
            </span>
            <span className="row">
              {formatUsd(usd ?? 0)}
              <IconButton
                icon="trash-2"
                size={14}
                label={`Remove the budget of ${flow} per ${period}`}
                onClick={() => void set(period, flowPath ?? flow, null)}
              />
            </span>
          </div>
        ))}
        <p className={formStyles.hint}>
          Runs stop when a budget is used up. They can continue with a larger budget, or when the next day,
          week or month begins. Evaluations and runs of the command line count too.{" "}
          <code>loopwright costs limit</code> sets budgets for a single workflow.
        </p>
      </div>
    </>
  );
}

interface LimitRowProps {
  period: Period;
  label: string;
  /** The budget in dollars; null if there is none. */
  usd: number | null;
  onChange(usd: number | null): void;
}

/**
 * A field for a budget. The amount applies when the user leaves the field or presses Enter: while the user
 * types 10, an intermediate limit of 1 could stop a run.
 */
function LimitRow({ period, label, usd, onChange }: LimitRowProps) {
  const [draft, setDraft] = useState(usd);
  const apply = () => {
    if (draft !== usd) onChange(draft === 0 ? null : draft);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the row detects when the focus leaves its field.
    <div
      className={formStyles.formRow}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply();
      }}
    >
      <label htmlFor={`limit-${period}`}>{label}</label>
      <NumberField
        id={`limit-${period}`}
        testId={`limit-${period}`}
        minimum={0}
        unit="$"
        placeholder="no limit"
        value={draft}
        onChange={setDraft}
      />
    </div>
  );
}
