// The tools section: servers and agents, web search, the proxy, and the keys for all of them.
import { type ReactNode, useEffect } from "react";
import type { Settings } from "../../../ipc/generated/bindings";
import { Agents } from "./Agents";
import { McpServers } from "./McpServers";
import { useToolSetup } from "./store";
import { ToolKeys } from "./ToolKeys";
import { WebAccess } from "./WebAccess";

function useRead(): void {
  useEffect(() => void useToolSetup.getState().load(), []);
}

export function Servers({ settings }: { settings: Settings }): ReactNode {
  useRead();
  return (
    <>
      <McpServers settings={settings} />
      <Agents settings={settings} />
    </>
  );
}

export function Around({ settings }: { settings: Settings }): ReactNode {
  return (
    <>
      <WebAccess settings={settings} />
      <ToolKeys />
    </>
  );
}
