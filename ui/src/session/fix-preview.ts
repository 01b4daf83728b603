// The fix under the pointer. The canvas shows the nodes and wires it would add.
import { create } from "zustand";
import type { Edit } from "../ipc/generated/bindings";

interface FixPreview {
  title: string | null;
  edits: readonly Edit[];
}

const nothing: FixPreview = { title: null, edits: [] };

export const useFixPreview = create<FixPreview>()(() => nothing);

export const previewFix = (fix: { title: string; edits: readonly Edit[] } | null): void =>
  useFixPreview.setState(fix ?? nothing);
