// Blind rating: shows one result at a time, without its variant. Keys 1 to 5 rate it. The tab also shows the
// agreement with the judges.

import { useCallback, useEffect, useRef, useState } from "react";
import buttonStyles from "../../components/Button.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Message } from "../../components/Message";
import { Select } from "../../components/Select";
import { api, errorMessage } from "../../ipc/client";
import type { Agreement, BlindItem } from "../../ipc/evaluation";
import { formatCount, plural } from "../../runs/words/format";
import pageStyles from "../EvaluatePage.module.css";
import cellStyles from "./CellDetail.module.css";
import chartStyles from "./Chart.module.css";
import { formatScore, textOf } from "./columns";
import { useExperiment } from "./experiment-store";
import styles from "./RateTab.module.css";

const RATINGS = [
  [1, "poor"],
  [2, "weak"],
  [3, "fair"],
  [4, "good"],
  [5, "excellent"],
] as const;

export function RateTab() {
  const scorers = useExperiment((s) => s.view?.evaluation.scorers);
  const people = (scorers ?? []).filter(({ type }) => type === "human");
  const [chosen, setChosen] = useState<string | null>(null);
  const scorer = people.some(({ name }) => name === chosen) ? chosen : (people[0]?.name ?? null);
  const rubric = people.find(({ name }) => name === scorer);
  if (scorer === null)
    return (
      <p className={pageStyles.note}>
        Add a scorer of type “A person rates” in the settings and run again to rate results.
      </p>
    );
  return (
    <div className={styles.rate}>
      {people.length > 1 && (
        <Select
          label="Scorer"
          value={scorer}
          options={people.map(({ name }) => ({ value: name, label: name }))}
          onChange={setChosen}
        />
      )}
      {rubric?.type === "human" && rubric.rubric && <p>{rubric.rubric}</p>}
      <Rating key={scorer} scorer={scorer} />
    </div>
  );
}

function Rating({ scorer }: { scorer: string }) {
  const id = useExperiment((s) => s.shown);
  const [item, setItem] = useState<BlindItem | null | undefined>(undefined);
  const [agreements, setAgreements] = useState<Agreement[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const box = useRef<HTMLElement>(null);
  const read = useCallback(async () => {
    if (id === null) return;
    try {
      const [next, found] = await Promise.all([api().blindItem(id, scorer), api().ratings(id)]);
      setItem(next);
      setAgreements(found);
      setFailure(null);
    } catch (error) {
      setFailure(errorMessage(error));
    }
  }, [id, scorer]);
  useEffect(() => void read(), [read]);
  const rate = useCallback(
    async (rating: number) => {
      if (id === null || !item) return;
      try {
        await api().rateResult(id, item.cell, item.iteration, rating, scorer);
        await read();
        box.current?.focus();
        void useExperiment.getState().reread(item.cell.case);
      } catch (error) {
        setFailure(errorMessage(error));
      }
    },
    [id, item, scorer, read],
  );
  return (
    <div className={styles.rating}>
      <section
        ref={box}
        className={styles.blind}
        aria-label="Result to rate"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys 1 to 5 rate while it is focused.
        tabIndex={0}
        data-testid="eval-blind"
        onKeyDown={(event) => {
          const rating = Number(event.key);
          if (!Number.isInteger(rating) || rating < 1 || rating > 5 || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          event.stopPropagation();
          void rate(rating);
        }}
      >
        {failure !== null && (
          <p className="text-error" role="alert">
            <Message text={failure} />
          </p>
        )}
        {item === null && <p className={pageStyles.note}>All results have been rated.</p>}
        {item && (
          <>
            <dl className={cellStyles.facts}>
              {Object.entries(item.inputs).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{textOf(value)}</dd>
                </div>
              ))}
            </dl>
            <pre className={cellStyles.whole}>{textOf(item.result)}</pre>
            {/* biome-ignore lint/a11y/useSemanticElements: a row of buttons, not a form. */}
            <div className={classes("row", styles.choices)} role="group" aria-label="Rating">
              {RATINGS.map(([rating, word]) => (
                <button
                  type="button"
                  className={buttonStyles.btn}
                  key={rating}
                  data-testid={`eval-rating-${rating}`}
                  onClick={() => void rate(rating)}
                >
                  <kbd>{rating}</kbd> {word}
                </button>
              ))}
              <span className="text-tertiary" aria-live="polite">
                {plural(item.left, "result")} left
              </span>
            </div>
          </>
        )}
      </section>
      <aside aria-label="Agreement">
        <h3>Agreement with judges</h3>
        {agreements.length === 0 ? (
          <p className={formStyles.hint}>Agreement is shown once results have been rated.</p>
        ) : (
          <table className={chartStyles.table}>
            <thead>
              <tr>
                <th scope="col">Scorer</th>
                <th scope="col">Judge</th>
                <th scope="col">Ratings</th>
                <th scope="col">Cohen’s κ</th>
                <th scope="col">Krippendorff’s α</th>
              </tr>
            </thead>
            <tbody>
              {agreements.map((one) => (
                <tr key={`${one.scorer}/${one.judge}`}>
                  <th scope="row">{one.scorer}</th>
                  <td>{one.judge ?? "among people"}</td>
                  <td>{formatCount(one.n)}</td>
                  <td>{formatScore(one.kappa)}</td>
                  <td>{formatScore(one.alpha)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </aside>
    </div>
  );
}
