// The maximum cost of a run, shown before it starts. A click shows how it is computed, which prices are
// unknown, and what to do.

import { useEffect, useRef, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import formStyles from "../components/Form.module.css";
import { Icon } from "../components/Icon";
import { Message } from "../components/Message";
import popoverStyles from "../components/Popover.module.css";
import { tip } from "../components/tip";
import { useAnalysis } from "../document/analysis";
import { outermost, useDocument } from "../document/document";
import type { CostEstimate, CostForecast, UnboundedNode } from "../ipc/generated/bindings";
import { showSettings } from "../pages/settings/sections";
import { boundAnswers, costWords, USUAL_MAX_TOKENS, useBudget, useEstimate } from "../runs/inputs/estimate";
import { useForecast } from "../runs/inputs/forecast";
import { usePinCount } from "../runs/inputs/pins";
import { priceOf, priceWords, usePrices } from "../runs/inputs/prices";
import { defaultProvider, useProviders } from "../runs/inputs/providers";
import { formatCount, formatUsd, plural } from "../runs/words/format";
import { testIds } from "../testids";
import styles from "./CostBound.module.css";

export function CostBound() {
  const quick = useAnalysis((s) => s.whole.estimate);
  const isRunnable = useAnalysis((s) => s.whole.runnable);
  const estimate = useEstimate(isRunnable);
  const forecast = useForecast(estimate);
  const pinned = usePinCount();
  const budget = useBudget();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const away = (e: PointerEvent) => {
      if (e.target instanceof Node && !box.current?.contains(e.target)) setOpen(false);
    };
    const onKey = (e: KeyboardEvent) => {
      if (e.key !== "Escape") return;
      e.preventDefault();
      setOpen(false);
      box.current?.querySelector("button")?.focus();
    };
    window.addEventListener("pointerdown", away, true);
    window.addEventListener("keydown", onKey, true);
    return () => {
      window.removeEventListener("pointerdown", away, true);
      window.removeEventListener("keydown", onKey, true);
    };
  }, [open]);
  const calls = estimate?.maxCalls ?? quick.maxCalls;
  const turns = estimate?.agentTurns ?? quick.agentTurns ?? 0;
  const usd = estimate?.maxUsd ?? null;
  const isStopped = budget !== null && usd !== null && budget.usd < usd;
  const cost = costWords(estimate, budget?.usd ?? null);
  // With a budget in dollars, a call without a known price is refused.
  const refused = budget !== null && estimate !== null && estimate.maxUsd === null;
  return (
    <div className={popoverStyles.runWith} ref={box}>
      <button
        type="button"
        className={classes(styles.costBound, refused && "text-warning")}
        aria-haspopup="dialog"
        aria-expanded={open}
        {...tip("The maximum cost of a run, and why")}
        data-testid={testIds.callEstimate}
        onClick={() => setOpen(!open)}
      >
        {refused && <Icon name="triangle-alert" size={12} />}
        {calls === 0 && turns > 0 ? (
          <>
            up to <b>{plural(turns, "agent turn")}</b>
          </>
        ) : calls === 0 ? (
          "no model calls"
        ) : calls === null ? (
          "calls depend on the input"
        ) : (
          <>
            up to <b>{plural(calls, "call")}</b>
            {turns > 0 && ` and ${plural(turns, "agent turn")}`}
          </>
        )}
        {cost !== "" && (
          <>
            {" · "}
            {usd === null ? cost : <b>{cost}</b>}
            {isStopped && " by budget"}
          </>
        )}
        {forecast !== null && ` · ${formatUsd(forecast.likelyUsd ?? 0)} likely`}
        {pinned > 0 && ` · ${formatCount(pinned)} pinned`}
      </button>
      {open && (
        <Why
          estimate={estimate}
          forecast={forecast}
          note={quick.note}
          turns={turns}
          budget={budget}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

type WhyProps = {
  estimate: CostEstimate | null;
  forecast: CostForecast | null;
  note: string;
  turns: number;
  budget: ReturnType<typeof useBudget>;
  onClose(): void;
};

/** Names the default model and its price; null if no model is chosen or its price is unknown. */
function useModelPrice(): string | null {
  const provider = useProviders(defaultProvider);
  const model = useProviders((s) => s.settings?.model ?? null);
  const prices = usePrices((s) => s.list);
  useEffect(() => {
    if (prices === null) void usePrices.getState().load();
  }, [prices]);
  const price = provider && model && prices ? priceOf(prices, provider.id, model) : null;
  return price && `${model}: ${priceWords(price)}.`;
}

function Why({ estimate, forecast, note, turns, budget, onClose }: WhyProps) {
  const price = useModelPrice();
  const prices = () => {
    onClose();
    showSettings("runs");
  };
  return (
    <div
      className={classes(popoverStyles.popover, popoverStyles.runPopover, styles.costBreakdown)}
      role="dialog"
      aria-label="Maximum cost of a run"
    >
      <h4>Maximum cost of a run</h4>
      <dl>
        <Fact
          name="Model calls"
          value={estimate?.maxCalls == null ? "not known" : formatCount(estimate.maxCalls)}
        />
        {turns > 0 && <Fact name="Agent turns" value={formatCount(turns)} />}
        <Fact name="Cost" value={estimate?.maxUsd == null ? "not known" : formatUsd(estimate.maxUsd)} />
        <Fact
          name="Tokens"
          value={estimate?.maxTokens == null ? "not known" : formatCount(estimate.maxTokens)}
        />
        <Fact
          name="Budget"
          value={budget === null ? "none" : `${formatUsd(budget.usd)}, of the ${budget.of}`}
        />
      </dl>
      {forecast !== null && (
        <p className={styles.forecast} data-testid={testIds.costForecast}>
          <b>{forecast.words}.</b>
          <span className={formStyles.hint}>
            From {plural(forecast.runs, "recorded run")} of this workflow with the same settings.
          </span>
        </p>
      )}
      <p className={formStyles.hint}>
        Assumes that every loop runs all its iterations, that every branch is taken, and that a byte of text
        is a token. The actual cost is usually a quarter of that or less. Default retries are not counted: a
        refused call costs nothing, but an interrupted one may be charged. {note}
      </p>
      {estimate !== null && estimate.unknown.length > 0 && (
        <ul className={styles.unknowns} data-testid="estimate-unknown">
          {estimate.unknown.map((why) => (
            <li key={why}>
              <Icon name="info" size={12} />
              <span>
                <Message text={why} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {estimate !== null && <Bound nodes={estimate.unbounded} />}
      {estimate !== null && estimate.maxUsd === null && (
        <>
          {price !== null && <p className={formStyles.hint}>{price}</p>}
          {budget !== null && (
            <p className={classes(formStyles.hint, "text-warning")}>
              With a budget in dollars, calls without a known price or without Max tokens are refused.
            </p>
          )}
          <Button small icon="coins" onClick={prices}>
            Set prices…
          </Button>
        </>
      )}
    </div>
  );
}

/**
 * Offers a button that limits the length of answers. Shown if the maximum is unknown only because that length
 * is unlimited.
 */
function Bound({ nodes }: { nodes: readonly UnboundedNode[] }) {
  const ids = useDocument(useShallow((s) => s.document.nodes.map(({ id }) => id)));
  const isOutermost = useDocument((s) => outermost(s).root === s.document);
  const [first, ...others] = nodes;
  // For nodes in a subflow the bound must be set in that subflow.
  if (first === undefined || !isOutermost || nodes.some(({ place }) => !ids.includes(place))) return null;
  const what = others.length === 0 ? first.title : `${nodes.length} nodes`;
  return (
    <Button
      small
      icon="scale"
      data-testid="bound-answers"
      onClick={() => boundAnswers(nodes.map(({ place }) => place))}
    >
      Set Max tokens of {what} to {formatCount(USUAL_MAX_TOKENS)}
    </Button>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
