// One template: its picture, its purpose, its exit condition and its maximum cost.

import { useEffect, useState } from "react";
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { useKinds } from "../../document/kinds";
import { api } from "../../ipc/client";
import type { Region, TemplateInfo } from "../../ipc/generated/bindings";
import { testIds } from "../../testids";
import styles from "../Gallery.module.css";
import { MiniGraphView } from "./MiniGraphView";
import { miniGraph } from "./mini-graph";

/** Returns the loop regions of a template, as the engine found them. */
function useRegions(template: TemplateInfo): readonly Region[] {
  const [regions, setRegions] = useState<readonly Region[]>([]);
  useEffect(() => {
    let wanted = true;
    api()
      .analyze(template.document, null)
      .then(
        (analysis) => wanted && setRegions(analysis.regions),
        // If the analysis fails, the picture has no hulls. Opening the template shows the problem.
        () => wanted && setRegions([]),
      );
    return () => {
      wanted = false;
    };
  }, [template]);
  return regions;
}

export function TemplateCard({ template, onOpen }: { template: TemplateInfo; onOpen(): void }) {
  const byType = useKinds((s) => s.byType);
  const regions = useRegions(template);
  return (
    <button
      type="button"
      className={styles.templateCard}
      data-testid={testIds.template(template.id)}
      onClick={onOpen}
    >
      <MiniGraphView graph={miniGraph(template.document, byType, regions)} />
      <span className={styles.templateText}>
        <b>{template.name}</b>
        <span className={styles.templateDescription} {...tip(template.description)}>
          {template.description}
        </span>
        <span className={styles.templateMeta}>
          <Icon name="log-out" size={11} />
          <span>{template.exits}</span>
          <span>{template.maxCalls}</span>
        </span>
      </span>
    </button>
  );
}
