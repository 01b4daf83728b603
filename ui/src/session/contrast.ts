// How strongly texts and edges stand out: what the settings or the system ask for is put on the page's root, where the styles read it.
import { useSession } from "./session";

/** From now on, until the function it returns is called. */
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
