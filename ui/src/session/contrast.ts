// The contrast of text and borders. The preference of the settings or the system is set on the root element
// for the styles.
import { useSession } from "./session";

/** Applies the preference and its changes until the returned function is called. */
export function followContrast(): () => void {
  const system = window.matchMedia("(prefers-contrast: more)");
  const wear = () => {
    if (system.matches || useSession.getState().contrast === "more")
      document.documentElement.dataset.contrast = "more";
    else delete document.documentElement.dataset.contrast;
  };
  wear();
  system.addEventListener("change", wear);
  const stop = useSession.subscribe((s, before) => {
    if (s.contrast !== before.contrast) wear();
  });
  return () => {
    stop();
    system.removeEventListener("change", wear);
  };
}
