// "Open a repository…": what was found in the folder is shown and can be corrected, and the flow opens in a tab.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { choose, openList, pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { ApiFailure, type Backend, replaceBackend } from "../../ipc/client";
import type { AgentProgram, Project, RepairRequest } from "../../ipc/generated/bindings";
import { agents } from "../../ipc/generated/recorded/program";
import { project, refusedRepairFlow, repairFlow } from "../../ipc/generated/recorded/workspace";
import { testBackend } from "../../ipc/testing";
import { agentChoices, useAgents } from "../../runs/inputs/agents";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { RepositoryDialog } from "./RepositoryDialog";
import { openRepository, useRepository } from "./store";

const page = pageForEach();
const byId = (id: string) => page.host.querySelector<HTMLElement>(`[data-testid="${id}"]`);
const there = (id: string): HTMLElement => {
  const found = byId(id);
  if (!found) throw new Error(`${id} is not shown`);
  return found;
};
const textOf = (id: string) => byId(id)?.textContent ?? "";
const typedIn = (id: string) => (there(id) as HTMLInputElement).value;
const click = (element: Element | null | undefined) =>
  act(async () => {
    if (!(element instanceof HTMLElement)) throw new Error("there is nothing to click");
    element.click();
  });
const type = (id: string, text: string) =>
  act(async () => {
    const field = there(id);
    const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set?.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
const radio = (label: string) =>
  [...page.host.querySelectorAll('[role="radio"]')].find((one) => one.textContent === label);

const installed: AgentProgram[] = agents.map((agent) =>
  agent.name === "codex" ? { ...agent, path: "/bin/codex", version: "0.46.0" } : agent,
);

/** The requests to create a flow. */
const asked: RepairRequest[] = [];

async function open(changed: Partial<Project> = {}, backend: Partial<Backend> = {}): Promise<void> {
  replaceBackend({
    ...testBackend(),
    lookAtProject: async () => ({ ...project, ...changed }),
    agents: async () => installed,
    repairFlow: async (request) => {
      asked.push(request);
      return repairFlow;
    },
    ...backend,
  });
  await act(async () => page.root.render(<RepositoryDialog />));
  await act(() => openRepository());
}

beforeEach(() => {
  asked.length = 0;
  useAgents.setState({ agents: null, failure: null });
  useRepository.setState({ folder: null, project: null });
  useSession.setState({ toasts: [] });
});

test("what was found is shown, and the flow opens unsaved in the editor", async () => {
  await open();
  expect(textOf("repository-about")).toContain("/shop, branch main, with uncommitted changes");
  expect(typedIn("repository-command")).toBe("npm test");
  expect(document.activeElement).toBe(there("repository-command"));
  const found = [...page.host.querySelectorAll('[data-testid="repository-found"]')];
  expect(found.map((one) => one.textContent)).toEqual(["npm testpackage.json", "make checkMakefile"]);
  expect(found.map((one) => one.getAttribute("aria-pressed"))).toEqual(["true", "false"]);
  expect(textOf("repository-agent")).toBe("Codex 0.46.0");
  expect(typedIn("repository-setup")).toBe("npm ci");
  expect(typedIn("repository-protect")).toBe("");
  expect(textOf(testIds.repositoryDialog)).toContain("Your uncommitted changes are not in the copy.");
  // Each control has a name for screen readers.
  for (const control of page.host.querySelectorAll("input:not([aria-hidden]), textarea, [role=combobox]"))
    expect(
      control.getAttribute("aria-label") ??
        page.host.querySelector(`label[for="${control.id}"]`)?.textContent,
    ).toBeTruthy();
  await click(byId(testIds.repositoryMake));
  expect(asked).toEqual([
    {
      folder: "/shop",
      command: "npm test",
      agent: "codex",
      provider: "auto",
      model: "",
      base: "head",
      setup: "npm ci",
      setupFiles: true,
      protect: [],
      maxIterations: 8,
      budgetUsd: null,
    },
  ]);
  expect(byId(testIds.repositoryDialog)).toBeNull();
  expect(useSession.getState().view).toBe("editor");
  const { root, path } = useDocument.getState();
  expect([root.name, path]).toEqual(["Fix until green", null]);
});

test("everything can be corrected", async () => {
  await open();
  await type("repository-command", "npm run unit");
  await type("repository-setup", "npm i");
  await click(radio("With uncommitted files"));
  await click(byId("repository-offered"));
  expect(typedIn("repository-protect")).toBe("tests/**");
  expect(byId("repository-offered")).toBeNull();
  await type("repository-iterations", "3");
  await type("repository-budget", "2.5");
  await choose(there("repository-agent"), " model");
  await choose(there("repository-provider"), "openai");
  await act(async () => page.host.querySelector("form")?.requestSubmit());
  expect(asked[0]).toMatchObject({
    command: "npm run unit",
    setup: "npm i",
    base: "working",
    protect: ["tests/**"],
    maxIterations: 3,
    budgetUsd: 2.5,
    agent: null,
    provider: "openai",
  });
});

test("the set-up follows the command until a person writes one", async () => {
  const setup = { command: "uv sync", file: "uv.lock" };
  const commands = [...project.commands, { command: "uv run pytest", file: "pytest.ini", setup }];
  await open({ commands: [...commands, { command: "go test ./...", file: "go.mod", setup: null }] });
  const found = () => [...page.host.querySelectorAll('[data-testid="repository-found"]')];
  await click(found()[2]);
  expect(typedIn("repository-setup")).toBe("uv sync");
  await click(found()[3]);
  expect(byId("repository-setup")).toBeNull();
  expect(textOf("repository-setup-way")).toBe("Not at all");
  await click(found()[0]);
  await type("repository-setup", "mine");
  await click(found()[2]);
  expect(typedIn("repository-setup")).toBe("mine");
  await choose(there("repository-setup-way"), "none");
  await click(byId(testIds.repositoryMake));
  expect(asked[0]).toMatchObject({ setup: null, setupFiles: false, command: "uv run pytest" });
});

test("the set-up files of the project are used, and their commands are shown", async () => {
  await open({
    setup: { file: "conductor.json", commands: ["npm ci", "cp a b"], copy: [".env*"], proposed: null },
  });
  expect(textOf("repository-setup-way")).toBe("As in conductor.json");
  expect(textOf(testIds.repositoryDialog)).toContain("npm cicp a b");
  expect(textOf(testIds.repositoryDialog)).toContain("Ignored files that are copied: .env*");
  await click(byId(testIds.repositoryMake));
  expect(asked[0]).toMatchObject({ setup: null, setupFiles: true });
});

test("problems are shown at their fields, and go when the field is changed", async () => {
  await open({}, { repairFlow: async () => refusedRepairFlow });
  await click(byId(testIds.repositoryMake));
  expect(textOf("repository-command-problem")).toContain("is not closed");
  expect(textOf("repository-agent-problem")).toContain("not installed");
  expect(textOf("repository-protect-problem")).toContain("points outside the folder");
  const command = there("repository-command");
  expect(command.getAttribute("aria-invalid")).toBe("true");
  expect(command.getAttribute("aria-describedby")).toBe("repository-command-problem");
  await vi.waitFor(() => expect(document.activeElement).toBe(command));
  await type("repository-command", "npm run test");
  expect(byId("repository-command-problem")).toBeNull();
  expect(byId("repository-agent-problem")).not.toBeNull();
});

test("without an agent a model repairs, and what is not installed says how to install it", async () => {
  await open({}, { agents: async () => agents });
  expect(textOf("repository-agent")).toBe("A model");
  expect(byId("repository-no-agent")).not.toBeNull();
  expect(byId("repository-provider")).not.toBeNull();
  const options = await openList(there("repository-agent"));
  expect(options.map((one) => one.textContent)).toContain(
    "Gemini, not installednpm install -g @google/gemini-cli",
  );
  await choose(there("repository-agent"), "gemini");
  expect(textOf(testIds.repositoryDialog)).toContain("Install it with npm install -g @google/gemini-cli.");
  expect(byId("repository-provider")).toBeNull();
});

test("a source that cannot be copied says so, and no flow is made", async () => {
  const refusedHead = "/shop has no commit yet. Make a first commit, or use `working` as the base.";
  await open({ refusedHead, refusedWorking: refusedHead });
  expect(textOf("repository-base-problem")).toContain("has no commit yet");
  expect((there(testIds.repositoryMake) as HTMLButtonElement).disabled).toBe(true);
  await open({ refusedHead });
  // Only the other base can be used, so it is chosen.
  await act(async () => useRepository.setState({ folder: null, project: null }));
  await open({ refusedHead });
  expect(byId("repository-base-problem")).toBeNull();
  expect(radio("With uncommitted files")?.getAttribute("aria-checked")).toBe("true");
});

test("a folder without git and without a known command can be used", async () => {
  await open({
    isRepository: false,
    branch: null,
    hasChanges: false,
    commands: [],
    notes: ["x was not used."],
  });
  const dialog = () => textOf(testIds.repositoryDialog);
  expect(dialog()).toContain("This folder is not a git repository.");
  expect(dialog()).toContain("No command was found in this folder.");
  expect(dialog()).toContain("x was not used.");
  expect(radio("The last commit")).toBeUndefined();
  expect((there(testIds.repositoryMake) as HTMLButtonElement).disabled).toBe(true);
  await type("repository-command", "make");
  expect((there(testIds.repositoryMake) as HTMLButtonElement).disabled).toBe(false);
});

test("Escape and a cancelled folder change nothing", async () => {
  await open();
  const dialog = there(testIds.repositoryDialog);
  await act(async () => dialog.dispatchEvent(new Event("cancel", { cancelable: true })));
  expect(byId(testIds.repositoryDialog)).toBeNull();
  await open({}, { pickFolder: async () => null });
  expect(byId(testIds.repositoryDialog)).toBeNull();
  expect(asked).toEqual([]);
});

test("a folder that cannot be read is named in a message", async () => {
  const message = "The folder /x cannot be opened: it is gone.";
  await open(
    {},
    {
      lookAtProject: async () => {
        throw new ApiFailure({ code: "invalid_argument", message });
      },
    },
  );
  expect(byId(testIds.repositoryDialog)).toBeNull();
  expect(useSession.getState().toasts.map(({ detail }) => detail)).toEqual([message]);
});

test("agents are listed with their versions, installed ones first", () => {
  const own = { name: "mine", label: "mine", program: "x", path: "/x", version: null, install: null };
  const unknown = { ...own, name: "claude-code", label: "Claude Code", install: "npm" };
  expect(agentChoices([...installed, unknown, own]).map(({ label }) => label)).toEqual([
    "Codex 0.46.0",
    "Claude Code, version unknown",
    "mine, from Settings",
    "Claude Code, not installed",
    "Gemini, not installed",
  ]);
});
