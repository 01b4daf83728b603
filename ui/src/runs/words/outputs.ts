// How a run's outputs are shown: each as the Output node of its name asks. Pure.
import type { FlowDoc } from "../../ipc/generated/bindings";

export type OutputFormat = "text" | "markdown" | "json";

/** The names that the run gave say which nodes are outputs; the format is theirs. */
export function outputFormat(document: FlowDoc, name: string): OutputFormat {
  const node = document.nodes.find((n) => n.type === "output" && (n.data.name === name || n.id === name));
  const format = node?.data.format;
  return format === "markdown" || format === "json" ? format : "text";
}
