// The rows of sockets: inputs left, outputs right, paired by their place in the list.
import { memo } from "react";
import { isFeedbackHandle } from "../../drawn/wires";
import type { HandleInfo, KindInfo } from "../../ipc/generated/bindings";
import { Socket } from "../Socket";

interface PortsProps {
  node: string;
  inputs: readonly HandleInfo[];
  outputs: readonly HandleInfo[];
  kind: KindInfo | undefined;
}

export const Ports = memo(function Ports({ node, inputs, outputs, kind }: PortsProps) {
  const rows = Math.max(inputs.length, outputs.length);
  if (rows === 0) return null;
  // A loop's outputs differ in type from what goes in, so only there the types are spelled out.
  const types = kind?.repeats === "loop";
  return (
    <div className="ports">
      {Array.from({ length: rows }, (_, i) => {
        const input = inputs[i];
        const output = outputs[i];
        return (
          <div className="port-row" key={`${input?.name ?? ""}|${output?.name ?? ""}`}>
            {input ? (
              <>
                <Socket
                  node={node}
                  handle={input}
                  output={false}
                  feedback={isFeedbackHandle(kind, input.name)}
                />
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
      })}
    </div>
  );
});
