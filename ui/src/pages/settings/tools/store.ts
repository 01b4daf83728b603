// The state of the MCP servers and tool keys in the settings. It is loaded when their page is shown, and
// after each change.
import { create } from "zustand";
import { refreshTools } from "../../../document/tools";
import { api, errorMessage } from "../../../ipc/client";
import type { McpStanding, NamedKey, Settings } from "../../../ipc/generated/bindings";
import { useProviders } from "../../../runs/inputs/providers";
import { confirmServerStart } from "../../../trust/store";

interface ToolSetup {
  servers: readonly McpStanding[];
  keys: readonly NamedKey[];
  failure: string | null;
  load(): Promise<void>;
  /**
   * Saves a change of the settings and loads the state again, which also updates the palette and open forms.
   * Rejects if the settings refuse the change.
   */
  save(change: Partial<Settings>): Promise<void>;
  /**
   * Starts a server, after the user has allowed its exact command, and lists its tools. Returns false if the
   * user refused.
   */
  look(server: McpStanding): Promise<boolean>;
  /** Saves the key with this name; null removes it. */
  setKey(name: string, key: string | null): Promise<void>;
}

export const useToolSetup = create<ToolSetup>()((set, get) => ({
  servers: [],
  keys: [],
  failure: null,
  async load() {
    try {
      const [servers, keys] = await Promise.all([api().mcpServers(), api().toolKeys()]);
      set({ servers, keys, failure: null });
    } catch (error) {
      set({ failure: errorMessage(error) });
    }
  },
  async save(change) {
    await useProviders.getState().save(change);
    await Promise.all([get().load(), refreshTools()]);
  },
  async look(server) {
    if (!(await confirmServerStart(server))) return false;
    await api().lookAtMcp(server.server, server.item);
    await Promise.all([get().load(), refreshTools()]);
    return true;
  },
  async setKey(name, key) {
    await useProviders.getState().setKey(name, key);
    await get().load();
  },
}));
