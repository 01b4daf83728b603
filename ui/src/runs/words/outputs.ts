// Formats a run's outputs. The Output node with an output's name sets its format. Pure.
import type { FlowDoc } from "../../ipc/generated/bindings";

export type OutputFormat = "text" | "markdown" | "json";

/** Returns the format of an output, which the Output node with this name or id sets; "text" by default. */
export function outputFormat(document: FlowDoc, name: string): OutputFormat {
  const node = document.nodes.find((n) => n.type === "output" && (n.data.name === name || n.id === name));
  const format = node?.data.format;
  return format === "markdown" || format === "json" ? format : "text";
}
