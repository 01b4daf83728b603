// Edit mode without a selection: the inputs of the next run, and the settings of the whole workflow.

import type { ReactNode } from "react";
import { classes } from "../components/classes";
import formStyles from "../components/Form.module.css";
import { NumberField, Stepper, Switch, TextArea, TextField } from "../components/fields";
import { Icon } from "../components/Icon";
import iconTileStyles from "../components/IconTile.module.css";
import panelStyles from "../components/Panel.module.css";
import { tip } from "../components/tip";
import { fileName, useDocument, useInside } from "../document/document";
import { setField, setSetting } from "../document/edits";
import type { Json } from "../ipc/generated/bindings";
import { retriesOf } from "../runs/fold/retries";
import { useProviders } from "../runs/inputs/providers";
import { plural } from "../runs/words/format";
import { DurationField } from "./form/DurationField";
import { withKey } from "./form/widget-props";
import { EstimateFoot } from "./NodeSettings";
import titleStyles from "./PanelTitle.module.css";
import { RunInputs } from "./RunInputs";

const asNumber = (value: Json): number | null => (typeof value === "number" ? value : null);

function change(field: string, value: Json, label: string): void {
  useDocument.getState().edit(setSetting(field, value), { label, mark: `setting:${field}` });
}

export function WorkflowSettings() {
  const document = useDocument((s) => s.document);
  const edit = useDocument((s) => s.edit);
  const path = useDocument((s) => s.path);
  const inside = useInside();
  const settings = document.settings ?? {};
  const retryCalls = useProviders((s) => s.settings?.retryCalls ?? true);
  const retries = useProviders((s) => retriesOf(document, s.settings));
  const budget = (
    typeof settings.budget === "object" && settings.budget !== null ? settings.budget : {}
  ) as Record<string, Json>;
  return (
    <>
      <header>
        <span className={classes(iconTileStyles.iconTile, "category-flow", iconTileStyles.lg)}>
          <Icon name="workflow" size={18} />
        </span>
        <div className="grow">
          <div className={titleStyles.box} {...tip("Click to rename")}>
            <TextField
              className={titleStyles.title}
              label="Workflow name"
              value={document.name ?? ""}
              placeholder={fileName(path, undefined)}
              onChange={(name) => edit(setField("name", name), { label: "Rename workflow", mark: "name" })}
            />
            <Icon name="pencil" size={12} />
          </div>
          <span className={classes(panelStyles.caption, "text-tertiary")}>
            {inside ? "Subflow" : "Workflow"} · {plural(document.nodes.length, "node")}
          </span>
        </div>
      </header>
      {!inside && (
        <div className={panelStyles.section} data-testid="run-inputs">
          <h4>Run with your own input</h4>
          <RunInputs />
        </div>
      )}
      <div className={panelStyles.section}>
        <h4>About</h4>
        <TextArea
          label="Description"
          rows={2}
          placeholder="What this workflow does"
          value={document.description ?? ""}
          onChange={(text) =>
            edit(setField("description", text), { label: "Change description", mark: "description" })
          }
        />
      </div>
      <div className={panelStyles.section}>
        <h4>Limits of a run</h4>
        <Row label="Loops inside loops">
          <Switch
            label="Loops inside loops"
            testId="allow-nested-loops"
            on={settings.allowNestedLoops === true}
            onChange={(on) => change("allowNestedLoops", on, "Allow nested loops")}
          />
        </Row>
        <Row label="Max iterations per loop">
          <Stepper
            name="max iterations per loop"
            label="Max iterations per loop"
            value={asNumber(settings.maxIterationsCeiling)}
            placeholder={50}
            minimum={1}
            maximum={1000}
            onChange={(n) => change("maxIterationsCeiling", n ?? undefined, "Change max iterations per loop")}
          />
        </Row>
        <Row label="Timeout">
          <DurationField
            label="Timeout of a run"
            placeholder="none"
            value={typeof settings.timeout === "string" ? settings.timeout : ""}
            onChange={(duration) => change("timeout", duration, "Change timeout")}
          />
        </Row>
        <Row label="Retry failed model calls">
          <Switch
            label="Retry failed model calls"
            testId="retry-calls"
            on={retries > 0}
            onChange={(on) =>
              change(
                "retry",
                // A value that equals the one in Settings is not stored in the workflow.
                on === retryCalls ? undefined : on ? { type: "exponential" } : { type: "none" },
                "Change retries",
              )
            }
          />
        </Row>
        <p className={formStyles.hint}>
          {retries > 0
            ? `A model call that is temporarily refused or loses its connection is repeated: up to ${plural(retries, "retry", "retries")}, after increasing delays. A node can override this.`
            : "If a model call fails, its node fails, unless the node sets its own retries."}
        </p>
        <Row label="Wait for quotas">
          <DurationField
            label="Longest wait of a step for quotas"
            placeholder="6 h"
            value={typeof settings.quotaWait === "string" ? settings.quotaWait : ""}
            onChange={(duration) => change("quotaWait", duration, "Change wait for quotas")}
          />
        </Row>
        <p className={formStyles.hint}>
          If a provider or an agent says when its quota resets, the step waits until then instead of failing.
          0 s turns this off.
        </p>
        <Row label="Budget">
          <NumberField
            label="Budget of a run in US dollars"
            unit="$ per run"
            placeholder="none"
            minimum={0}
            value={asNumber(budget.usd)}
            onChange={(usd) => change("budget", withKey(budget, "usd", usd ?? undefined), "Change budget")}
          />
        </Row>
      </div>
      <EstimateFoot />
    </>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={formStyles.formRow}>
      <span>{label}</span>
      {children}
    </div>
  );
}
