// What a run may spend before it is stopped.
import { NumberField } from "../../components/fields";
import type { Settings } from "../../ipc/generated/bindings";
import { save } from "./save";

export function Budget({ settings }: { settings: Settings }) {
  return (
    <>
      <h2 className="set-h">Budget per run</h2>
      <div className="card pad">
        <div className="fr">
          <label htmlFor="budget">Stop a run at</label>
          <NumberField
            id="budget"
            minimum={0}
            unit="$"
            placeholder="no limit"
            value={settings.budgetUsd ?? null}
            onChange={(budgetUsd) => void save({ budgetUsd })}
          />
        </div>
        <p className="hint">Built-in models cost nothing.</p>
      </div>
    </>
  );
}
