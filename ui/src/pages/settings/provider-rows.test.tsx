// Which provider's row is open in the settings.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { useProviders } from "../../runs/inputs/providers";
import { ProviderRows } from "./ProviderRows";

const page = pageForEach();
const open = () =>
  [...page.host.querySelectorAll('[data-testid^="provider-row-"]:has([aria-expanded="true"])')].map(
    (row) => row.querySelector("b")?.textContent,
  );

test("the provider in use is open, and a press on a name opens another", async () => {
  replaceBackend(testBackend());
  await useProviders.getState().load();
  await act(async () => page.root.render(<ProviderRows />));
  expect(open()).toEqual([]);
  await act(async () => page.root.render(null));
  await act(async () => useProviders.getState().save({ provider: "ollama" }));
  await act(async () => page.root.render(<ProviderRows />));
  expect(open()).toEqual(["Ollamain use"]);
  await act(async () =>
    page.host
      .querySelector<HTMLElement>('[data-testid="provider-row-openai"] button[tabindex="-1"]')
      ?.click(),
  );
  expect(open()).toEqual(["OpenAI", "Ollamain use"]);
});
