// "Open a repository…": the inspected folder, and the choices of the user before the flow is created.
import { create } from "zustand";
import { api, errorMessage } from "../../ipc/client";
import {
  type AgentProgram,
  type Project,
  REPAIR_ITERATIONS,
  type RepairField,
  type RepairRequest,
} from "../../ipc/generated/bindings";
import { isInstalled, useAgents } from "../../runs/inputs/agents";
import { useSession } from "../../session/session";
import { openInTab } from "../../tabs/tabs";

/** How a copy is set up: by the set-up files of the project, by a command, or not at all. */
export type SetupWay = "files" | "command" | "none";

/** What the user chooses in the dialog. */
export interface RepairChoice {
  command: string;
  /** The name of the agent; null if a model does the repair. */
  agent: string | null;
  provider: string;
  model: string;
  base: "head" | "working";
  setupWay: SetupWay;
  setup: string;
  protect: readonly string[];
  maxIterations: number;
  budgetUsd: number | null;
}

export type Problems = Readonly<Partial<Record<RepairField, string>>>;

interface RepositoryState {
  /** The chosen folder; null while the dialog is closed. */
  readonly folder: string | null;
  /** The findings about the folder; null while it is inspected. */
  readonly project: Project | null;
}

export const useRepository = create<RepositoryState>()(() => ({ folder: null, project: null }));

export const closeRepository = (): void => useRepository.setState({ folder: null, project: null });

function complain(title: string, error: unknown): void {
  useSession.getState().toast({ tone: "error", title, detail: errorMessage(error) });
}

/** Asks for a folder, inspects it, and opens the dialog. */
export async function openRepository(): Promise<void> {
  try {
    const folder = await api().pickFolder();
    if (folder === null) return;
    useRepository.setState({ folder, project: null });
    void useAgents.getState().load();
    const project = await api().lookAtProject(folder);
    // The user may have cancelled meanwhile, or chosen another folder.
    if (useRepository.getState().folder === folder) useRepository.setState({ project });
  } catch (error) {
    closeRepository();
    complain("The folder could not be opened", error);
  }
}

/**
 * Returns the command that sets up a copy of the project. If `command` is one of the project's commands, this
 * is the set-up that it needs, otherwise the general proposal. Empty if no set-up is needed or proposed.
 */
export function proposedSetup(project: Project, command: string): string {
  const same = project.commands.find((found) => found.command === command.trim());
  const setup = same === undefined ? project.setup.proposed : same.setup;
  return setup?.command ?? "";
}

/** Returns the initial choices of the dialog. */
export function firstChoice(project: Project): RepairChoice {
  const command = project.commands[0]?.command ?? "";
  const setup = proposedSetup(project, command);
  return {
    command,
    agent: null,
    provider: "auto",
    model: "",
    base: project.refusedHead !== null && project.refusedWorking === null ? "working" : "head",
    setupWay: project.setup.file !== null ? "files" : setup !== "" ? "command" : "none",
    setup,
    protect: [],
    maxIterations: REPAIR_ITERATIONS,
    budgetUsd: null,
  };
}

/** Returns the name of the agent that is selected at first; null for a model. */
export const firstAgent = (agents: readonly AgentProgram[]): string | null =>
  agents.find(isInstalled)?.name ?? null;

/**
 * Creates the flow and opens it in a new tab. Returns the problems with the choices, by field. If there are
 * any, no flow is opened.
 */
export async function makeRepairFlow(project: Project, choice: RepairChoice): Promise<Problems> {
  const { setupWay, setup, ...rest } = choice;
  const request: RepairRequest = {
    ...rest,
    folder: project.folder,
    protect: [...choice.protect],
    setup: setupWay === "command" ? setup : null,
    setupFiles: setupWay !== "none",
  };
  const { document, problems } = await api().repairFlow(request);
  if (document === null) return Object.fromEntries(problems.map(({ field, message }) => [field, message]));
  closeRepository();
  openInTab({ document, path: null, version: null, unsaved: true });
  useSession.getState().show("editor");
  return {};
}
