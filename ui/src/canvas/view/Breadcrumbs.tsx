// The breadcrumbs from the workflow to the shown subflow. Clicking a part shows its flow.

import { Fragment } from "react";
import { Icon } from "../../components/Icon";
import marksStyles from "../../components/Marks.module.css";
import { tip } from "../../components/tip";
import { breadcrumbPath, fileName, useDirty, useDocument } from "../../document/document";
import { leaveSubflow } from "../../document/files";
import { flowAt } from "../../document/inside";
import { titleIn } from "../../kernels/node-title";
import type { Segment } from "../../runs/fold/path";
import { useRunHere } from "../../runs/view/level";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import cardStyles from "../CanvasCard.module.css";
import styles from "./Breadcrumbs.module.css";

type Crumb = {
  readonly label: string;
  /** The path of the file that begins at this part; null if the flow is inline. */
  readonly file: string | null;
};

type State = ReturnType<typeof useDocument.getState>;

/** Returns the parts of the breadcrumbs, outermost first: the workflow, then each subflow. */
export function crumbsOf(s: Pick<State, "parents" | "root" | "inside" | "path">): Crumb[] {
  const files = [...s.parents, { root: s.root, inside: s.inside, path: s.path, node: null }];
  return files.flatMap((file, i) => {
    const before = files[i - 1];
    const beginning: Crumb =
      before?.node != null
        ? { label: titleIn(flowAt(before.root, before.inside), before.node), file: file.path }
        : { label: fileName(file.path, file.root.name), file: null };
    const inner = file.inside.map(
      (id, depth): Crumb => ({
        label: titleIn(flowAt(file.root, file.inside.slice(0, depth)), id),
        file: null,
      }),
    );
    return [beginning, ...inner];
  });
}

export function Breadcrumbs() {
  const depth = useDocument((s) => breadcrumbPath(s).length);
  return depth === 0 ? null : <BreadcrumbList />;
}

/**
 * Returns, for each part of the breadcrumbs, the shown iteration around it in the run; null if it is not in a
 * loop.
 */
function useIterations(): readonly (number | null)[] {
  const prefix = useRunHere((view) => view?.state.prefix ?? NO_PREFIX);
  const layout = useSession((s) => s.layout);
  if (layout !== "run") return [];
  const found: (number | null)[] = [null];
  let around: number | null = null;
  for (const segment of prefix) {
    if (segment.iteration !== null) around = segment.iteration;
    else {
      found.push(around);
      around = null;
    }
  }
  return found;
}

const NO_PREFIX: readonly Segment[] = [];

function BreadcrumbList() {
  const { parents, root, inside, path } = useDocument();
  const dirty = useDirty();
  const iterations = useIterations();
  const crumbs = crumbsOf({ parents, root, inside, path });
  const last = crumbs.length - 1;
  const out = async (levels: number) => {
    for (let i = 0; i < levels; i++) if (!(await leaveSubflow())) return;
  };
  return (
    <nav className={styles.crumbs} aria-label="Path to this flow" data-testid={testIds.breadcrumbs}>
      {crumbs.map((crumb, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part of the breadcrumbs is identified by its index.
        <Fragment key={i}>
          {i > 0 && <Icon name="chevron-right" size={12} />}
          {i === last ? (
            <span aria-current="page">
              <Name crumb={crumb} iteration={iterations[i] ?? null} />
              {parents.length > 0 && dirty && (
                <i
                  className={marksStyles.dirty}
                  role="img"
                  aria-label="Unsaved changes"
                  {...tip("Unsaved changes")}
                />
              )}
            </span>
          ) : (
            <button type="button" data-testid={testIds.crumb(i)} onClick={() => void out(last - i)}>
              <Name crumb={crumb} iteration={iterations[i] ?? null} />
            </button>
          )}
        </Fragment>
      ))}
      <kbd {...tip("Leave subflow")}>Esc</kbd>
    </nav>
  );
}

function Name({ crumb, iteration }: { crumb: Crumb; iteration: number | null }) {
  return (
    <>
      <b>{crumb.label}</b>
      {iteration !== null && <span className={cardStyles.iterationTag}>iteration {iteration}</span>}
      {crumb.file !== null && (
        <small {...tip(crumb.file)}>
          <Icon name="file-json" size={11} />
          {fileName(crumb.file, undefined)}
        </small>
      )}
    </>
  );
}
