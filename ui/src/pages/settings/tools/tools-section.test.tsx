// The page of MCP servers: a server is added, its command is allowed, it is probed, and then its tools
// appear.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../../components/testing";
import { replaceBackend } from "../../../ipc/client";
import { testBackend } from "../../../ipc/testing";
import { useProviders } from "../../../runs/inputs/providers";
import { testIds } from "../../../testids";
import { TrustDialog } from "../../../trust/TrustDialog";
import { SectionBody } from "../SectionBody";

const page = pageForEach();

function Page() {
  return <SectionBody section="tools" settings={useProviders((s) => s.settings)} />;
}

beforeEach(async () => {
  HTMLDialogElement.prototype.showModal ??= () => {};
});

const elementById = <T extends HTMLElement = HTMLElement>(id: string): T | null =>
  page.host.querySelector<T>(`[data-testid="${id}"]`);
const press = (id: string) => act(async () => elementById(id)?.click());

async function type(id: string, text: string): Promise<void> {
  const field = elementById<HTMLInputElement | HTMLTextAreaElement>(id);
  const proto = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  await act(async () => {
    Object.getOwnPropertyDescriptor(proto.prototype, "value")?.set?.call(field, text);
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

test("a server is added, refused, allowed and looked at", async () => {
  const double = testBackend();
  const backend = { ...double, lookAtMcp: vi.fn(double.lookAtMcp), saveSettings: vi.fn(double.saveSettings) };
  replaceBackend(backend);
  await act(async () => useProviders.getState().load());
  await act(async () =>
    page.root.render(
      <>
        <Page />
        <TrustDialog />
      </>,
    ),
  );
  await press("add-server");
  await type("new-server-name", "helper");
  await type("new-server-command", "npx");
  await press("new-server-args-add");
  await type("new-server-args-0", "-y");
  await press("new-server-args-add");
  await type("new-server-args-1", "@scope/server");
  await type("new-server-env", "HELPER_KEY");
  await press("new-server-save");
  expect(backend.saveSettings.mock.lastCall?.[0].mcpServers).toMatchObject([
    { name: "helper", command: "npx", args: ["-y", "@scope/server"], env: ["HELPER_KEY"] },
  ]);
  const row = elementById("server-row-helper");
  expect(row?.textContent).toContain("npx -y @scope/server");
  expect(row?.textContent).toContain("not connected");
  expect(elementById("tool-keys")?.textContent).toContain("HELPER_KEY");

  await act(async () => row?.querySelector<HTMLElement>("button[aria-expanded]")?.click());
  await press("look-helper");
  expect(elementById(testIds.trustDialog)?.textContent).toContain("npx -y @scope/server");
  await press(testIds.trustRefuse);
  expect(backend.lookAtMcp).not.toHaveBeenCalled();
  await press("look-helper");
  await press(testIds.trustAllow);
  expect(backend.lookAtMcp).toHaveBeenCalledOnce();
  expect(elementById("tools-helper")?.textContent).toContain("Returns its input unchanged.");
  // A command that was allowed once is not asked about again.
  await press("look-helper");
  expect(elementById(testIds.trustDialog)).toBeNull();
  expect(backend.lookAtMcp).toHaveBeenCalledTimes(2);
});
