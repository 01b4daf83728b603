// The theme of the window: light, dark, or the system's.
import type { Settings } from "../ipc/generated/bindings";
import { saveSettings } from "../pages/settings/save";
import { useProviders } from "../runs/inputs/providers";
import type { Command } from "./command";

const themed = (theme: NonNullable<Settings["theme"]>, label: string): Command => ({
  id: `theme.${theme}`,
  label,
  icon: "settings",
  scope: "window",
  possible: () => (useProviders.getState().settings?.theme ?? "system") !== theme,
  run: () => saveSettings({ theme }),
});

export const themeCommands: readonly Command[] = [
  themed("light", "Use the light theme"),
  themed("dark", "Use the dark theme"),
  themed("system", "Use the system’s theme"),
];
