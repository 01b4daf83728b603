// The socket rows: inputs left, outputs right, paired by their index. Unwired sockets hang below the card.
// While the flow is edited they are visible on a hovered, selected or focused card, and everywhere while a
// compatible wire is drawn.

import { memo } from "react";
import { classes } from "../../components/classes";
import type { HandleInfo, KindInfo } from "../../ipc/generated/bindings";
import { isFeedbackHandle } from "../../scene/wires";
import { useConnecting, type WireEnd } from "../../session/connecting";
import { testIds } from "../../testids";
import { connectionError } from "../view/fit";
import { Socket } from "../wires/Socket";
import styles from "./Ports.module.css";
import type { PortRows } from "./port-rows";

interface PortsProps {
  node: string;
  inputs: readonly HandleInfo[];
  outputs: readonly HandleInfo[];
  kind: KindInfo | undefined;
}

export const Ports = memo(function Ports({ node, inputs, outputs, kind }: PortsProps) {
  const rows = Math.max(inputs.length, outputs.length);
  if (rows === 0) return null;
  return (
    <div className={styles.ports} data-testid={testIds.ports}>
      {Array.from({ length: rows }, (_, i) => (
        <PortRow
          key={`${inputs[i]?.name ?? ""}|${outputs[i]?.name ?? ""}`}
          {...{ node, input: inputs[i], output: outputs[i], kind }}
        />
      ))}
    </div>
  );
});

interface PortRowProps {
  node: string;
  input: HandleInfo | undefined;
  output: HandleInfo | undefined;
  kind: KindInfo | undefined;
}

function PortRow({ node, input, output, kind }: PortRowProps) {
  // Socket types are shown only on a loop, whose outputs differ in type from its inputs.
  const types = kind?.repeats === "loop";
  return (
    <div className={styles.portRow}>
      {input ? (
        <>
          <Socket node={node} handle={input} output={false} feedback={isFeedbackHandle(kind, input.name)} />
          <span className={styles.name}>{input.label}</span>
        </>
      ) : (
        <span />
      )}
      {output && (
        <>
          <span className={classes(styles.name, styles.outputName)}>
            {output.label}
            {types && <em>{output.valueType}</em>}
          </span>
          <Socket node={node} handle={output} output feedback={false} />
        </>
      )}
    </div>
  );
}

/** Shows the sockets that have no row on the card: secondary sockets without a wire. */
export const ExtraPorts = memo(function ExtraPorts(props: {
  node: string;
  ports: PortRows["extra"];
  kind: KindInfo | undefined;
}) {
  const { node, kind } = props;
  const { inputs, outputs } = props.ports;
  const rows = Math.max(inputs.length, outputs.length);
  // One store selector serves all rows, since a large flow has thousands. It returns a string, so that the
  // card re-renders only when it changes.
  const offered = useConnecting(({ from }) =>
    from
      ? Array.from({ length: rows }, (_, i) => Number(isOffered(from, node, inputs[i], outputs[i]))).join("")
      : "",
  );
  if (rows === 0) return null;
  return (
    <div className={styles.extraPorts} data-testid={testIds.extraPorts}>
      {Array.from({ length: rows }, (_, i) => (
        <div
          key={`${inputs[i]?.name ?? ""}|${outputs[i]?.name ?? ""}`}
          className={styles.extraPort}
          data-offered={offered[i] === "1" || undefined}
        >
          <PortRow {...{ node, input: inputs[i], output: outputs[i], kind }} />
        </div>
      ))}
    </div>
  );
});

/** Returns whether the wire being drawn starts in this row, or can end there. */
function isOffered(
  from: WireEnd,
  node: string,
  input: HandleInfo | undefined,
  output: HandleInfo | undefined,
): boolean {
  if (from.node === node) return (from.output ? output : input)?.name === from.handle.name;
  const handle = from.output ? input : output;
  return handle !== undefined && connectionError(from, { node, handle, output: !from.output }) === null;
}
