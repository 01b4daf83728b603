// The settings for unattended runs.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { useProviders } from "../../runs/inputs/providers";
import { Unattended } from "./Unattended";

const page = pageForEach();

function Shown() {
  const settings = useProviders((s) => s.settings);
  return settings && <Unattended settings={settings} />;
}

const saved = () => useProviders.getState().settings?.notifications;
const press = (selector: string) => act(async () => page.host.querySelector<HTMLElement>(selector)?.click());
const fill = (selector: string, text: string) =>
  act(async () => {
    const field = page.host.querySelector<HTMLInputElement>(selector);
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text);
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });
const byId = (id: string) => `[data-testid="${id}"]`;

beforeEach(async () => {
  replaceBackend(testBackend());
  await useProviders.getState().load();
  await act(async () => page.root.render(<Shown />));
});

test("the switches are saved at once", async () => {
  expect(page.host.querySelector(byId("settings-keep-awake"))?.getAttribute("aria-checked")).toBe("true");
  await press(byId("settings-keep-awake"));
  expect(useProviders.getState().settings?.keepAwake).toBe(false);
  await press(byId("settings-notify"));
  await press(byId("settings-notify-texts"));
  await fill(byId("settings-notify-after"), "90");
  expect(saved()).toEqual({ desktop: false, afterSeconds: 90, texts: true, command: null });
});

test("a program is saved as a whole, and can be removed", async () => {
  await press(byId("add-notify-command"));
  const save = () => page.host.querySelector<HTMLButtonElement>(byId("save-notify-command"));
  expect(save()?.disabled).toBe(true);
  await fill("#notify-program", " tell-me ");
  expect(saved()?.command).toBeNull();
  await press(byId("save-notify-command"));
  expect(saved()?.command).toEqual({ program: "tell-me", args: [] });
  const remove = [...page.host.querySelectorAll("button")].find((one) => one.textContent === "Remove");
  await act(async () => remove?.click());
  expect(saved()?.command).toBeNull();
  expect(page.host.querySelector(byId("add-notify-command"))).not.toBeNull();
});
