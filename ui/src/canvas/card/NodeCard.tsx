// The card of a node: header, sockets, contents, its result in the shown run, and its problems.

import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import { isBypassed } from "../../commands/bypass";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import iconTileStyles from "../../components/IconTile.module.css";
import { tip } from "../../components/tip";
import { useHandles, useNodeProblems, useUnknownNames } from "../../document/analysis";
import { useDocument } from "../../document/document";
import { isLoopFamily, useKind } from "../../document/kinds";
import { noteLook } from "../../document/notes";
import { loudOnes, severityOf, useAsked } from "../../document/quiet";
import type { FlowNode, KindInfo } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { nodeBodies } from "../../node-ui";
import { NoteTools } from "../../node-ui/NoteTools";
import { UnknownNames } from "../../node-ui/Preview";
import { type NodeRun, useLoopRun, useNodeRun } from "../../runs";
import { plural } from "../../runs/words/format";
import { placeholderHandles } from "../../scene/wires";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import styles from "../CanvasCard.module.css";
import { useIsBox } from "../detail";
import { colourOf } from "../kind-colour";
import { useMeasuredAgain } from "../move/measure";
import { nodeLabel } from "../node-label";
import type { CanvasNode } from "../nodes";
import { ExitBadge, ExitMark } from "./ExitBadge";
import { LoopBadge } from "./LoopBadge";
import { LoopClock } from "./LoopClock";
import { LoopControls } from "./LoopControls";
import { MessageStrip } from "./MessageStrip";
import { PinMark } from "./PinMark";
import { ExtraPorts, Ports } from "./Ports";
import { ProgressRing } from "./ProgressRing";
import { usePortRows } from "./port-rows";
import { RunFooter } from "./RunFooter";
import { RunPreview } from "./RunPreview";
import { useRunHeight } from "./run-height";
import { StateMark } from "./StateMark";

/**
 * Returns the name that selects a card's style: "loop" or "exit" for these kinds, otherwise the kind's shape.
 */
const kindLook = (kind: KindInfo | undefined): string =>
  !kind ? "unknown" : !isLoopFamily(kind) ? kind.shape : kind.repeats ? "loop" : "exit";

/** Returns the state that a card shows in its border; undefined if the border is plain. */
function shownState({ state, failedWithin }: NodeRun): string | undefined {
  const isPlain = state === "idle" || state === "done" || (state === "failed" && failedWithin);
  return isPlain ? undefined : state;
}

/**
 * The longest title, in characters, next to which the header has space for a loop's time. With a longer title
 * the time is in the footer.
 */
const ROOM_BESIDE_TIME = 14;

function Header({ node, kind, run }: { node: FlowNode; kind: KindInfo | undefined; run: NodeRun }) {
  const isLoop = kind?.repeats === "loop";
  const title = titleOf(node);
  const loop = useLoopRun(isLoop ? node.id : "");
  const inLoop = !isLoop && kind?.shape !== "scope_end" && run.iteration !== null && run.state !== "idle";
  return (
    <header className={styles.header}>
      {isLoop && loop && loop.shown !== null ? (
        <ProgressRing done={loop.shown} total={loop.total ?? loop.shown} />
      ) : (
        <span className={classes(iconTileStyles.iconTile, styles.tile, colourOf(kind))}>
          <Icon name={kind?.icon ?? "box"} size={13} />
        </span>
      )}
      <b {...tip(title)}>{title}</b>
      {inLoop && (
        <span
          className={styles.iterationTag}
          data-testid={testIds.iterationTag}
          {...tip(`iteration ${run.iteration}`)}
        >
          <Icon name="repeat" size={10} />
          {run.iteration}
        </span>
      )}
      {isLoop && run.state !== "idle" && title.length <= ROOM_BESIDE_TIME && (
        <LoopClock id={node.id} run={run} />
      )}
      <PinMark id={node.id} />
      {isBypassed(node) && (
        <span className={styles.bypassTag} {...tip("Bypassed: the input passes through unchanged")}>
          <Icon name="circle-slash-2" size={12} />
          bypassed
        </span>
      )}
      {kind?.shape === "scope_end" ? (
        <ExitMark id={node.id} run={run} />
      ) : (
        <StateMark state={run.state} isExhausted={loop?.exhausted === true} />
      )}
    </header>
  );
}

/** Returns the properties of a card that are visible even when the canvas is zoomed out. */
function useLook({ id, data, selected }: NodeProps<CanvasNode>) {
  const { node } = data;
  const kind = useKind(node.type);
  const run = useNodeRun(id, node.type);
  const problems = useNodeProblems(id);
  const asked = useAsked();
  const loud = loudOnes(problems, asked);
  const severity = severityOf(loud);
  const title = titleOf(node);
  const bypassed = isBypassed(node);
  const note = kind?.shape === "annotation" ? noteLook(node) : null;
  const look = {
    className: classes(
      styles.card,
      colourOf(kind),
      note && `group-${note.colour}`,
      note && note.colour !== "grey" && styles.tinted,
    ),
    "data-kind": kindLook(kind),
    "data-state": shownState(run),
    "data-severity": severity ?? undefined,
    "data-selected": selected || undefined,
    "data-bypassed": bypassed || undefined,
    "data-sized": note?.size ? true : undefined,
  };
  const label = (
    <span id={`node-label-${id}`} hidden>
      {nodeLabel(title, kind?.title ?? node.type, run, problems.length, bypassed)}
    </span>
  );
  return { kind, run, problems, loud, severity, title, note, look, label };
}

export const NodeCard = memo(function NodeCard(props: NodeProps<CanvasNode>) {
  const { id, selected, dragging, width, height } = props;
  // xyflow reports the size 0 for a card it has not measured.
  const isBox = useIsBox(id, selected) && !!width && !!height && !dragging;
  return isBox ? <BoxCard {...props} /> : <WholeCard {...props} />;
});

/**
 * The empty element that replaces a card while the overview bitmap shows the card. It keeps the card's size,
 * but a problem may make the card taller when it is drawn in full again.
 */
function BoxCard(props: NodeProps<CanvasNode>) {
  const { id, width, height } = props;
  const { look, label } = useLook(props);
  return (
    <article {...look} data-box style={{ width, height }} data-testid={testIds.node(id)}>
      {label}
    </article>
  );
}

function WholeCard(props: NodeProps<CanvasNode>) {
  const { id, data, selected, height } = props;
  const { node } = data;
  const { kind, run, problems, loud, severity, title, note, look, label } = useLook(props);
  const handles = useHandles(id, node.type);
  const fallback = useDocument((s) => (kind ? null : s.document.edges));
  const { inputs, outputs } =
    kind || fallback === null ? handles : placeholderHandles(useDocument.getState().document, id);
  const ports = usePortRows(id, inputs, outputs, kind);
  const { place } = useDocument.getState();
  useMeasuredAgain(id, [place, ports.key, ...problems.map(({ message }) => message)].join("\n"));
  const Body = kind ? nodeBodies[kind.type] : undefined;
  const unknownNames = useUnknownNames(id);
  const readOnly = useDocument((s) => s.suspended !== null);
  const isRun = useSession((s) => s.layout === "run");
  const showsRun = run.state !== "idle";
  const heights = useRunHeight(id, height, showsRun);
  return (
    <article {...look} style={note?.size ?? heights} data-testid={testIds.node(id)}>
      {label}
      {loud.length > 0 && (
        <span
          className={classes(styles.problemCount, severity !== "error" && styles.warn)}
          {...tip(plural(loud.length, "problem"))}
        >
          {loud.length}
        </span>
      )}
      {kind?.repeats === "loop" && <LoopBadge id={id} />}
      <Header node={node} kind={kind} run={run} />
      <Ports node={id} {...ports.main} kind={kind} />
      {!kind && (
        <div className={classes(styles.meta, styles.unknown)}>
          Unknown node kind “{node.type}”. Its data is kept.
        </div>
      )}
      {kind?.repeats === "loop" && (
        <LoopControls id={id} data={node.data} kind={kind} plain={showsRun || readOnly} />
      )}
      {kind?.shape === "scope_end" && <ExitBadge id={id} run={run} />}
      {showsRun && kind?.repeats !== "loop" && kind?.shape !== "scope_end" ? (
        <RunPreview id={id} run={run} selected={selected} />
      ) : (
        kind &&
        Body && (
          <UnknownNames value={unknownNames}>
            <Body id={id} data={node.data} kind={kind} />
          </UnknownNames>
        )
      )}
      <RunFooter run={run} timeAbove={kind?.repeats === "loop" && title.length <= ROOM_BESIDE_TIME} />
      <MessageStrip problems={loud.length > 0 ? loud : problems} title={title} quiet={loud.length === 0} />
      <ExtraPorts node={id} ports={ports.extra} kind={kind} />
      {note && selected && !readOnly && !isRun && <NoteTools id={id} colour={note.colour} />}
    </article>
  );
}
