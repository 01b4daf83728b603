// Shows the diff of two texts with semantic ins and del elements.
import type { DiffPart } from "../../ipc/generated/bindings";

export function Parts({ parts }: { parts: readonly DiffPart[] }) {
  return parts.map((part, i) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity except their index.
    if (part.kind === "added") return <ins key={i}>{part.text}</ins>;
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    if (part.kind === "removed") return <del key={i}>{part.text}</del>;
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    return <span key={i}>{part.text}</span>;
  });
}
