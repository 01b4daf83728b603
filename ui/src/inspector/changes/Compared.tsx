// The two states that are compared: those around the chosen iteration, the start and the end, or any two.
import { Segmented } from "../../components/fields";
import { Select } from "../../components/Select";
import { testIds } from "../../testids";
import styles from "./Compared.module.css";
import { type ChangesOf, type Comparison, stateName, statesOf, useChanges } from "./store";

/** Returns the two states of a loop that are compared. */
export function useStates({ shown, count }: Pick<ChangesOf, "shown" | "count">): {
  from: number;
  to: number;
} {
  const comparison = useChanges((s) => s.comparison);
  const from = useChanges((s) => s.from);
  const to = useChanges((s) => s.to);
  return statesOf({ comparison, from, to }, shown, count);
}

export function Compared({ of, full }: { of: ChangesOf; full?: boolean }) {
  const { comparison, compare } = useChanges();
  const states = useStates(of);
  const options = Array.from({ length: of.count + 1 }, (_, state) => ({
    value: String(state),
    label: stateName(state),
  }));
  return (
    <div className={styles.compared}>
      <Segmented<Comparison>
        small
        full={full}
        label="What is compared"
        value={comparison}
        options={[
          { value: "iteration", label: `Iteration ${of.shown}`, title: "Against the state before it" },
          { value: "whole", label: "Whole loop", title: "The last iteration against the start" },
          { value: "other", label: "Compare…", title: "Any two states" },
        ]}
        onChange={(value) => compare(value, states.from, states.to)}
      />
      {comparison === "other" && (
        <div className={styles.states}>
          <Select
            label="Before"
            testId={testIds.changesFrom}
            value={String(states.from)}
            options={options}
            onChange={(from) => compare("other", Number(from), states.to)}
          />
          <span aria-hidden="true">→</span>
          <Select
            label="After"
            testId={testIds.changesTo}
            value={String(states.to)}
            options={options}
            onChange={(to) => compare("other", states.from, Number(to))}
          />
        </div>
      )}
    </div>
  );
}
