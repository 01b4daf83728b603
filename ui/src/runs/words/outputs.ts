// Formats a run's outputs, each as the Output node of its name specifies. Pure.
import type { FlowDoc } from "../../ipc/generated/bindings";

export type OutputFormat = "text" | "markdown" | "json";

/** Returns the format of an output. The run's output names identify the Output nodes. */
export function outputFormat(document: FlowDoc, name: string): OutputFormat {
  const node = document.nodes.find((n) => n.type === "output" && (n.data.name === name || n.id === name));
  const format = node?.data.format;
  return format === "markdown" || format === "json" ? format : "text";
}
