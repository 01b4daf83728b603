// The budget of a run, and the cost above which the window asks for confirmation.

import { useEffect, useState } from "react";
import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { NumberField } from "../../components/fields";
import { api } from "../../ipc/client";
import type { Settings } from "../../ipc/generated/bindings";
import { formatUsd } from "../../runs/words/format";
import { NO_FILTER, toQuery } from "../history/filter";
import styles from "../SettingsPage.module.css";
import budgetStyles from "./Budget.module.css";
import { fromSlider, SLIDER_MARKS, SLIDER_STEPS, toSlider } from "./budget-scale";
import { saveSettings } from "./save";

export function Budget({ settings }: { settings: Settings }) {
  const spent = useSpentLately();
  const { budgetUsd, askAboveUsd } = settings;
  return (
    <>
      <h2 className={styles.settingsHeading}>
        Budget per run
        {spent !== null && <small>{formatUsd(spent)} spent in the last 7 days</small>}
      </h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={formStyles.formRow}>
          <label htmlFor="budget">Stop a run at</label>
          <NumberField
            id="budget"
            testId="budget"
            minimum={0}
            unit="$"
            placeholder="no limit"
            value={budgetUsd ?? null}
            onChange={(usd) => void saveSettings({ budgetUsd: usd })}
          />
        </div>
        <BudgetSlider value={budgetUsd ?? null} />
        <div className={formStyles.formRow}>
          <label htmlFor="ask-above">Ask before a run that could cost over</label>
          <NumberField
            id="ask-above"
            minimum={0}
            unit="$"
            placeholder="never ask"
            value={askAboveUsd ?? null}
            onChange={(usd) => void saveSettings({ askAboveUsd: usd })}
          />
        </div>
        <p className={formStyles.hint}>
          A workflow's own budget overrides this. With a budget set, models without a known price are refused.
          Built-in models are free. At the limit, running calls finish, and the run can continue with a larger
          budget.
        </p>
      </div>
    </>
  );
}

function BudgetSlider({ value }: { value: number | null }) {
  // The right end of the slider means that there is no limit.
  const at = value === null ? SLIDER_STEPS : toSlider(value);
  // The value is saved when the slider is released, so that values passed on the way do not become budgets.
  const [moving, setMoving] = useState<number | null>(null);
  const done = () => {
    if (moving !== null) void saveSettings({ budgetUsd: fromSlider(moving) });
    setMoving(null);
  };
  return (
    <div className={budgetStyles.budgetSlider}>
      <input
        type="range"
        aria-label="Stop a run at"
        aria-valuetext={value === null && moving === null ? "no limit" : formatUsd(fromSlider(moving ?? at))}
        min={0}
        max={SLIDER_STEPS}
        value={moving ?? at}
        className={value === null && moving === null ? budgetStyles.unset : undefined}
        onChange={(e) => setMoving(Number(e.target.value))}
        onPointerUp={done}
        onKeyUp={done}
        onBlur={done}
      />
      <div className={budgetStyles.marks} aria-hidden="true">
        {SLIDER_MARKS.map((usd) => (
          <span key={usd} style={{ left: `${(toSlider(usd) / SLIDER_STEPS) * 100}%` }}>
            ${usd}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Returns the cost of the last seven days in dollars; null until it is known. */
function useSpentLately(): number | null {
  const [spent, setSpent] = useState<number | null>(null);
  useEffect(() => {
    let wanted = true;
    api()
      .findRuns(toQuery({ ...NO_FILTER, days: 7 }, Date.now(), 0, 1), null)
      .then(
        ({ tally }) => wanted && setSpent(tally.spentUsd ?? 0),
        // If the history cannot be read, the heading shows no cost. The history page shows the reason.
        () => wanted && setSpent(null),
      );
    return () => {
      wanted = false;
    };
  }, []);
  return spent;
}
