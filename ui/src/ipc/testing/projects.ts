// The project of the double: the recorded one, whatever folder is chosen. No agent is installed.
import type { Backend } from "../client";
import { agents } from "../generated/recorded/program";
import { project, repairFlow } from "../generated/recorded/workspace";

type ProjectCommands = Pick<Backend, "lookAtProject" | "agents" | "repairFlow">;

export const testProjects = (): ProjectCommands => ({
  lookAtProject: async () => structuredClone(project),
  agents: async () => structuredClone(agents),
  repairFlow: async () => structuredClone(repairFlow),
});
