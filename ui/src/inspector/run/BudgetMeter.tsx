// The used part of a run's budget: one part per iteration, the amount reserved for running calls, and the
// rest.
import { tip } from "../../components/tip";
import type { LoopRecord, RunState } from "../../runs/fold/model";
import { useRunPart } from "../../runs/view/shown";
import { formatCount, formatUsd } from "../../runs/words/format";
import styles from "./RunFoot.module.css";

export type Burn = {
  readonly spent: number;
  readonly reserved: number;
  readonly limit: number;
  readonly unit: "usd" | "tokens";
};

/**
 * Returns the part of its own budget that a run has used: in dollars if the budget has a limit in dollars,
 * otherwise in tokens. Null if the run has no budget.
 */
export function burnOf({ budget }: Pick<RunState, "budget">): Burn | null {
  if (budget === null) return null;
  if (budget.budget_usd !== null) {
    return {
      spent: budget.spent_usd ?? 0,
      reserved: budget.reserved_usd ?? 0,
      limit: budget.budget_usd,
      unit: "usd",
    };
  }
  if (budget.budget_tokens === null) return null;
  return {
    spent: budget.spent_tokens,
    reserved: budget.reserved_tokens,
    limit: budget.budget_tokens,
    unit: "tokens",
  };
}

export type Part = { readonly key: string; readonly share: number; readonly tone: string };

/**
 * Returns the parts of the bar as fractions of the budget: what was spent outside the first loop, what each
 * of its iterations spent, and the reserved amount.
 */
export function partsOf(burn: Burn, loop: LoopRecord | null): Part[] {
  if (burn.limit <= 0) return [];
  const amount = (i: LoopRecord["iterations"][number]) =>
    burn.unit === "usd" ? (i.usage.cost_usd ?? 0) : i.usage.input_tokens + i.usage.output_tokens;
  const iterations = (loop?.iterations ?? []).map((i) => ({
    number: i.number,
    status: i.status,
    of: amount(i),
  }));
  const inLoop = iterations.reduce((sum, i) => sum + i.of, 0);
  const other = Math.max(0, burn.spent - inLoop);
  const parts: Part[] = [
    { key: "other", share: other, tone: "other" },
    ...iterations.map((i) => ({
      key: String(i.number),
      share: i.of,
      tone: i.status === "running" ? "live" : i.number % 2 === 1 ? "odd" : "even",
    })),
    { key: "reserved", share: burn.reserved, tone: "reserved" },
  ];
  return parts
    .map((part) => ({ ...part, share: Math.min(1, part.share / burn.limit) }))
    .filter((part) => part.share > 0);
}

const write = (burn: Burn, amount: number) =>
  burn.unit === "usd" ? formatUsd(amount) : `${formatCount(amount)} tokens`;

export function BudgetMeter() {
  const budget = useRunPart((run) => run.budget, null);
  const loop = useRunPart((run) => run.root.steps[run.loopIds[0] ?? ""]?.loop ?? null, null);
  const burn = burnOf({ budget });
  if (burn === null) return null;
  const label = `${write(burn, burn.spent)} of ${write(burn, burn.limit)}`;
  return (
    <div className={styles.budget} data-testid="budget-meter">
      <div className={styles.amounts}>
        <span>Budget for this run</span>
        <span className="grow" />
        <span
          {...tip(burn.reserved > 0 ? `${write(burn, burn.reserved)} reserved for running calls` : undefined)}
        >
          <b>{write(burn, burn.spent)}</b> of {write(burn, burn.limit)}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element has one bar, and this one has several. */}
      <div
        className={styles.meter}
        role="meter"
        aria-label="Budget spent"
        aria-valuemin={0}
        aria-valuenow={burn.spent}
        aria-valuemax={burn.limit}
        aria-valuetext={label}
      >
        {partsOf(burn, loop).map((part) => (
          <i key={part.key} data-tone={part.tone} style={{ width: `${part.share * 100}%` }} />
        ))}
      </div>
    </div>
  );
}
