// The agents that a flow can name, with the versions of those installed on this computer.
import { create } from "zustand";
import type { Choice } from "../../components/Select";
import { api, errorMessage } from "../../ipc/client";
import type { AgentProgram } from "../../ipc/generated/bindings";

interface AgentsState {
  /** The agents; null until they are read. */
  readonly agents: readonly AgentProgram[] | null;
  readonly failure: string | null;
  /** Reads the agents. They are read again each time, because the user may have installed one since. */
  load(): Promise<void>;
}

export const useAgents = create<AgentsState>()((set) => ({
  agents: null,
  failure: null,
  async load() {
    try {
      set({ agents: await api().agents(), failure: null });
    } catch (error) {
      set({ failure: errorMessage(error) });
    }
  },
}));

export const isInstalled = (agent: AgentProgram): boolean => agent.path !== null;

/**
 * Formats an agent with its version: "Claude Code 2.0.14". The text says if the agent is not installed, or if
 * its version is unknown.
 */
export function agentWords(agent: AgentProgram): string {
  if (!isInstalled(agent)) return `${agent.label}, not installed`;
  if (agent.version !== null) return `${agent.label} ${agent.version}`;
  // A program from Settings is not asked for its version.
  return agent.install === null ? `${agent.label}, from Settings` : `${agent.label}, version unknown`;
}

/** Returns the agents as choices, installed ones first. */
export function agentChoices(agents: readonly AgentProgram[]): Choice[] {
  const ordered = [...agents.filter(isInstalled), ...agents.filter((agent) => !isInstalled(agent))];
  return ordered.map((agent) => ({
    value: agent.name,
    label: agentWords(agent),
    title: agent.path ?? agent.install ?? `no program ${agent.program}`,
  }));
}

/** Describes how to install an agent that is not installed. */
export const installWords = ({ install, program }: AgentProgram): string =>
  install === null
    ? `There is no program \`${program}\`. Install it, or change the command in Settings.`
    : `Install it with \`${install}\`.`;
