// The rows of sockets: inputs left, outputs right, paired by their place in the list. Those that nothing is wired to hang below the
// card. While the flow is edited they are seen on a card that is pointed at, selected or in focus; at any time while a wire is drawn
// that fits them.
import { memo } from "react";
import type { HandleInfo, KindInfo } from "../../ipc/generated/bindings";
import { isFeedbackHandle } from "../../scene/wires";
import { useConnecting, type WireEnd } from "../../session/connecting";
import { connectionError } from "../view/fit";
import { Socket } from "../wires/Socket";
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
    <div className="ports">
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
  // A loop's outputs differ in type from what goes in, so only there the types are spelled out.
  const types = kind?.repeats === "loop";
  return (
    <div className="port-row">
      {input ? (
        <>
          <Socket node={node} handle={input} output={false} feedback={isFeedbackHandle(kind, input.name)} />
          <span className="input-name">{input.label}</span>
        </>
      ) : (
        <span />
      )}
      {output && (
        <>
          <span className="output-name">
            {output.label}
            {types && <em>{output.valueType}</em>}
          </span>
          <Socket node={node} handle={output} output feedback={false} />
        </>
      )}
    </div>
  );
}

/** The sockets that nothing is wired to. */
export const ExtraPorts = memo(function ExtraPorts(props: {
  node: string;
  ports: PortRows["extra"];
  kind: KindInfo | undefined;
}) {
  const { node, kind } = props;
  const { inputs, outputs } = props.ports;
  const rows = Math.max(inputs.length, outputs.length);
  // One question for all rows: a large flow has thousands of them. As a text, so that the card is drawn again only when it changes.
  const offered = useConnecting(({ from }) =>
    from
      ? Array.from({ length: rows }, (_, i) => Number(isOffered(from, node, inputs[i], outputs[i]))).join("")
      : "",
  );
  if (rows === 0) return null;
  return (
    <div className="extra-ports">
      {Array.from({ length: rows }, (_, i) => (
        <div
          key={`${inputs[i]?.name ?? ""}|${outputs[i]?.name ?? ""}`}
          className={`extra-port${offered[i] === "1" ? " offered" : ""}`}
        >
          <PortRow {...{ node, input: inputs[i], output: outputs[i], kind }} />
        </div>
      ))}
    </div>
  );
});

/** Whether a wire that is being drawn begins in this row, or can end there. */
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
