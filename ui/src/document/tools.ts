// The tools that nodes can use, with the schemas of their arguments: read when a form first needs them.
import { create } from "zustand";
import { api } from "../ipc/client";
import type { ToolDescription } from "../ipc/generated/bindings";
import { useKinds } from "./kinds";

export interface ToolsState {
  /** Null until they were read. */
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
        // Asked again with the next node; until then the arguments are edited as JSON.
        () => set({ tools: null }),
      );
  },
}));

/** Tools came or went: the palette and the forms show those that there are now. */
export async function refreshTools(): Promise<void> {
  const known = useTools.getState().tools !== null;
  const [tools] = await Promise.all([known ? api().tools() : null, useKinds.getState().load()]);
  if (tools) useTools.setState({ tools });
}
