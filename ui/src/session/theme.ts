// The theme: the one chosen in the settings, or the system's, which is followed while the window is open.
import type { Settings } from "../ipc/generated/bindings";

let stopFollowing = () => {};

export function applyTheme(theme: NonNullable<Settings["theme"]>): void {
  stopFollowing();
  stopFollowing = () => {};
  if (theme !== "system") {
    document.documentElement.dataset.theme = theme;
    return;
  }
  const light = window.matchMedia("(prefers-color-scheme: light)");
  const follow = () => {
    document.documentElement.dataset.theme = light.matches ? "light" : "dark";
  };
  follow();
  light.addEventListener("change", follow);
  stopFollowing = () => light.removeEventListener("change", follow);
}
