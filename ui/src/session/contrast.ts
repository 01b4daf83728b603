// The contrast of text and borders. The preference comes from the settings or the system. It is written to
// the root element, where the styles read it.
import { useSession } from "./session";

/** Applies the preference, now and after each change, until the returned function is called. */
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
