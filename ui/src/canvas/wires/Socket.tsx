// A socket: xyflow's handle with the shape of its type. It is hollow while nothing is connected. While a wire
// is drawn, compatible sockets grow and the others fade.

import { Handle, Position } from "@xyflow/react";
import { memo } from "react";
import { classes } from "../../components/classes";
import { socketLook, unwiredLook } from "../../components/socket-look";
import { tip } from "../../components/tip";
import type { HandleInfo } from "../../ipc/generated/bindings";
import { useScene } from "../../scene/scene";
import { socketKey } from "../../scene/wires";
import { useConnecting } from "../../session/connecting";
import { connectionError } from "../view/fit";
import { pickUpWire } from "./pick-up-wire";
import styles from "./Socket.module.css";

export const socketShape = (type: string): string => (type === "boolean" ? "bool" : type);

interface SocketProps {
  node: string;
  handle: HandleInfo;
  output: boolean;
  feedback: boolean;
}

export const Socket = memo(function Socket({ node, handle, output, feedback }: SocketProps) {
  const connected = useScene((s) => s.connected.has(socketKey(node, output, handle.name)));
  const fit = useConnecting((s) => {
    if (!s.from) return "";
    if (s.from.node === node && s.from.handle.name === handle.name && s.from.output === output) return "from";
    return connectionError(s.from, { node, handle, output }) === null ? "fits" : "fades";
  });
  const shape = feedback ? "feedback" : socketShape(handle.valueType);
  const isOff = !connected && !feedback;
  const look = classes(
    socketLook(shape),
    styles.shape,
    isOff && unwiredLook,
    isOff ? styles.off : (shape === "any" || shape === "feedback") && styles.ring,
    shape === "json" && styles.turned,
  );
  const type = feedback ? "feedback" : handle.valueType;
  return (
    <Handle
      id={handle.name}
      type={output ? "source" : "target"}
      position={output ? Position.Right : Position.Left}
      className={styles.socket}
      data-fit={fit || undefined}
      onMouseDownCapture={output ? undefined : (event) => pickUpWire(event, node, handle)}
      role="img"
      {...tip(handle.label === type ? type : `${handle.label} · ${type}`)}
      aria-label={`${output ? "output" : "input"} ${handle.label}, ${type}`}
    >
      <i className={look} />
    </Handle>
  );
});
