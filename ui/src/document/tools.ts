// The tools available to nodes, with the schemas of their arguments. They are read when a form first needs
// them.
import { create } from "zustand";
import { api } from "../ipc/client";
import type { ToolDescription } from "../ipc/generated/bindings";
import { useKinds } from "./kinds";

export interface ToolsState {
  /** The tools; null until they are read. */
  tools: readonly ToolDescription[] | null;
  load(): void;
}

export const useTools = create<ToolsState>()((set, get) => ({
  tools: null,
  load: () => {
    if (get().tools !== null) return;
    set({ tools: [] });
    api()
      .tools()
      .then(
        (tools) => set({ tools }),
        // After a failure, the next node requests the tools again. Until then, arguments are edited as JSON.
        () => set({ tools: null }),
      );
  },
}));

/** Reads the tools again after a change, for the palette and the forms. */
export async function refreshTools(): Promise<void> {
  const known = useTools.getState().tools !== null;
  const [tools] = await Promise.all([known ? api().tools() : null, useKinds.getState().load()]);
  if (tools) useTools.setState({ tools });
}
