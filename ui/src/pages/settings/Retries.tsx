// The default for retries of failed model calls, if neither the node nor the workflow sets one.
import { Switch } from "../../components/fields";
import type { Settings } from "../../ipc/generated/bindings";
import { saveSettings } from "./save";

export function Retries({ settings }: { settings: Settings }) {
  return (
    <>
      <h2 className="settings-heading">Failed model calls</h2>
      <div className="card card-padding">
        <div className="form-row">
          <label htmlFor="retry-calls">Retry failed model calls</label>
          <Switch
            id="retry-calls"
            testId="settings-retry-calls"
            on={settings.retryCalls ?? true}
            onChange={(on) => void saveSettings({ retryCalls: on })}
          />
        </div>
        <p className="hint">
          A call that a server refuses for now (429, 5xx), or whose connection breaks, is made again up to 3
          times: after 2, 4 and 8 seconds, or when the server says, within a minute. A workflow or a node can
          set its own.
        </p>
      </div>
    </>
  );
}
